"""An export holds everything about its member and nothing of anybody else's, and is gone in time."""

import io
import json
import uuid
import zipfile
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from assistant import erasure, tasks
from assistant.conversation.models import Turn
from assistant.erasing import order
from assistant.exporting import asking, parts, writing
from memory import audit, blocks, correct, ledger, policy, sealed
from memory.models import Episode, Memory
from profiles.access import Reader, scoped
from profiles.models import Export, ExportState, Membership, User
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.erasing.test_erasing import requested
from tests.people import World

LIVES, FORGOTTEN, ARCHIVED = "我住在苏州。", "My sister Lena lives in Oslo.", "I like the oboe."


def lived(reader: Reader, mark: str = "") -> None:
    """Something in every part: one memory stands, one is forgotten, one lies in the archive.

    `mark`, where an erasure follows: other test databases have their files in the same folder.
    """
    conversation = uuid.uuid4()
    for says in (LIVES, FORGOTTEN, ARCHIVED, "我住在哪里？"):
        ask(reader, says + mark, conversation)
    tasks.remember()
    Caller(reader)("post", f"/turns/{_turns(reader)[0]}/feedback", rating="up", comment=f"good and short{mark}")
    with scoped(reader):
        by_text = {row.text: row for row in Memory.objects.live().filter(owner_id=reader.member)}
        forgotten = next(row for text, row in by_text.items() if "Lena" in text)
        archived = next(row for text, row in by_text.items() if "oboe" in text)
        correct.forget(reader, forgotten.id)
        ledger.archive(reader, archived, at=timezone.now(), reason="cold")
        sealed.shelve(reader.member, [archived])
        blocks.write(reader, blocks.human_of(reader, reader.member), f"Prefers short answers.{mark}", actor="member", version=0)


def _turns(reader: Reader) -> list[uuid.UUID]:
    with scoped(reader):
        return list(Turn.objects.filter(owner_id=reader.member).values_list("id", flat=True))


def opened(content: bytes, slug: str) -> tuple[dict[str, Any], str]:
    packed = zipfile.ZipFile(io.BytesIO(content))
    assert set(packed.namelist()) == {f"{slug}/data.json", f"{slug}/export.md"}
    return json.loads(packed.read(f"{slug}/data.json")), packed.read(f"{slug}/export.md").decode()


def fetched(caller: Caller, made: dict[str, Any]) -> bytes:
    answer = caller.client.get(made["url"], headers=caller.headers)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def exported(reader: Reader) -> tuple[dict[str, Any], str]:
    caller = Caller(reader)
    made = caller("post", "/exports")
    assert (made["state"], made["url"]) == ("queued", None)
    assert caller("post", "/exports")["id"] == made["id"], "one at a time"
    assert tasks.export() >= 1
    ready = caller("get", f"/exports/{made['id']}")
    assert (ready["state"], ready["progress"]) == ("ready", 100)
    return opened(fetched(caller, ready), reader.slug)


def test_everything_of_hers_is_in_it(world: World) -> None:
    lived(world.alice)
    with scoped(world.mei):
        audit.write(world.mei, "opened", None, world.alice.member, reason="she asked 她问了")
    data, text = exported(world.alice)
    assert {name for name, rows in data.items() if not rows} <= {"spaces", "addresses", "tokens", "parts", "deletion_requests", "saved_finds", "summaries", "overviews"}
    assert next(turn["question"] for turn in data["turns"]) == LIVES
    memories = {row.get("text"): row for row in data["memories"]}
    archived = next(row for said, row in memories.items() if said and "oboe" in said)
    assert (archived["status"], archived["sources"][0]["quote"], archived["versions"][0]["text"]) == ("archived", ARCHIVED.rstrip("."), archived["text"])
    assert [row["rating"] for row in data["feedback"]] == ["up"] and [row["text"] for row in data["notes"]] == ["Prefers short answers."]
    assert ("opened", User.objects.get(id=world.mei.person).username, "she asked 她问了") in [(row["action"], row.get("who"), row.get("reason")) for row in data["audit"]]
    assert data["recalled"] and data["profile"] and data["membership"][0]["role"] == "member"
    for words in (LIVES, "oboe", "good and short", "Prefers short answers.", "she asked 她问了"):
        assert words in text


def test_what_she_forgot_is_in_no_part_of_it(world: World) -> None:
    lived(world.alice)
    data, text = exported(world.alice)
    said = json.dumps(data, ensure_ascii=False)
    assert "lena" not in said.casefold() and "oslo" not in said.casefold() and "Lena" not in text
    assert not {field.attname for field in Episode._meta.fields if field.generated} & set(data["episodes"][0])
    assert [row["status"] for row in data["memories"] if "text" not in row] == ["forgotten"]


def test_nothing_of_anybody_elses_is_in_it(world: World) -> None:
    lived(world.alice)
    ask(world.bob, "My bicycle stands beside the blue barn.", uuid.uuid4())
    tasks.remember()
    data, text = exported(world.alice)
    said = json.dumps(data, ensure_ascii=False) + text
    others = [*(str(one) for one in (world.bob.person, world.bob.member, world.mei.person, world.charlie.person)), "bicycle"]
    assert [one for one in others if one in said] == []
    secrets = ("password", "digest", "wrapped", "salt", "embedding")
    assert [name for rows in data.values() if isinstance(rows, list) for row in rows for name in row if name in secrets] == []


def test_every_personal_table_is_in_it_or_says_why_not() -> None:
    personal = {table for table, rule in erasure.TABLES.items() if rule.how not in (erasure.How.KEEP, erasure.How.EXPIRE)}
    assert parts.TABLES | set(parts.LEFT_OUT) == personal | {"django_admin_log"}
    assert parts.TABLES & set(parts.LEFT_OUT) == set()


@pytest.mark.parametrize("who", ["bob", "mei", "charlie"])
def test_nobody_else_sees_or_fetches_it(world: World, who: str) -> None:
    exported(world.alice)
    with scoped(world.alice):
        row = Export.objects.get()
    stranger = Caller(getattr(world, who))
    stranger("get", f"/exports/{row.id}", 404)
    stranger("get", f"/exports/{row.id}/file", 404)
    assert Client(HTTP_HOST="127.0.0.1").get(f"/api/v1/exports/{row.id}/file").status_code == 401
    with scoped(getattr(world, who)):
        assert not Export.objects.filter(id=row.id).exists()
    with scoped(world.mei, subject=world.alice.member):
        assert not Export.objects.filter(id=row.id).exists(), "staff who opened her neither"
    with pytest.raises(DatabaseError), scoped(world.bob):
        Export.objects.create(owner_id=world.alice.member, community_id=world.alice.community, language="en")


def test_it_is_gone_after_some_days_and_when_it_is_asked_for_anew(world: World) -> None:
    exported(world.alice)
    (first,) = asking.files(world.alice.member)
    assert oct(first.stat().st_mode)[-3:] == "600"
    exported(world.alice)
    (second,) = asking.files(world.alice.member)
    assert first != second
    with scoped(world.alice):
        row = Export.objects.get()
        assert row.expires_at and abs(row.expires_at - timezone.now() - timedelta(days=policy.EXPORT_DAYS)) < timedelta(hours=1)
        Export.objects.update(expires_at=timezone.now())
    Caller(world.alice)("get", f"/exports/{row.id}", 404)
    tasks.export()
    assert asking.files(world.alice.member) == []
    with scoped(world.alice):
        assert not Export.objects.exists()


def test_a_failure_is_tried_again_and_said_at_last(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = Caller(world.alice)
    made = alice("post", "/exports")

    def fails(*args: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(writing, "write", fails)
    states = []
    for _ in range(policy.EXPORT_ATTEMPTS):
        tasks.export()
        states.append(alice("get", f"/exports/{made['id']}")["state"])
    assert states == ["queued", "queued", "failed"]
    alice("get", f"/exports/{made['id']}/file", 409)
    monkeypatch.undo()
    exported(world.alice)


def test_one_whose_worker_died_is_begun_again(world: World) -> None:
    made = Caller(world.alice)("post", "/exports")
    with scoped(world.alice):
        Export.objects.update(state=ExportState.RUNNING, started_at=timezone.now())
    tasks.export()
    assert Caller(world.alice)("get", f"/exports/{made['id']}")["state"] == "running", "another worker is at it"
    with scoped(world.alice):
        Export.objects.update(started_at=timezone.now() - timedelta(seconds=policy.EXPORT_SECONDS + 1))
    tasks.export()
    assert Caller(world.alice)("get", f"/exports/{made['id']}")["state"] == "ready"


def test_it_goes_with_its_member(world: World) -> None:
    lived(world.alice, f" ({world.alice.member.hex[:8]})")
    exported(world.alice)
    exported(world.bob)
    unfinished = Path(settings.EXPORT_DIR) / f"{world.alice.member}.{uuid.uuid4()}.new"
    unfinished.write_text("half")
    row = order.run(requested(world.alice).id)
    assert row.receipt and (row.state, row.receipt["receipt"]["left"]) == ("done", {})
    assert asking.files(world.alice.member) == [] and len(asking.files(world.bob.member)) == 1


def test_an_erasure_stops_one_that_is_being_made(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Caller(world.alice)("post", "/exports")
    request = requested(world.alice)
    gather = writing.gather

    def late(reader: Reader, *args: Any) -> writing.Gathered:
        found = gather(reader)
        order.run(request.id)
        return found

    monkeypatch.setattr(writing, "gather", late)
    tasks.export()
    assert asking.files(world.alice.member) == []


def test_leaving_takes_the_file_along(world: World) -> None:
    exported(world.alice)
    Membership.objects.using("owner").get(id=world.alice.member).delete()
    tasks.export()
    assert asking.files(world.alice.member) == []


def test_the_command_writes_all_communities_and_overwrites_nothing(world: World, tmp_path: Path) -> None:
    lived(world.alice)
    user = User.objects.using("owner").get(id=world.alice.person)
    Membership.objects.using("owner").create(user=user, community_id=world.charlie.community)
    file = tmp_path / "alice.zip"
    with override("zh-hans"):
        call_command("export_user", user.username, "-o", str(file), stdout=StringIO(), stderr=StringIO())
    packed = zipfile.ZipFile(file)
    assert {name.partition("/")[0] for name in packed.namelist()} == {world.alice.slug, world.charlie.slug}
    assert "oboe" in packed.read(f"{world.alice.slug}/data.json").decode()
    assert oct(file.stat().st_mode)[-3:] == "600"
    for name, where in ((user.username, file), ("nobody-there", tmp_path / "other.zip")):
        with pytest.raises(CommandError):
            call_command("export_user", name, "-o", str(where))


def test_the_queue_is_asked_as_the_application(world: World) -> None:
    Caller(world.alice)("post", "/exports")
    with connection.cursor() as cursor:
        cursor.execute("SELECT person, community FROM kith_exports()")
        assert (world.alice.person, world.alice.slug) in cursor.fetchall()
