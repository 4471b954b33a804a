"""What memories are worth: the weak are marked and the mark is read, use decides on priority, a weekly review."""

import uuid

import pytest
from django.utils import timezone

from memory import correct, ledger, policy, recall, upkeep
from memory.ledger import UPKEEP, Said
from memory.mask import masker
from memory.models import Episode, Memory, Recalled, Version
from memory.standing import MERGED
from memory.terms import Origin
from profiles.access import Reader, scoped
from tests.memory.test_making import events, hear, made
from tests.memory.test_upkeep import add, happened, keep, rows, status
from tests.people import World, likes


def inferred(reader: Reader, value: str, **which: str) -> Memory:
    """What a machine has read between the lines."""
    with scoped(reader):
        words = Said(uuid.uuid4(), uuid.uuid4(), timezone.now())
        change = ledger.add(reader, likes(value, **which), words, origin=Origin.INFERRED, actor="reader")
        assert change is not None
        return change.memory


def used(reader: Reader, memory: Memory, conversations: int) -> None:
    """It was put into the context of so many conversations."""
    for number in range(conversations):
        turn = hear(reader, f"question {number}", timezone.now()).turn
        with scoped(reader):
            Recalled.objects.create(turn=turn, owner_id=reader.member, community_id=reader.community, what="memory",
                                    target=memory.id, score=0.5, marker="m1")  # fmt: skip


def importance(reader: Reader, memory: Memory) -> float:
    with scoped(reader):
        return Memory.objects.get(id=memory.id).importance


def test_the_weakest_fifth_of_what_a_machine_wrote_is_marked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    written = [inferred(world.alice, f"dish {number}") for number in range(10)]
    told = add(world.alice, likes("soup"))
    with scoped(world.alice):
        Memory.objects.filter(id__in=[row.id for row in written[2:]]).update(recall_count=3)
        Memory.objects.filter(id=told.id).update(importance=0.1)
        now = timezone.now()
        before = recall.recall(world.alice, "dish 0", now=now).memories[0]
    assert keep(world.alice) == {"usefulness": 2}
    with scoped(world.alice):
        weak = set(Memory.objects.filter(weak=True).values_list("id", flat=True))
        assert weak == {row.id for row in written[:2]}
        after = recall.recall(world.alice, "dish 0", now=now).memories[0]
        assert after.id == before.id == written[0].id
        assert after.score == pytest.approx(before.score - policy.WEAK_MINUS, abs=1e-3), "ranked below its like"
    monkeypatch.setattr(policy, "LIVE_MEMORIES", 9)
    assert keep(world.alice) == {"cap": 2}
    assert {status(world.alice, row) for row in written[:2]} == {"archived"}
    assert status(world.alice, told) == "active", "the weak go first, though it is weaker"


def test_what_many_conversations_recall_rises_step_by_step_and_never_beyond_its_bound(world: World) -> None:
    memory, other = add(world.alice, likes("tea")), add(world.alice, likes("coffee"))
    used(world.alice, memory, policy.PROMOTE_SESSIONS)
    used(world.alice, other, policy.PROMOTE_SESSIONS - 1)
    assert keep(world.alice) == {"priority": 1}
    assert importance(world.alice, memory) == 0.6 and importance(world.alice, other) == 0.5
    assert keep(world.alice) == {}, "the same conversations count once"
    with scoped(world.alice):
        last = Version.objects.filter(memory=memory).latest("number")
        assert (last.actor, last.reason) == (UPKEEP, "promoted")
        assert ledger.undo(world.alice, last.change, actor="member") is not None
    assert importance(world.alice, memory) == 0.5, "versioned, so that it can be taken back"
    for _ in range(4):
        used(world.alice, other, policy.PROMOTE_SESSIONS)
        keep(world.alice)
    assert importance(world.alice, other) == policy.PROMOTE_MOST < policy.IMPORTANT


def test_what_nobody_recalls_falls_to_a_floor_and_stays_current(world: World) -> None:
    memory = add(world.alice, likes("tea"))
    assert keep(world.alice, 89) == {}
    assert keep(world.alice, 91) == {"priority": 1} and keep(world.alice, 91) == {} and keep(world.alice, 180) == {}
    for days in range(200, 1200, 100):
        keep(world.alice, days)
    assert importance(world.alice, memory) == policy.DEMOTE_LEAST and status(world.alice, memory) == "active"


def test_pinned_important_and_hand_written_memories_keep_their_weight(world: World) -> None:
    pinned = add(world.alice, likes("tea"), pinned=True)
    with scoped(world.alice):
        by_hand = correct.state(world.alice, "I like a window seat").memory
        Memory.objects.filter(id=add(world.alice, likes("milk")).id).update(importance=policy.IMPORTANT)
    for memory in (pinned, by_hand):
        used(world.alice, memory, policy.PROMOTE_SESSIONS)
    assert keep(world.alice) == {} and keep(world.alice, 400) == {"summaries": 2 * policy.PROMOTE_SESSIONS}


def test_the_review_puts_together_what_says_the_same_and_runs_once_in_seven_days(world: World) -> None:
    told = add(world.alice, likes("tea"))
    double = inferred(world.alice, "Tea", attribute="interest2")
    with scoped(world.alice):
        Memory.objects.filter(id=double.id).update(text="Likes  TEA.")
    assert keep(world.alice) == {"review": 1}
    assert (status(world.alice, told), status(world.alice, double)) == ("active", "archived")
    with scoped(world.alice):
        row = Memory.objects.get(id=told.id)
        assert row.evidence == 2 and row.sources.count() == 2 and row.origin == Origin.TOLD
    again = inferred(world.alice, "tea", attribute="interest3")
    with scoped(world.alice):
        Memory.objects.filter(id=again.id).update(text="likes tea")
    assert keep(world.alice, 6) == {} and keep(world.alice, 7) == {"review": 1, "shelve": 1}
    before = rows()
    assert keep(world.alice, 7) == {} and rows() == before


def test_what_two_people_told_or_pinned_is_never_put_together(world: World) -> None:
    for attribute in ("likes2", "likes3"):
        with scoped(world.alice):
            Memory.objects.filter(id=add(world.alice, likes("tea", attribute=attribute)).id).update(text="likes tea")
    pinned = inferred(world.alice, "tea", attribute="likes4")
    with scoped(world.alice):
        Memory.objects.filter(id=pinned.id).update(text="likes tea", pinned=True)
    assert keep(world.alice) == {}


def test_the_review_doubts_a_conclusion_whose_ground_has_gone(world: World) -> None:
    parts = events(world.alice, "en")
    keep(world.alice, 8)
    memory = made(world.alice)
    guess = inferred(world.alice, "workshops")
    with scoped(world.alice):
        row = Memory.objects.get(id=parts[0].id)
        ledger.lapse(world.alice, row, reason="it was called off")
        source = guess.sources.get()
        Episode.objects.create(turn=source.turn, conversation=source.conversation, owner_id=world.alice.member, question="?",
                               community_id=world.alice.community, answer="", terms=[], at=source.at, masked=True)  # fmt: skip
    assert keep(world.alice, 15)["review"] == 2
    with scoped(world.alice):
        reasons = dict(Version.objects.filter(action="flagged").values_list("memory", "reason"))
    assert reasons == {
        memory.id: "1 of 5 that it was made of no longer hold", guess.id: "the words that it came from were forgotten"}  # fmt: skip
    with scoped(world.alice):
        correct.approve(world.alice, Memory.objects.get(id=memory.id))
    keep(world.alice, 30)
    assert status(world.alice, memory) == "active", "what a person found right is not doubted again"


def test_a_guess_from_words_that_were_replaced_is_not_doubted_for_that(world: World) -> None:
    guess = inferred(world.alice, "workshops")
    with scoped(world.alice):
        source = guess.sources.get()
        Episode.objects.create(turn=source.turn, conversation=source.conversation, owner_id=world.alice.member, question="?",
                               community_id=world.alice.community, answer="", terms=[], at=source.at, masked=True,
                               replaced=True)  # fmt: skip
    assert "review" not in keep(world.alice, 15)


def test_a_dry_run_says_the_same_of_what_is_made_and_weighed(world: World) -> None:
    events(world.alice, "zh")
    for number in range(10):
        inferred(world.alice, f"dish {number}")
    used(world.alice, add(world.alice, likes("tea")), policy.PROMOTE_SESSIONS)
    add(world.alice, happened("met Ann"))
    before = rows()
    would = keep(world.alice, 31, dry_run=True)
    assert rows() == before
    assert would == keep(world.alice, 31)
    assert set(would) >= {"usefulness", "priority", "consolidate", "summaries", "archive"}


def test_the_steps_come_in_this_order() -> None:
    assert list(upkeep.ORDER) == [
        "overviews", "exchanges", "conflicts", "expired", "usefulness", "review", "priority", "consolidate", "summaries", "reflect", "procedures",
        "archive", "window", "cap", "delete", "purge", "shelve",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["durian cake", "榴莲蛋糕"])
def test_forgetting_reaches_what_the_review_put_aside_as_the_same(world: World, value: str) -> None:
    first, second = (inferred(world.alice, value, attribute=attribute) for attribute in ("likes", "note"))
    with scoped(world.alice):
        Memory.objects.filter(owner_id=world.alice.member).update(text=f"Likes {value}")
        ledger.archive(world.alice, Memory.objects.get(id=second.id), at=timezone.now(), reason=MERGED)
        change = correct.forget(world.alice, first.id)
        assert change is not None
    assert [status(world.alice, row) for row in (first, second)] == ["forgotten", "forgotten"]
    with scoped(world.alice):
        assert value not in masker(world.alice)(f"You like {value}.")
        correct.undo(world.alice, change.id)
    assert [status(world.alice, row) for row in (first, second)] == ["active", "archived"]
