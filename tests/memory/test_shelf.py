"""What was archived for long lies in one encrypted file for each member, and a crash loses and doubles nothing."""


from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.utils import timezone

from memory import correct, keys, policy, recall, sealed, shelf, upkeep
from memory.models import Key, Memory
from profiles.access import Reader, scoped
from profiles.models import Membership
from tests.caller import Caller
from tests.memory.test_sealed import holding
from tests.memory.test_upkeep import add, happened, keep, nothing, status
from tests.people import World, likes, said

EVENTS = ("climbed Mount Tai", "登了泰山 𠮷野 🎉")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Any:
    with override_settings(ARCHIVE_DIR=tmp_path):
        yield tmp_path


def files(folder: Path, reader: Reader) -> list[str]:
    return sorted(path.name for path in folder.glob(f"{reader.member}.*"))


def shelved(reader: Reader, *texts: str) -> list[Memory]:
    """Archived on one night, moved into the file a week later."""
    found = [add(reader, happened(text)) for text in texts]
    keep(reader, policy.COLD_DAYS + 1)
    assert keep(reader, policy.COLD_DAYS + 1 + policy.SHELF_DAYS)["shelve"] == len(texts)
    return found


@pytest.mark.parametrize("text", EVENTS)
def test_its_words_are_in_the_file_alone_and_still_shown_to_the_member(world: World, folder: Path, text: str) -> None:
    (memory,) = shelved(world.alice, text)
    assert holding(world, text) == set()
    (name,) = files(folder, world.alice)
    assert text.encode() not in (folder / name).read_bytes()
    assert (folder / name).stat().st_mode & 0o077 == 0
    alice = Caller(world.alice)
    (item,) = alice("get", "/memories?status=archived")["items"]
    assert (item["text"], item["sources"][0]["quote"]) == (text, text)
    assert alice("get", f"/memories/{memory.id}")["text"] == text
    assert {row["text"] for row in alice("get", f"/memories/{memory.id}/versions")["items"]} == {text}
    with scoped(world.alice):
        assert not Memory.objects.get(id=memory.id).text, "reading moves nothing"


@pytest.mark.parametrize("text", EVENTS)
def test_it_is_brought_back_by_hand_whole_and_leaves_the_file(world: World, folder: Path, text: str) -> None:
    memory, other = shelved(world.alice, text, "met Ann")
    back = Caller(world.alice)("post", f"/memories/{memory.id}/restore", version=1)
    assert (back["text"], back["status"]) == (text, "active")
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
        assert (row.terms, row.slot, row.shelved) == (memory.terms, memory.slot, False)
        key = Key.objects.get()
        secret = keys.unwrapped(bytes(key.wrapped), str(world.alice.member))
        assert set(shelf.read(world.alice.member, key.shelf, secret)) == {str(other.id)}
    assert len(files(folder, world.alice)) == 1


def test_what_is_forgotten_out_of_the_archive_leaves_the_file_and_can_be_undone(world: World, folder: Path) -> None:
    (memory,) = shelved(world.alice, EVENTS[1])
    with scoped(world.alice):
        gone = correct.forget(world.alice, memory.id)
        assert gone is not None
    assert holding(world, EVENTS[1]) == set()
    with scoped(world.alice):
        correct.undo(world.alice, gone.id)
        assert (row := Memory.objects.get(id=memory.id)).status == "archived"
        assert row.text == EVENTS[1]


def test_many_that_fade_in_one_night_leave_the_file_together(world: World, folder: Path) -> None:
    unlike = ("saw a fox", "met Ann", "ate sushi", "ran home", "sold bikes")
    events = [add(world.alice, happened(text, 0.2)) for text in unlike]
    stays = add(world.alice, happened("married", 0.9))
    keep(world.alice, 31)
    assert keep(world.alice, 40)["shelve"] == 6
    assert keep(world.alice, 300)["delete"] == 5
    assert {status(world.alice, event) for event in events} == {"forgotten"}
    with scoped(world.alice):
        assert sealed.words(Memory.objects.get(id=stays.id)).row["text"] == "married"
    assert len(files(folder, world.alice)) == 1


@pytest.mark.parametrize("where", ["before the file", "before the commit"])
def test_a_crash_loses_and_doubles_nothing(
    world: World, folder: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    first, second = shelved(world.alice, EVENTS[0])[0], add(world.alice, happened(EVENTS[1]))
    write = shelf.write

    def dies(*args: Any) -> None:
        if where == "before the commit":
            write(*args)
        raise KeyboardInterrupt

    keep(world.alice, 31)
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "write", dies)
        with pytest.raises(KeyboardInterrupt):
            upkeep.run(world.alice, timezone.now() + timedelta(days=39), blacken=nothing)
        with pytest.raises(KeyboardInterrupt):
            Caller(world.alice)("post", f"/memories/{first.id}/restore", version=1)
    with scoped(world.alice):
        texts = {row.id: row.text for row in sealed.shown(Memory.objects.all())}
    assert texts == {first.id: EVENTS[0], second.id: EVENTS[1]}
    assert keep(world.alice, 39) == {"shelve": 1}
    with scoped(world.alice):
        assert {row.id: row.text for row in sealed.shown(Memory.objects.all())} == texts
    assert len(files(folder, world.alice)) == 1


def test_the_key_goes_with_the_membership_and_then_the_file(world: World, folder: Path) -> None:
    shelved(world.alice, EVENTS[0])
    shelved(world.bob, EVENTS[0])
    copy = (folder / files(folder, world.alice)[0]).read_bytes()
    Membership.objects.using("owner").get(id=world.alice.member).delete()
    assert files(folder, world.alice) == [] and len(files(folder, world.bob)) == 1
    with scoped(world.bob):
        bobs = keys.unwrapped(bytes(Key.objects.get().wrapped), str(world.bob.member))
    with pytest.raises(keys.Unopened):
        keys.opened(bobs, copy, f"archive {world.alice.member} 1")


def test_staff_see_and_bring_back_with_a_reason(world: World, folder: Path) -> None:
    (memory,) = shelved(world.alice, EVENTS[1])
    mei, opened = Caller(world.mei), f"member={world.alice.member}&reason=she+asked"
    assert mei("get", f"/memories?status=archived&{opened}")["items"][0]["text"] == EVENTS[1]
    assert mei("post", f"/memories/{memory.id}/restore?{opened}", version=1)["text"] == EVENTS[1]


def test_an_archive_is_a_folder_or_a_bucket_and_anything_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from assistant import settings

    for url in ("gs://bucket/kith", "s3://", "s3:///kith"):
        monkeypatch.setenv("ARCHIVE_URL", url)
        with pytest.raises(ImproperlyConfigured, match="s3://bucket/prefix"):
            settings._archive()
    for url in ("file:///srv/kith", "s3://bucket/kith"):
        monkeypatch.setenv("ARCHIVE_URL", url)
        assert settings._archive() == url
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match="boto3"):
        settings._archive()


@pytest.mark.parametrize(
    ("text", "then", "now"),
    [("climbed Mount Tai", "Which mountain did I climb before, Mount Tai?", "Shall I climb Mount Tai?"),
     ("登了泰山", "我以前登过泰山吗？", "泰山高吗？")],
)  # fmt: skip
def test_a_question_about_the_past_reads_the_file_and_one_about_now_does_not(
    world: World, folder: Path, text: str, then: str, now: str
) -> None:
    shelved(world.alice, text, "met Ann")
    with scoped(world.alice):
        assert [hit.text for hit in recall.recall(world.alice, then).memories] == [text]
        assert recall.recall(world.alice, now).memories == ()
    with scoped(world.bob):
        assert recall.recall(world.bob, then).memories == ()


@pytest.mark.parametrize("text", EVENTS)
def test_words_that_the_archive_says_too_are_not_blacked_out_for_good(world: World, folder: Path, text: str) -> None:
    shelved(world.alice, text)
    gone = add(world.alice, replace(likes("x", quote=f"{text}, x"), text=text, value="xx"))
    seen: list[str] = []
    with scoped(world.alice):
        correct.forget(world.alice, gone.id)
    upkeep.run(world.alice, timezone.now() + timedelta(days=60),
               blacken=lambda reader, blackout: seen.append(blackout(f"{text}, x; {text}", said().at)))  # fmt: skip
    assert seen == [f"█; {text}"]


@pytest.mark.parametrize("question", ["what did I climb last week? Mount Tai", "我上周登了什么？泰山"])
def test_a_lost_file_costs_what_was_in_it_and_no_answer(world: World, folder: Path, question: str) -> None:
    shelved(world.alice, *EVENTS)
    for path in folder.iterdir():
        path.unlink()
    with scoped(world.alice):
        assert recall.recall(world.alice, question).memories == ()
