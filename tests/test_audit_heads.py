"""The audit chain against the heads that were noted outside the database: what was done to it is told apart."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.test import override_settings

from assistant import heads, tasks
from memory import audit
from memory.audit import Fault
from profiles.access import scoped
from tests.people import World


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with override_settings(VAR_DIR=tmp_path):
        yield tmp_path


def written(world: World, lines: int = 5) -> None:
    with scoped(world.mei):
        for number in range(lines):
            audit.write(world.mei, "looked", None, world.alice.member, reason=f"reason {number}")


def verified(world: World) -> audit.Check:
    return audit.verify(world.alice.community, "owner", heads.read().get(world.alice.community, {}))


def change(world: World, *statements: str) -> None:
    """As whoever owns the tables could."""
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.replace("OURS", "community_id = %s"), [world.alice.community])


EDIT = "UPDATE memory_auditevent SET action = 'x' WHERE OURS AND position = 3"
DELETE = ("DELETE FROM memory_audittext t USING memory_auditevent e WHERE t.event_id = e.id AND e.OURS AND e.position {0}",
          "DELETE FROM memory_auditevent WHERE OURS AND position {0}")  # fmt: skip
REORDER = tuple(f"UPDATE memory_auditevent SET position = {to} WHERE OURS AND position = {at}" for at, to in ((2, 99), (3, 2), (99, 3)))

INSERT = (  # a forged line between two others, which move up
    "UPDATE memory_auditevent SET position = position + 100 WHERE OURS AND position > 2",
    "UPDATE memory_auditevent SET position = position - 99 WHERE OURS AND position > 100",
    "INSERT INTO memory_auditevent (community_id, position, at, actor, action, target, commitment, previous, digest) "
    "SELECT community_id, 3, at, actor, 'forged', target, commitment, digest, md5(digest) FROM memory_auditevent "
    "WHERE OURS AND position = 2",
)
SWAP = ("WITH two AS (SELECT t.event_id, t.salt, t.body, e.position FROM memory_audittext t JOIN memory_auditevent e ON e.id = t.event_id "
        "WHERE e.OURS AND e.position IN (2, 4)) UPDATE memory_audittext t SET salt = other.salt, body = other.body FROM two one, two other "
        "WHERE t.event_id = one.event_id AND other.position <> one.position",)  # fmt: skip


@pytest.mark.parametrize(("statements", "fault", "at"), [
    ((EDIT,), Fault.EDITED, 3),
    (("UPDATE memory_audittext t SET body = '{}' FROM memory_auditevent e WHERE t.event_id = e.id AND e.OURS AND e.position = 4",), Fault.EDITED, 4),
    (tuple(one.format("= 3") for one in DELETE), Fault.MISSING, 3),
    (tuple(one.format("> 3") for one in DELETE), Fault.MISSING, 6),
    (tuple(one.format("> 0") for one in DELETE), Fault.MISSING, 6),
    (REORDER, Fault.REORDERED, 2),
    (INSERT, Fault.EDITED, 3),
    (SWAP, Fault.EDITED, 2),
])  # fmt: skip
def test_what_was_done_to_a_chain_is_told_apart(world: World, statements: tuple[str, ...], fault: Fault, at: int) -> None:
    written(world)
    tasks.note_heads()
    assert verified(world) == audit.Check(5, None)
    change(world, *statements)
    found = verified(world)
    assert found.fault == fault
    assert found.broken_at == (found.lines + 1 if at == 6 else at)


def test_a_chain_that_was_written_anew_does_not_fit_its_head(world: World) -> None:
    written(world)
    tasks.note_heads()
    change(world, *(one.format("> 0") for one in DELETE))
    written(world)
    assert audit.verify(world.alice.community, "owner") == audit.Check(5, None), "in itself it is whole"
    assert (verified(world).fault, verified(world).broken_at) == (Fault.EDITED, 5)


def test_words_that_an_erasure_took_are_counted_and_no_fault(world: World) -> None:
    written(world)
    tasks.note_heads()
    change(world, "DELETE FROM memory_audittext WHERE OURS")
    found = verified(world)
    assert (found.broken_at, found.fault, found.scrubbed) == (None, None, 5)


def test_a_head_is_noted_once_and_can_not_be_changed(world: World, folder: Path) -> None:
    written(world)
    assert tasks.note_heads() >= 1 and tasks.note_heads() == 0
    written(world, 1)
    assert tasks.note_heads() == 1
    file = folder / heads.FILE
    assert oct(file.stat().st_mode)[-3:] == "600"
    lines = file.read_text().splitlines()
    said = json.loads(lines[0])
    for forged in (json.dumps(said | {"position": said["position"] + 1}), json.dumps({"position": 1}), "{", "[]"):
        file.write_text("\n".join([forged, *lines[1:]]))
        with pytest.raises(heads.Wrong, match="line 1"):
            heads.read()
        with pytest.raises(CommandError, match="can't be trusted"):
            call_command("verify_audit", "--community", world.alice.slug)


def test_after_a_restore_the_chain_goes_on_from_where_it_is(world: World) -> None:
    written(world)
    tasks.note_heads()
    change(world, *(one.format("> 3") for one in DELETE))
    assert verified(world).fault == Fault.MISSING
    heads.note(restored=True)
    assert verified(world) == audit.Check(3, None)
    written(world, 2)
    tasks.note_heads()
    assert verified(world) == audit.Check(5, None)
    change(world, EDIT)
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("verify_audit", "--community", world.alice.slug, "--json", stdout=said)
    (found,) = json.loads(said.getvalue())["communities"]
    assert (found["fault"], found["broken_at"]) == ("edited", 3)
