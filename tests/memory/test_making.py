"""What the night makes of much, and that a forgetting reaches it: consolidated events, summaries, procedures."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from assistant.conversation import removal
from assistant.conversation.models import Conversation
from memory import audit, correct, derived, ledger, policy, recall, upkeep
from memory.extraction.claims import Claim
from memory.ledger import Said
from memory.models import Episode, Memory, Part, Recalled, Version
from memory.retrieval.text import terms
from memory.terms import Category, Kind, Origin, Status
from profiles.access import Reader, scoped
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.memory.test_upkeep import add, happened, keep, nothing, rows, status
from tests.people import World, likes

WORKSHOPS = ("pottery workshop at the barn", "bread workshop in May", "bike repair workshop", "photo workshop", "knitting workshop")
EVENTS = {
    "en": tuple(f"attended the {name}" for name in WORKSHOPS),
    "zh": ("参加了陶艺工作坊", "参加了木工工作坊", "参加了摄影工作坊", "参加了烘焙工作坊", "参加了编织工作坊"),
}


def hear(reader: Reader, text: str, at: datetime, conversation: uuid.UUID | None = None) -> Episode:
    """One past exchange of the reader's."""
    with scoped(reader):
        return Episode.objects.create(
            turn=uuid.uuid4(), conversation=conversation or uuid.uuid4(), owner_id=reader.member, question=text,
            community_id=reader.community, answer="An answer.", terms=terms(text), at=at,
        )  # fmt: skip


def events(reader: Reader, language: str, texts: Sequence[str] = ()) -> list[Memory]:
    """Alike events, each told in a conversation of its own."""
    found = []
    for text in texts or EVENTS[language]:
        turn = Said(uuid.uuid4(), uuid.uuid4(), timezone.now())
        found.append(add(reader, happened(text, language=language), turn))
        with scoped(reader):
            Episode.objects.create(turn=turn.turn, conversation=turn.conversation, owner_id=reader.member, question=text,
                                   community_id=reader.community, answer="", terms=terms(text), at=turn.at)  # fmt: skip
    return found


def made(reader: Reader, attribute: str = "event", **which: object) -> Memory:
    with scoped(reader):
        return Memory.objects.get(owner_id=reader.member, origin=Origin.CONSOLIDATED, attribute=attribute, **which)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_five_alike_events_become_one_memory_that_names_them(world: World, language: str) -> None:
    parts = events(world.alice, language)
    others = [add(world.alice, happened("met Ann")), add(world.bob, happened(EVENTS[language][0], language=language))]
    assert keep(world.alice, 8) == {"consolidate": 5}
    memory = made(world.alice)
    assert (memory.kind, memory.category, memory.status, memory.language) == ("semantic", "event", "active", language)
    assert all(text in memory.text for text in EVENTS[language])
    with scoped(world.alice):
        assert set(memory.parts.values_list("of", flat=True)) == {part.id for part in parts}
        assert {source.turn for source in memory.sources.all()} == {
            source.turn for part in parts for source in part.sources.all()}  # fmt: skip
        question = "Which workshops did I attend?" if language == "en" else "我参加过哪些工作坊？"
        assert [hit.id for hit in recall.recall(world.alice, question).memories] == [memory.id]
    assert {status(world.alice, part) for part in parts} == {"archived"}
    assert [status(reader, other) for reader, other in zip((world.alice, world.bob), others, strict=True)] == ["active"] * 2
    before = rows()
    assert keep(world.alice, 8) == {} and rows() == before, "a second run makes nothing"


@pytest.mark.parametrize(
    "texts",
    [EVENTS["en"][:4], ("met Ann", "met Bea", "met Cyd", "met Dan", "met Eve"),
     ("去了成都", "去了杭州", "去了泰山", "去了大理", "去了拉萨")],
)  # fmt: skip
def test_fewer_or_less_alike_events_stay_as_they_are(world: World, texts: Sequence[str]) -> None:
    events(world.alice, "en", texts)
    assert keep(world.alice, 8) == {}


def test_what_is_new_or_pinned_or_important_or_still_ahead_is_no_part(world: World) -> None:
    events(world.alice, "en", EVENTS["en"][:4])
    assert keep(world.alice, 1) == {}
    add(world.alice, happened("attended the dance workshop"), pinned=True)
    add(world.alice, happened("attended the fire workshop", 0.9))
    ahead = happened("attended the moon workshop")
    ahead = Claim(*(getattr(ahead, name) for name in list(Claim.__dataclass_fields__)[:10]), timezone.now() + timedelta(days=20))
    add(world.alice, ahead)
    assert keep(world.alice, 8) == {}


@pytest.mark.parametrize("count", [11, 13])
def test_many_alike_leave_in_batches_and_a_cut_in_between_is_mended_by_the_next_night(
    world: World, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(policy, "KEEP_BATCH", 6)
    parts = events(world.alice, "en", [f"attended the pottery workshop number {number}" for number in range(count)])
    archive, calls = ledger.archive_all, 0

    def dies(*args: Any, **words: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        archive(*args, **words)

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "archive_all", dies)
        with pytest.raises(KeyboardInterrupt):
            keep(world.alice, 8)
    memory = made(world.alice)
    assert [status(world.alice, part) for part in parts].count("archived") == 6
    assert keep(world.alice, 8) == {"consolidate": count - 6}
    with scoped(world.alice):
        assert made(world.alice).id == memory.id and memory.parts.count() == count
        assert Version.objects.filter(action="archived").count() == count, "none twice"
        assert audit.verify(world.alice.community, "owner").broken_at is None
    assert {status(world.alice, part) for part in parts} == {"archived"}


def test_later_events_join_the_memory_that_is_there(world: World) -> None:
    events(world.alice, "zh")
    keep(world.alice, 8)
    memory = made(world.alice)
    events(world.alice, "zh", ("参加了版画工作坊", "参加了皮革工作坊", "参加了花艺工作坊", "参加了书法工作坊", "参加了茶艺工作坊"))
    assert keep(world.alice, 8) == {"consolidate": 5}
    again = made(world.alice)
    assert again.id == memory.id and "共 10 次" in again.text and "茶艺" in again.text
    with scoped(world.alice):
        assert again.parts.count() == 10


@pytest.mark.parametrize("language", ["en", "zh"])
def test_forgetting_a_part_rebuilds_what_was_made_of_it_and_undoing_brings_it_back(world: World, language: str) -> None:
    parts = events(world.alice, language)
    keep(world.alice, 8)
    memory, word = made(world.alice), EVENTS[language][2]
    with scoped(world.alice):
        change = correct.forget(world.alice, parts[2].id)
        assert change is not None
        left = Memory.objects.get(id=memory.id)
        held = [left.text, *left.versions.values_list("text", flat=True), *left.sources.values_list("quote", flat=True)]
        assert left.status == Status.ACTIVE and not any(word in text for text in held)
        assert all(text in left.text for text in EVENTS[language] if text != word)
        assert not set(terms(word)) - set(terms(" ".join(EVENTS[language][:2] + EVENTS[language][3:]))) & set(left.terms)
        correct.undo(world.alice, change.id)
        assert word in Memory.objects.get(id=memory.id).text


def test_when_all_parts_are_forgotten_so_is_what_was_made_of_them(world: World) -> None:
    parts = events(world.alice, "en")
    keep(world.alice, 8)
    memory = made(world.alice)
    with scoped(world.alice):
        changes = [correct.forget(world.alice, part.id) for part in parts]
        assert Memory.objects.get(id=memory.id).status == Status.FORGOTTEN
        assert recall.recall(world.alice, "workshop").all == ()
        assert changes[-1] is not None
        correct.undo(world.alice, changes[-1].id)
        back = Memory.objects.get(id=memory.id)
        assert back.status == Status.ACTIVE and EVENTS["en"][4] in back.text and EVENTS["en"][0] not in back.text
    assert keep(world.alice, 40)["purge"] == 4
    with scoped(world.alice):
        assert EVENTS["en"][0] not in str(list(Version.objects.values_list("text", "value")))


def test_forgetting_the_whole_takes_its_parts_along_and_one_undo_brings_all_back(world: World) -> None:
    parts = events(world.alice, "en")
    keep(world.alice, 8)
    memory = made(world.alice)
    with scoped(world.alice):
        change = correct.forget(world.alice, memory.id)
        assert change is not None
    assert {status(world.alice, row) for row in [memory, *parts]} == {"forgotten"}
    assert keep(world.alice, 9) == {}
    with scoped(world.alice):
        assert recall.recall(world.alice, "workshop").all == ()
        assert correct.undo(world.alice, change.id) is not None
    assert status(world.alice, memory) == "active"
    assert {status(world.alice, part) for part in parts} == {"archived"}


def test_parts_do_not_fade_away_under_what_was_made_of_them(world: World) -> None:
    parts = events(world.alice, "en")
    keep(world.alice, 8)
    assert "delete" not in keep(world.alice, 800)
    assert {status(world.alice, part) for part in parts} == {"archived"}


def test_a_machine_never_overwrites_what_is_of_a_stronger_origin(world: World) -> None:
    order = [Origin.TOLD, Origin.CONFIRMED, Origin.IMPORTED, Origin.CONSOLIDATED, Origin.INFERRED]
    for strong, weak in pairwise(order):
        with scoped(world.alice):
            said = Said(uuid.uuid4(), uuid.uuid4(), timezone.now())
            place = f"{strong} town"
            held = ledger.add(world.alice, likes(place, attribute="residence"), said, origin=strong, actor="member")
            assert held is not None
            again = Said(uuid.uuid4(), uuid.uuid4(), timezone.now())
            assert ledger.add(world.alice, likes("Oslo", attribute="residence"), again, origin=weak, actor="reader") is None
            assert Memory.objects.standing().get(attribute="residence").value == place
            assert ledger.add(world.alice, likes("Bergen", attribute="residence"), again, origin=strong, actor="reader")


def test_what_is_made_never_ends_what_was_told_in_its_slot(world: World) -> None:
    told = add(world.alice, likes("short answers", attribute="prefers"))
    claim = Claim(Kind.SEMANTIC, Category.PREFERENCE, "me", "prefers", "long answers", "", "", "en", 0.5, 0.9)
    with scoped(world.alice):
        part = add(world.alice, happened("asked for long answers"))
        assert derived.make(world.alice, claim, derived.Parts(memories=[part]), reason="consolidated") is None
    assert status(world.alice, told) == "active"


MARCH = datetime(2026, 3, 5, 4, tzinfo=UTC)
ASKED = {
    "en": ("How do I fire the kiln?", "Is the kiln free on Sunday?", "Who repairs the kiln?"),
    "zh": ("窑炉怎么预约？", "周日窑炉开放吗？", "窑炉坏了找谁？"),
}
THEN = {"en": "What did we talk about in March?", "zh": "三月我们聊了什么？"}


def march(reader: Reader, language: str) -> list[Episode]:
    return [hear(reader, text, MARCH + timedelta(days=day)) for day, text in enumerate(ASKED[language])]


def run(reader: Reader, now: datetime) -> dict[str, int]:
    return {one.step: one.count for one in upkeep.run(reader, now, blacken=nothing) if one.count}


MAY = datetime(2026, 5, 1, 4, tzinfo=UTC)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_exchanges_of_long_ago_become_a_summary_by_month_and_topic(world: World, language: str) -> None:
    asked = march(world.alice, language)
    recent = hear(world.alice, ASKED[language][0], MAY - timedelta(days=5))
    assert run(world.alice, MAY) == {"summaries": 3}
    memory = made(world.alice, "summary")
    assert (memory.kind, memory.category, memory.language) == ("episodic", "summary", language)
    assert all(text.rstrip("。.") in memory.text for text in ASKED[language]) and "03-05" in memory.text
    with scoped(world.alice):
        assert set(memory.sources.values_list("turn", flat=True)) == {row.turn for row in asked}
        assert set(Episode.objects.filter(archived_at=None).values_list("turn", flat=True)) == {recent.turn}
        found = recall.recall(world.alice, THEN[language], now=MAY)
        assert [hit.id for hit in found.memories] == [memory.id] and found.episodes == ()
        assert recall.recall(world.alice, "Where do I work?" if language == "en" else "我在哪工作？", now=MAY).memories == ()
        found = recall.recall(world.alice, ASKED[language][2], now=MAY)
        assert {hit.id for hit in found.episodes} <= {recent.turn}, "they have left online search"
        day = "What did we talk about on March 6?" if language == "en" else "三月六号我们聊了什么？"
        assert [hit.id for hit in recall.recall(world.alice, day, now=MAY).episodes] == [asked[1].turn]
    before = rows()
    assert run(world.alice, MAY) == {} and rows() == before
    assert run(world.alice, MAY + timedelta(days=90))["summaries"] == 1
    assert status(world.alice, memory) == "active", "a summary does not go cold"


def test_a_summary_says_nothing_of_the_member_nor_what_was_masked(world: World) -> None:
    for text in ("I work at Acme.", "Where do I live?", "What did we talk about last week?", "Remember this: I like tea."):
        hear(world.alice, text, MARCH)
    masked = hear(world.alice, "Is the secret kiln free?", MARCH)
    with scoped(world.alice):
        Episode.objects.filter(turn=masked.turn).update(masked=True)
    assert run(world.alice, MAY) == {"summaries": 4}
    with scoped(world.alice):
        assert not Memory.objects.filter(category="summary").exists()
        assert Episode.objects.get(archived_at=None).turn == masked.turn


def test_later_exchanges_of_a_month_join_its_summary(world: World) -> None:
    march(world.alice, "en")
    run(world.alice, MAY)
    first = made(world.alice, "summary")
    hear(world.alice, "Where is the kiln?", MARCH + timedelta(days=20))
    assert run(world.alice, MAY) == {"summaries": 1}
    again = made(world.alice, "summary")
    assert again.id == first.id and "4 times" in again.text and "Where is the kiln" in again.text


def test_forgetting_and_deleting_take_their_words_out_of_a_summary(world: World) -> None:
    asked = march(world.alice, "zh")
    told = Said(asked[1].turn, asked[1].conversation, asked[1].at)
    fact = add(world.alice, likes("周日", quote="周日"), told)
    run(world.alice, MAY)
    with scoped(world.alice):
        change = correct.forget(world.alice, fact.id)
        memory = made(world.alice, "summary")
        assert "周日" not in memory.text and ASKED["zh"][0] in memory.text
        assert not any("周日" in text for text in memory.versions.values_list("text", flat=True))
        assert change is not None
        correct.undo(world.alice, change.id)
        assert "周日" in made(world.alice, "summary").text
        of = derived.made_from(world.alice.member, (), [asked[0].turn])
        Episode.objects.filter(turn=asked[0].turn).delete()
        derived.follow(world.alice, of)
        memory = made(world.alice, "summary")
        assert "预约" not in memory.text and set(memory.sources.values_list("turn", flat=True)) == {asked[1].turn, asked[2].turn}
        Episode.objects.all().delete()
        derived.follow(world.alice, of)
        assert Memory.objects.get(id=memory.id).status == Status.FORGOTTEN


TASKS = {
    "en": ("Write the weekly report for the garden team", "please write the weekly report", "Write my weekly report"),
    "zh": ("帮我写一下周报", "请帮我写周报", "帮我写这周的周报"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("decision", ["approve", "reject", "forget"])
def test_a_task_asked_for_on_three_days_is_proposed_once(world: World, language: str, decision: str) -> None:
    now = timezone.now()
    turns = [hear(world.alice, text, now - timedelta(days=9 - day)) for day, text in enumerate(TASKS[language])]
    assert keep(world.alice) == {"procedures": 3}
    memory = made(world.alice, "procedure")
    assert (memory.kind, memory.status) == ("procedural", "under_review") and TASKS[language][2] in memory.text
    with scoped(world.alice):
        assert set(memory.sources.values_list("turn", flat=True)) == {turn.turn for turn in turns}
        assert recall.recall(world.alice, TASKS[language][1]).memories == ()
        assert recall.recall(world.alice, TASKS[language][1]).episodes, "a proposal hides no exchange"
        if decision == "forget":
            correct.forget(world.alice, memory.id)
        else:
            getattr(correct, decision)(world.alice, memory)
    for day, text in enumerate(TASKS[language]):
        hear(world.alice, text, now - timedelta(days=5 - day))
    assert keep(world.alice) == {}
    with scoped(world.alice):
        found = recall.recall(world.alice, TASKS[language][1]).memories
        assert [hit.id for hit in found] == ([memory.id] if decision == "approve" else [])


def test_a_task_asked_for_often_on_one_day_or_a_mere_question_is_no_procedure(world: World) -> None:
    now = timezone.now()
    for text in TASKS["en"]:
        hear(world.alice, text, now - timedelta(days=2))
    for day in range(3):
        hear(world.alice, "Is the weekly market open?", now - timedelta(days=day))
    assert keep(world.alice) == {}


def test_parts_and_marks_stay_behind_the_wall(world: World) -> None:
    events(world.alice, "en")
    keep(world.alice, 8)
    with scoped(world.bob):
        assert not Part.objects.exists() and not Recalled.objects.exists()


def test_the_impact_of_a_part_names_what_was_made_of_it(world: World) -> None:
    part = events(world.alice, "en")[0]
    keep(world.alice, 8)
    found = Caller(world.alice)("get", f"/memories/{part.id}/impact")["derived"]
    assert [row["id"] for row in found] == [str(made(world.alice).id)]


@pytest.mark.parametrize("forget", [True, False])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_deleted_conversation_takes_its_words_out_of_a_summary(world: World, language: str, forget: bool) -> None:
    talks = [uuid.uuid4() for _ in ASKED[language]]
    for text, talk in zip(ASKED[language], talks, strict=True):
        ask(world.alice, text, talk)
    assert keep(world.alice, 31)["summaries"] == 3
    memory = made(world.alice, "summary")
    for number, talk in enumerate(talks):
        removal.remove(world.alice, talk, forget=forget)
        with scoped(world.alice):
            row = Memory.objects.get(id=memory.id)
            texts = [row.text, *row.versions.values_list("text", flat=True)]
        assert row.status == (Status.ACTIVE if number < 2 else Status.FORGOTTEN)
        assert number == 2 or not any(ASKED[language][number].rstrip("?？") in text for text in texts)


def test_deleting_the_talks_that_events_came_from_forgets_what_was_made_of_them(world: World) -> None:
    parts = events(world.alice, "zh")
    keep(world.alice, 8)
    memory = made(world.alice)
    with scoped(world.alice):
        talks = [part.sources.get().conversation for part in parts]
        for talk in talks:
            Conversation.objects.create(id=talk, owner_id=world.alice.member, community_id=world.alice.community)
    for part, talk in list(zip(parts, talks, strict=True))[:2]:
        removal.remove(world.alice, talk, forget=True)
        with scoped(world.alice):
            assert part.text not in Memory.objects.get(id=memory.id).text
    assert status(world.alice, memory) == "active"
    for talk in talks[2:]:
        removal.remove(world.alice, talk, forget=True)
    assert {status(world.alice, row) for row in [memory, *parts]} == {"forgotten"}
