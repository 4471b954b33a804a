"""The sweep: where it looks, what it finds, what it can't read, and that it can look again."""

import gzip
import json
import uuid
import zipfile
import zlib
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.test import override_settings

from assistant.conversation import window
from assistant.erasing import marks, order, plan, receipt, requests, sweep
from memory import keys
from profiles.access import scoped
from profiles.models import ErasureRequest, RequestState, Role, User
from tests.caller import colleague
from tests.erasing.test_erasing import lived, only_hers, requested
from tests.people import World


@pytest.mark.parametrize("where", ["row", "json", "base64", "file", "key", "folder"])
def test_the_sweep_finds_what_was_left(world: World, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(world.alice)
    canary = only_hers(world.alice)

    def leave(target: plan.Target, row: ErasureRequest | None) -> None:
        with connections["owner"].cursor() as cursor:
            words = {"row": canary, "json": json.dumps([canary]), "base64": marks.forms(canary)[-1]}.get(where)
            if words:
                cursor.execute("UPDATE profiles_community SET description = %s WHERE id = %s", [words, world.bob.community])
        if where == "file":
            (settings.VAR_DIR / "run" / "left.txt").write_text(canary)
        if where == "folder":
            (settings.VAR_DIR / "run" / f"{world.alice.member}.tmp").touch()
        if where == "key":
            window._valkey().set("kith:window:left", canary)

    monkeypatch.setitem(order.STEPS, "tidy", leave)
    try:
        row = order.run(requested(world.alice).id)
    finally:
        (settings.VAR_DIR / "run" / "left.txt").unlink(missing_ok=True)
        (settings.VAR_DIR / "run" / f"{world.alice.member}.tmp").unlink(missing_ok=True)
        if where == "key":
            window._valkey().delete("kith:window:left")
    assert row.state == RequestState.PARTIAL and row.receipt is not None
    place = {"file": "file run", "folder": "file run", "key": "key window"}.get(where, "table profiles_community")
    assert place in row.receipt["receipt"]["left"]


def test_an_address_that_ends_like_anothers_is_anothers(world: World) -> None:
    mine = f"li-{world.alice.member.hex[:8]}@kith.example"
    hers = f"a{mine}"
    users = User.objects.using("owner")
    users.filter(id=world.alice.person).update(email=mine)
    users.filter(id=world.bob.person).update(email=hers)
    settings.EMAIL_FILE_PATH.mkdir(parents=True, exist_ok=True)
    letters = [settings.EMAIL_FILE_PATH / f"{uuid.uuid4().hex}.log" for _ in range(2)]
    letters[0].write_text(f"To: {mine}\n\nhello")
    letters[1].write_text(f"To: {hers}\n\nhello")
    try:
        row = order.run(requested(world.alice).id)
        assert row.receipt and (row.state, row.receipt["receipt"]["left"]) == (RequestState.DONE, {})
        assert [letter.exists() for letter in letters] == [False, True]
    finally:
        letters[1].unlink(missing_ok=True)


def packed(path: Path, kind: str, words: str) -> None:
    """A file that holds the words packed in this way."""
    if kind == "gzip":
        path.write_bytes(gzip.compress(words.encode()))
    elif kind == "zlib":
        path.write_bytes(zlib.compress(words.encode()))
    elif kind == "large":
        path.write_bytes(b"." * (sweep.PIECE - 10) + words.encode() + b"." * 100)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("inside.txt", words)
        if kind in ("unknown way", "password"):  # in the local header and in the list at the end
            raw = bytearray(path.read_bytes())
            for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
                place = raw.index(mark) + at + (0 if kind == "password" else 2)
                raw[place : place + 2] = (1 if kind == "password" else 99).to_bytes(2, "little")
            path.write_bytes(raw)


@pytest.mark.parametrize(
    ("kind", "place"),
    [("gzip", "file run"), ("zlib", "file run"), ("zip", "file run"), ("large", "file run"), ("unknown way", "unread run"),
     ("password", "unread run"), ("text", "")],
)  # fmt: skip
def test_packed_files_are_looked_into_and_one_that_cannot_be_counts_as_left(
    world: World, tmp_path: Path, kind: str, place: str
) -> None:
    words = only_hers(world.alice)
    wanted = marks.Marks(str(world.alice.person), True, (), (), (), (words,))
    (tmp_path / "run").mkdir()
    with override_settings(VAR_DIR=tmp_path):
        if kind == "text":
            (tmp_path / "run" / "x").write_text("x^ is no packed file")
        else:
            packed(tmp_path / "run" / "x", kind, words)
        assert sweep._files(wanted.needles()) == ({place: 1} if place else {})


def test_what_was_left_can_be_looked_for_again_by_who_decides(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(world.alice)
    left = settings.VAR_DIR / "run" / f"{uuid.uuid4().hex}.txt"
    monkeypatch.setitem(order.STEPS, "tidy", lambda target, row: left.write_text(only_hers(world.alice)))
    try:
        row = order.run(requested(world.alice).id)
        assert row.state == RequestState.PARTIAL
        assert row.id not in requests.due() and order.run(row.id).state == RequestState.PARTIAL, "nothing by itself"
        with pytest.raises(requests.Refused), scoped(world.mei):
            requests.look_again(world.mei, row.id)
        auditor = colleague(world, Role.AUDITOR)
        with scoped(auditor):
            requests.look_again(auditor, row.id)
        assert row.id in requests.due() and order.run(row.id).state == RequestState.PARTIAL, "it is still there"
    finally:
        left.unlink(missing_ok=True)
    with scoped(auditor):
        requests.look_again(auditor, row.id)
    again = order.run(row.id)
    assert again.receipt and row.receipt and (again.state, again.before) == (RequestState.DONE, None)
    first, last = row.receipt["receipt"], again.receipt["receipt"]
    assert [store["before"] for store in first["stores"]] == [store["before"] for store in last["stores"]]
    assert receipt.check(again.receipt)["left"] == {} and last["audit"]["position"] > first["audit"]["position"]


def test_what_is_looked_for_opens_under_an_earlier_key_of_the_installation(world: World) -> None:
    kept = marks.shut(marks.Marks("p", False, ("i",), (), (), ("c",)))
    with override_settings(SECRET_KEY="x" * 50, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert marks.opened(kept).canaries == ("c",)
    with override_settings(SECRET_KEY="x" * 50), pytest.raises(keys.Unopened):
        marks.opened(kept)
