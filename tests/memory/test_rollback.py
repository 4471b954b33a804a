"""What one turn, one actor or one period wrote goes back as a whole; what somebody changed since stays."""

import json
import uuid
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings
from django.utils import timezone

from memory import audit, correct, ledger, recall
from memory.models import Memory, MemoryVector, Tombstone, Version
from memory.rollback import CHANGED, WITHDRAWN, Writes, rollback
from memory.terms import Origin
from profiles.access import scoped
from profiles.learn import profile_of
from tests.caller import Caller, current
from tests.commands.test_commands import of
from tests.conversation.test_turn import ask
from tests.memory.test_sealed import holding
from tests.memory.test_upkeep import add as archived
from tests.memory.test_upkeep import happened, keep, rows, status
from tests.people import World, likes, said

TALKS = {
    "zh": ("我住在杭州。", "不对，我不在杭州了，在苏州。另外我喜欢川菜。", "杭州", "苏州", "我住在哪里？"),
    "en": ("I live in Oslo.", "No, I live in Bergen, not Oslo. And I like sushi.", "Oslo", "Bergen", "Where do I live?"),
}


def values(world: World) -> set[str]:
    with scoped(world.alice):
        return set(Memory.objects.live().values_list("value", flat=True))


def add(world: World, value: str, *, turn: uuid.UUID | None = None, actor: str = "member") -> Memory:
    with scoped(world.alice):
        change = ledger.add(world.alice, likes(value), said(turn), origin=Origin.TOLD, actor=actor)
        assert change is not None
        return change.memory


@pytest.mark.parametrize("language", ["zh", "en"])
def test_all_that_a_turn_wrote_goes_back_and_the_corrected_fact_is_current_again(world: World, language: str) -> None:
    first, second, old, new, question = TALKS[language]
    conversation = uuid.uuid4()
    ask(world.alice, first, conversation)
    before = values(world)
    turn = ask(world.alice, second, conversation)
    assert old in before and new in values(world) and len(values(world)) == 2
    done = Caller(world.alice)("post", "/undo", turn=str(turn))
    assert (values(world), done["left"], len(done["back"])) == (before, [], 3)
    with scoped(world.alice):
        assert profile_of(world.alice).interests == []
        heard = [hit.text for hit in recall.recall(world.alice, question).memories]
        assert len(heard) == 1 and old in heard[0]
    assert audit.verify(world.alice.community, using="owner").broken_at is None


@pytest.mark.parametrize(("value", "text"), [("川菜", "我很喜欢川菜"), ("sushi", "likes sushi a lot")])
def test_what_a_person_changed_since_is_left_and_said_so(world: World, value: str, text: str) -> None:
    turn = uuid.uuid4()
    kept, gone = add(world, value, turn=turn), add(world, f"{value} 2", turn=turn)
    with scoped(world.alice):
        correct.revise(world.alice, Memory.objects.get(id=kept.id), {"text": text})
        done = rollback(world.alice, Writes(turn=turn))
    assert [(one.memory, one.why) for one in done.left] == [(kept.id, CHANGED)]
    assert [(one.memory, one.to, one.status) for one in done.back] == [(gone.id, 0, "forgotten")]
    assert current(world.alice) == [text]


def test_a_dry_run_says_the_same_and_writes_nothing(world: World) -> None:
    turn = uuid.uuid4()
    add(world, "tea", turn=turn)
    before = rows()
    with scoped(world.alice):
        would = rollback(world.alice, Writes(turn=turn), dry_run=True)
        assert would and rows() == before
        assert rollback(world.alice, Writes(turn=turn)) == would


@pytest.mark.parametrize("value", ["川菜", "sushi"])
def test_an_actor_is_taken_back_and_the_others_stay(world: World, value: str) -> None:
    mine, its = add(world, value), add(world, f"{value} read", actor="reader")
    with scoped(world.alice):
        ledger.flag(world.alice, Memory.objects.get(id=mine.id), None, actor="reader")
        done = rollback(world.alice, Writes(actor="reader"))
    assert {(one.memory, one.to) for one in done.back} == {(mine.id, 1), (its.id, 0)}
    assert values(world) == {value}
    assert add(world, f"{value} later", actor="reader")


def test_a_period_goes_back_to_how_it_was_however_often_it_was_changed_in_it(world: World) -> None:
    memory = add(world, "tea")
    since = timezone.now()
    with scoped(world.alice):
        for text in ("likes green tea", "likes black tea"):
            correct.revise(world.alice, Memory.objects.get(id=memory.id), {"text": text})
        correct.forget(world.alice, memory.id)
        assert Tombstone.objects.exists()
        done = rollback(world.alice, Writes(since=since, until=timezone.now() + timedelta(minutes=1)))
        assert not Tombstone.objects.exists()
    assert [(one.to, one.status) for one in done.back] == [(1, "active")]
    assert current(world.alice) == ["likes tea"]


def test_rolling_a_rollback_back_gives_it_all_again(world: World) -> None:
    turn = uuid.uuid4()
    for value in ("tea", "川菜"):
        add(world, value, turn=turn)
    since = timezone.now()
    with scoped(world.alice):
        rollback(world.alice, Writes(turn=turn))
        assert not Memory.objects.live().exists()
        rollback(world.alice, Writes(since=since))
    assert values(world) == {"tea", "川菜"}


def test_it_is_all_or_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = uuid.uuid4()
    for value in ("tea", "coffee"):
        add(world, value, turn=turn)
    forget, calls = ledger.forget, []

    def dies(*args: Any, **words: Any) -> ledger.Change:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return forget(*args, **words)

    monkeypatch.setattr(ledger, "forget", dies)
    with pytest.raises(KeyboardInterrupt), scoped(world.alice):
        rollback(world.alice, Writes(turn=turn))
    assert values(world) == {"tea", "coffee"}


def test_what_the_upkeep_did_since_is_no_persons_change(world: World) -> None:
    turn = uuid.uuid4()
    memory = add(world, "tea", turn=turn)
    with scoped(world.alice):
        ledger.archive(world.alice, Memory.objects.get(id=memory.id), at=timezone.now(), reason="cold")
        assert rollback(world.alice, Writes(turn=turn)).left == ()
    assert status(world.alice, memory) == "forgotten"


def test_staff_take_back_with_a_reason_but_not_what_the_member_forgot(world: World) -> None:
    memory = add(world, "tea")
    since = timezone.now()
    with scoped(world.alice):
        correct.forget(world.alice, memory.id)
    with scoped(world.mei, subject=world.alice.member):
        done = rollback(world.mei, Writes(since=since), owner=world.alice.member)
    assert [one.why for one in done.left] == [WITHDRAWN]
    with scoped(world.alice):
        done = rollback(world.alice, Writes(since=since), actor="operator")
    assert [one.why for one in done.left] == [WITHDRAWN], "nor does whoever runs the machine, in her name"
    turn = uuid.uuid4()
    add(world, "coffee", turn=turn)
    Caller(world.mei)("post", f"/undo?member={world.alice.member}", 422, turn=str(turn))
    Caller(world.bob)("post", f"/undo?member={world.alice.member}&reason=x", 403, turn=str(turn))
    Caller(world.bob)("post", "/undo", 404, turn=str(turn))
    Caller(world.alice)("post", "/undo", 422)
    Caller(world.mei)("post", f"/undo?member={world.alice.member}&reason=she+asked", turn=str(turn))
    assert values(world) == set()
    with scoped(world.alice):
        assert Version.objects.latest("id").actor == "moderator"


def test_what_goes_away_leaves_no_vector(world: World) -> None:
    from assistant import tasks

    turn = ask(world.alice, "我喜欢川菜。", uuid.uuid4())
    tasks.embed()
    with scoped(world.alice):
        assert MemoryVector.objects.exists()
        rollback(world.alice, Writes(turn=turn))
        assert not MemoryVector.objects.exists()


def test_the_command_says_ids_and_no_words(world: World) -> None:
    turn = uuid.uuid4()
    memory = add(world, "zebrafont", turn=turn)
    would = run(*of(world.alice), "--turn", str(turn), "--dry-run")
    assert values(world) == {"zebrafont"}
    done = run("--community", world.alice.slug, "--turn", str(turn))
    assert done == would | {"dry_run": False}
    assert done["back"] == [{"member": str(world.alice.member), "memory": str(memory.id), "to": 0, "status": "forgotten"}]
    assert "zebrafont" not in json.dumps(done)
    assert values(world) == set()
    with pytest.raises(CommandError):
        run(*of(world.alice))


def run(*arguments: str) -> dict[str, Any]:
    said = StringIO()
    call_command("rollback", *arguments, "--json", stdout=said)
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


@pytest.mark.parametrize("text", ["climbed Mount Tai", "登了泰山"])
def test_what_lies_in_the_archive_goes_back_too(world: World, text: str, tmp_path: Path) -> None:
    with override_settings(ARCHIVE_DIR=tmp_path):
        memory = archived(world.alice, happened(text))
        with scoped(world.alice):
            turn = memory.sources.get().turn
            keep(world.alice, 31)
            keep(world.alice, 39)
            assert Memory.objects.get(id=memory.id).shelved
            done = rollback(world.alice, Writes(turn=turn))
        assert [(one.to, one.status) for one in done.back] == [(0, "forgotten")]
        assert holding(world, text) == set()
        since = Version.objects.using("owner").filter(memory=memory.id).latest("id").at
        with scoped(world.alice):
            rollback(world.alice, Writes(since=since))
            row = Memory.objects.get(id=memory.id)
            assert (row.status, row.text) == ("archived", text)


def test_what_is_shared_goes_back_by_who_wrote_it_and_when(world: World) -> None:
    mei = Caller(world.mei)
    kept = mei("post", "/memories", text="The fee is 60.", scope="community")
    since = timezone.now()
    mei("patch", f"/memories/{kept['id']}", text="The fee is 90.", version=1)
    added = mei("post", "/memories", text="The barn is closed.", scope="community")
    mine = add(world, "tea")
    with pytest.raises(correct.Denied), scoped(world.bob):
        rollback(world.bob, Writes(since=since), shared=True)
    assert mei("get", "/memories?scope=community")["count"] == 2
    slug = world.mei.slug
    planned = run("--community", slug, "--shared", "--since", since.isoformat(), "--dry-run")
    done = run("--community", slug, "--shared", "--since", since.isoformat(), "--actor", "moderator")
    assert sorted(row["memory"] for row in done["back"]) == sorted(row["memory"] for row in planned["back"]) == sorted([kept["id"], added["id"]])
    assert {row["member"] for row in done["back"]} == {None} and done["left"] == []
    left = mei("get", "/memories?scope=community")["items"]
    assert [row["text"] for row in left] == ["The fee is 60."]
    assert values(world) == {"tea", "The fee is 60."} and status(world.alice, mine) == "active", "nobody's own is touched"
    with scoped(world.mei):
        assert audit.verify(world.mei.community).broken_at is None
