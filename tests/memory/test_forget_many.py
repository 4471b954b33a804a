"""Everything from one turn or one day is forgotten as one, and one undo brings all of it back."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memory import correct, figures, forget_many, ledger, overviews, policy, talks, upkeep
from memory.forget_many import From
from memory.ledger import Said, Stale
from memory.models import Episode, Memory, Overview, Recalled
from memory.retrieval.text import terms
from memory.terms import Origin, Status
from profiles.access import Reader, scoped
from profiles.learn import learn, profile_of
from tests.caller import Caller
from tests.people import World, likes
from tests.test_staff import REASON, client, looks, shown

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = From(since=NOON.replace(hour=0), until=NOON.replace(hour=0) + timedelta(days=1))


def told(reader: Reader, values: Sequence[str], at: datetime = NOON) -> uuid.UUID:
    """One turn that said several things, and is a past exchange with an overview."""
    turn, talk = uuid.uuid4(), uuid.uuid4()
    with scoped(reader):
        for value in values:
            ledger.add(reader, likes(value), Said(turn, talk, at), origin=Origin.TOLD, actor="member")
        text = f"I like {' and '.join(values)}, or 你好"
        Episode.objects.create(turn=turn, conversation=talk, owner_id=reader.member, community_id=reader.community,
                               question=text, answer="ok", terms=terms(text), at=at)  # fmt: skip
        overviews.note(reader, talk, text, [], at)
    return turn


def state(reader: Reader) -> tuple[list[str], int, int]:
    """What stands, how many exchanges can be found, how many overviews there are."""
    with scoped(reader):
        own = Memory.objects.filter(owner_id=reader.member, status=Status.ACTIVE)
        found = Episode.objects.filter(owner_id=reader.member, masked=False)
        return sorted(own.values_list("text", flat=True)), found.count(), Overview.objects.filter(owner_id=reader.member).count()


def forget(reader: Reader, which: From) -> forget_many.Forgot:
    with scoped(reader):
        return forget_many.forget(reader, reader.member, which)


def undo(reader: Reader, change: uuid.UUID) -> bool:
    with scoped(reader):
        return forget_many.undo(reader, reader.member, change)


@pytest.mark.parametrize("values", [("tea", "cocoa"), ("茶", "可可")])
def test_everything_from_a_turn_goes_and_one_undo_brings_it_back(world: World, values: tuple[str, str]) -> None:
    turn = told(world.alice, values)
    told(world.alice, ["coffee"])
    before = state(world.alice)
    done = forget(world.alice, From(turn=turn))
    assert (done.memories, done.exchanges, done.overviews) == (2, 1, 1)
    assert state(world.alice) == (["likes coffee"], 1, 1)
    assert undo(world.alice, done.change)
    assert state(world.alice)[:2] == before[:2]
    assert not undo(world.alice, uuid.uuid4())


def test_the_figures_count_the_memories_that_went_and_not_the_act(world: World) -> None:
    done = forget(world.alice, From(turn=told(world.alice, ["tea", "cocoa"])))
    with scoped(world.mei):
        assert sum(figures.figures(world.mei).counts["forgotten"]) == done.memories == 2


def test_everything_from_a_day_goes_and_the_day_after_stays(world: World) -> None:
    told(world.alice, ["tea"])
    told(world.alice, ["cocoa"], NOON + timedelta(hours=3))
    told(world.alice, ["coffee"], NOON + timedelta(days=1))
    done = forget(world.alice, DAY)
    assert done.memories == 2 and state(world.alice)[0] == ["likes coffee"]
    assert undo(world.alice, done.change)
    assert state(world.alice)[0] == ["likes cocoa", "likes coffee", "likes tea"]


def test_what_somebody_wrote_by_hand_that_day_goes_too(world: World) -> None:
    with scoped(world.alice):
        ledger.state(world.alice, likes("mate"), ledger.Holder(world.alice.member), origin=Origin.TOLD, actor="member")
    today = From(since=timezone.now() - timedelta(hours=1), until=timezone.now() + timedelta(hours=1))
    assert forget(world.alice, today).memories == 1 and state(world.alice)[0] == []


def test_an_exchange_that_nothing_came_of_is_found_no_more_until_the_undo(world: World) -> None:
    turn = told(world.alice, [])
    assert found(world.alice) == {turn}
    done = forget(world.alice, From(turn=turn))
    assert (done.memories, done.exchanges) == (0, 1) and found(world.alice) == set()
    assert undo(world.alice, done.change) and found(world.alice) == {turn}


def found(reader: Reader) -> set[uuid.UUID]:
    with scoped(reader):
        return {talk.turn for talk in talks.search(reader, "你好", most=9)}


@pytest.mark.parametrize("values", [[], ["tea"]])
def test_its_exchanges_are_deleted_once_it_can_not_be_undone(world: World, values: list[str]) -> None:
    turn, other = told(world.alice, values), told(world.alice, ["cocoa"])
    done = forget(world.alice, From(turn=turn))

    def kept(days: int, *, dry_run: bool = False) -> tuple[int, set[uuid.UUID]]:
        at = timezone.now() + timedelta(days=days)
        steps = upkeep.run(world.alice, at, blacken=lambda *_: None, dry_run=dry_run)
        with scoped(world.alice):
            left = set(Episode.objects.filter(owner_id=world.alice.member).values_list("turn", flat=True))
        return next(step.count for step in steps if step.step == upkeep.EXCHANGES), left

    assert kept(policy.UNDO_DAYS - 1) == (0, {turn, other})
    assert kept(policy.UNDO_DAYS + 1, dry_run=True) == (1, {turn, other})
    assert kept(policy.UNDO_DAYS + 1) == (1, {other})
    assert kept(policy.UNDO_DAYS + 1) == (0, {other})
    assert not undo(world.alice, done.change)


def test_the_undo_beside_any_of_them_is_the_same_one(world: World) -> None:
    turn = told(world.alice, ["tea", "cocoa"])
    done = forget(world.alice, From(turn=turn))
    shown(client(world.alice).post("/me/memory/undo/", {"change": done.change}))
    assert state(world.alice)[:2] == (["likes cocoa", "likes tea"], 1)


def test_bringing_back_one_memory_alone_does_not_show_the_exchange_again(world: World) -> None:
    turn = told(world.alice, ["tea"])
    forget(world.alice, From(turn=turn))
    with scoped(world.alice):
        memory = Memory.objects.get(owner_id=world.alice.member)
        ledger.restore(world.alice, memory, memory.versions.get(number=1), actor="member")
        correct.settle(world.alice, [memory.id])
    assert state(world.alice)[:2] == (["likes tea"], 0)


def test_the_profile_unlearns_what_the_turn_taught(world: World) -> None:
    turn = told(world.alice, ["tea"])
    with scoped(world.alice):
        learn(world.alice, profile_of(world.alice), turn, interests=["ceramics"])
    forget(world.alice, From(turn=turn))
    with scoped(world.alice):
        assert profile_of(world.alice).interests == []


def test_nothing_is_undone_where_something_of_it_was_changed_since(world: World) -> None:
    turn = told(world.alice, ["tea", "cocoa"])
    done = forget(world.alice, From(turn=turn))
    with scoped(world.alice):
        memory = Memory.objects.filter(owner_id=world.alice.member).first()
        assert memory is not None
        ledger.restore(world.alice, memory, memory.versions.get(number=1), actor="member")
    before = state(world.alice)
    with pytest.raises(Stale), scoped(world.alice):
        forget_many.undo(world.alice, world.alice.member, done.change)
    assert state(world.alice) == before


def test_nothing_of_anybody_else_goes(world: World) -> None:
    turn = told(world.bob, ["tea"])
    assert forget(world.alice, From(turn=turn)).memories == 0
    assert state(world.bob)[0] == ["likes tea"]


def test_staff_see_the_reach_first_forget_and_undo_with_a_reason(world: World) -> None:
    turn, mei = told(world.alice, ["tea", "cocoa"]), client(world.mei)
    with scoped(world.alice):
        memory = Memory.objects.filter(owner_id=world.alice.member).first()
        assert memory is not None
        Recalled.objects.create(turn=uuid.uuid4(), owner_id=world.alice.member, community_id=world.alice.community,
                                what="memory", target=memory.id, score=0.5, marker="M1", cited=True)  # fmt: skip
    path = f"/staff/members/{world.alice.member}/forget/"
    assert mei.get(path, {"turn": turn}).status_code == 403
    page = shown(mei.get(path, {"turn": turn, **REASON}))
    assert "2 memories go" in page and "1 answer had" in page and "1 cited it" in page and "likes tea" in page
    assert len(state(world.alice)[0]) == 2, "looking changes nothing"
    page = shown(mei.post(path, {"turn": turn, **REASON}))
    assert "2 memories are forgotten" in page and state(world.alice)[0] == []
    change = page.split('"change": "')[1].split('"')[0]
    assert "is back" in shown(mei.post(path, {"change": change, **REASON}))
    assert len(state(world.alice)[0]) == 2 and looks(world.alice) == ["she asked"]


def test_what_the_member_forgot_staff_do_not_bring_back(world: World) -> None:
    whole, bare = told(world.alice, ["tea"]), told(world.alice, [])
    done = [forget(world.alice, From(turn=turn)).change for turn in (whole, bare)]
    path = f"/staff/members/{world.alice.member}/forget/"
    for change in done:
        assert client(world.mei).post(path, {"change": change, **REASON}).status_code == 404
    assert state(world.alice)[:2] == ([], 0)


def test_rest_forgets_a_day_or_a_turn_and_takes_it_back(world: World) -> None:
    told(world.alice, ["tea"])
    bare, call = told(world.alice, []), Caller(world.alice)
    reach = call("post", "/memories/forget", day="2026-03-01", dry_run=True)
    assert (len(reach["memories"]), reach["exchanges"], reach["overviews"]) == (1, 2, 2)
    assert len(state(world.alice)[0]) == 1, "asking changes nothing"
    done = call("post", "/memories/forget", turn=str(bare))
    assert (done["memories"], done["exchanges"]) == (0, 1) and state(world.alice)[1] == 1
    call("post", "/undo", change=done["change"])
    done = call("post", "/memories/forget", day="2026-03-01")
    assert state(world.alice) == ([], 0, 0)
    call("post", "/undo", change=done["change"])
    assert state(world.alice)[:2] == (["likes tea"], 2)
    for wrong in ({}, {"turn": str(bare), "day": "2026-03-01"}, {"day": "then"}):
        call("post", "/memories/forget", 422, **wrong)
    for never in ("0001-01-01", "9999-12-31"):
        assert call("post", "/memories/forget", day=never, dry_run=True)["memories"] == []


def test_a_member_forgets_a_day_on_their_own_page(world: World) -> None:
    told(world.alice, ["tea"])
    alice = client(world.alice)
    page = shown(alice.get("/me/memory/forget/", {"day": "2026-03-01"}))
    assert "1 memory goes" in page and "likes tea" in page
    page = shown(alice.post("/me/memory/forget/", {"day": "2026-03-01"}))
    assert "1 memory is forgotten" in page and state(world.alice)[0] == []
    assert "Nothing is kept from then" in shown(alice.get("/me/memory/forget/", {"day": "2026-03-01"}))
    assert alice.get("/me/memory/forget/", {"day": "yesterday"}).status_code == 422
