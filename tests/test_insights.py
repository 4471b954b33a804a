"""Figures of answers with memory and without, of memories, and the arm of members that are answered without it."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from assistant.conversation import figures, views
from assistant.conversation.models import Conversation, Feedback, State, Turn
from memory import correct, ledger, policy, quality
from memory.figures import stretch
from memory.models import Episode, Memory, Recalled
from profiles.access import NOBODY, Reader, reader_for, scoped
from profiles.models import Community
from tests.conversation.test_turn import ask
from tests.people import World
from tests.test_staff import client, remember, shown


def answered(reader: Reader, question: str, *, days: int = 0, rating: str = "", **fields: Any) -> Turn:
    """A turn that was answered so many days ago."""
    place = {"owner_id": reader.member, "community_id": reader.community}
    with scoped(reader):
        talk = Conversation.objects.create(id=uuid.uuid4(), title="x", **place)
        turn = Turn.objects.create(
            conversation=talk, client_id=uuid.uuid4(), question=question, answer="x", runner=uuid.uuid4(),
            alive_at=timezone.now(), remembered_at=timezone.now(), **{"state": State.ANSWERED, "held_out": False, **fields},
            **place,
        )  # fmt: skip
        if rating:
            Feedback.objects.create(turn=turn, rating=rating, **place)
    Turn.objects.using("owner").filter(id=turn.id).update(asked_at=timezone.now() - timedelta(days=days))
    return turn


def put_in(reader: Reader, turn: uuid.UUID, memory: Memory, *, cited: bool = False) -> None:
    place = {"owner_id": reader.member, "community_id": reader.community}
    with scoped(reader):
        Recalled.objects.create(turn=turn, what="memory", target=memory.id, score=0.5, marker="m1", cited=cited, **place)
        Episode.objects.create(turn=turn, conversation=uuid.uuid4(), question="x", answer="x", terms=[],
                               at=timezone.now() - timedelta(minutes=1), **place)  # fmt: skip


def measured(reader: Reader) -> figures.Measured:
    with scoped(reader):
        return figures.measured(reader, timezone.now() - timedelta(days=28))


def test_each_arm_has_its_own_figures(world: World) -> None:
    usage = {"input": 100, "output": 40, "cost": 0.02}
    regions = [{"name": "rules", "tokens": 30}, {"name": "memories", "tokens": 10}]
    first = answered(world.alice, "Fee?", days=3, rating="down", usage=usage, regions=regions, recall_ms=10)
    read = {"remembering": {"input": 300, "output": 20, "cost": 0.008}}
    answered(world.alice, " fee? ", rating="up", usage=usage | read | {"output": 60, "cost": 0.04}, regions=regions, recall_ms=30)
    answered(world.bob, "Where?", held_out=True, rating="down")
    put_in(world.alice, first.id, remember(world.alice, "tea"), cited=True)
    arms = measured(world.mei).arms
    one = arms["with"]
    assert (one.answers, one.satisfied, one.satisfied_again, one.returning) == (2, 0.5, 1.0, 1.0)
    assert (one.tokens, one.hits, one.cited, one.recall_half) == (50, 0.5, 1.0, 20)
    assert one.cost == pytest.approx(0.03)
    other = arms["without"]
    assert (other.answers, other.satisfied, other.satisfied_again, other.returning) == (1, 0, None, 0)
    assert (other.tokens, other.cost, other.recall_half, other.cited) == (None, None, None, None)
    parts = measured(world.mei).parts
    assert [(part.name, part.tokens["with"]) for part in parts][-2:] == [("answer", 50), ("remembering", 160)]
    assert {part.name: part.tokens["with"] for part in parts[:-2]} == {"rules": 30, "memories": 10}
    assert parts[-1].cost == {"with": pytest.approx(0.004), "without": None}


@pytest.mark.parametrize("fields", [{"state": State.FAILED}, {"days": 40}])
def test_what_was_not_answered_or_is_older_does_not_count(world: World, fields: dict[str, Any]) -> None:
    answered(world.alice, "Fee?", **fields)
    assert measured(world.mei).arms["with"].answers == 0


def test_members_and_strangers_are_told_no_figures(world: World) -> None:
    answered(world.alice, "Fee?", rating="up")
    remember(world.alice, "tea")
    days, since = stretch(world.mei, timezone.now(), 7)
    for reader, count in ((world.mei, 1), (world.alice, 0), (world.charlie, 0)):
        assert measured(reader).arms["with"].answers == count
        with scoped(reader):
            assert quality.quality(reader, days, since).junk.of == count


def test_memories_that_were_junk_corrected_or_stale_are_counted(world: World) -> None:
    memories = [remember(world.alice, value) for value in ("tea", "cocoa", "mate", "milk")]
    for memory in memories[:2]:
        put_in(world.alice, uuid.uuid4(), memory)
    with scoped(world.alice):
        correct.revise(world.alice, memories[0], {"text": "I like green tea"})
        ledger.flag(world.alice, memories[1], None, actor=ledger.UPKEEP)
        correct.forget(world.alice, memories[2].id)
    days, since = stretch(world.mei, timezone.now(), 7)
    with scoped(world.alice):
        undone = correct.forget(world.alice, memories[3].id)
        assert undone is not None and correct.undo(world.alice, undone.id)
    with scoped(world.mei):
        found = quality.quality(world.mei, days, since)
    assert (found.junk.rate, found.corrected.rate, found.stale.rate, found.twice.rate) == (0.25, 0.25, 0.5, 0)
    assert found.kept == (0, 0, 0, 0, 0, 0, 3)


def test_the_page_says_where_nothing_was_measured(world: World) -> None:
    page = shown(client(world.mei).get("/staff/insights/"))
    assert "no data yet" in page and "0 %" not in page.split('id="arms"')[1].split("</table>")[0]
    with override("zh-hans"):
        assert "尚无数据" in shown(client(world.mei).get("/staff/insights/", headers={"accept-language": "zh-hans"}))


@pytest.mark.parametrize("days", [7, 28, 90])
def test_a_range_can_be_chosen_and_every_table_taken_as_a_file(world: World, days: int) -> None:
    answered(world.alice, "Fee?", rating="up")
    mei: Client = client(world.mei)
    assert f'href="?days={days}" aria-current="true"' in shown(mei.get("/staff/insights/", {"days": days}))
    answers = shown(mei.get("/staff/insights/", {"days": days, "as": "csv", "of": "answers"})).splitlines()
    assert answers[0] == "day,answers,votes,up,tokens,cost,kept" and len(answers) == days + 1
    assert answers[-1].endswith(",1,1,1,,,0") and answers[1].endswith(",,,,,,0")
    arms = shown(mei.get("/staff/insights/", {"days": days, "as": "csv", "of": "arms"})).splitlines()
    assert arms[:3] == ["figure,with,without", "answers,1,0", "satisfied,1.0,"]


@pytest.fixture
def held_out(world: World) -> Iterator[Reader]:
    """Alice, in a community that answers everybody without memory."""
    Community.objects.using("owner").filter(id=world.alice.community).update(holdout=100)
    reader = reader_for(world.alice.person)
    assert reader is not None
    yield reader


def test_the_same_members_are_picked_and_a_larger_share_only_adds(world: World) -> None:
    people = [replace(world.alice, member=uuid.UUID(int=number)) for number in range(1000)]
    picked = {share: {one.member for one in people if replace(one, holdout=share).held_out} for share in (0, 10, 50, 100)}
    assert picked[0] == set() and len(picked[100]) == 1000 and picked[10] < picked[50]
    assert 60 < len(picked[10]) < 140 and NOBODY not in picked[0]


@pytest.mark.parametrize(("told", "asked", "word"), [
    ("I live in Bergen.", "Where do I live?", "Bergen"), ("我住在苏州。", "我住在哪里？", "苏州"),
])  # fmt: skip
def test_who_is_held_out_is_answered_without_memory_and_remembered_as_usual(
    world: World, held_out: Reader, told: str, asked: str, word: str
) -> None:
    ask(held_out, told, uuid.uuid4())
    turn = ask(held_out, asked, uuid.uuid4())
    with scoped(held_out):
        row = Turn.objects.get(id=turn)
        assert row.held_out and word not in row.answer and word not in str(row.regions)
        assert not Recalled.objects.filter(turn=turn, what__in=("memory", "episode")).exists()
        assert word in Memory.objects.live().get(owner_id=held_out.member).text
    turn = ask(world.alice, asked, uuid.uuid4())
    with scoped(world.alice):
        row = Turn.objects.get(id=turn)
        assert word in row.answer and not row.held_out and row.recall_ms is not None


@pytest.mark.parametrize(("told", "greets", "word"), [("My name is Freya.", "Hello", "Freya"), ("我叫周小禾。", "你好", "周小禾")])
def test_who_is_held_out_is_not_called_by_a_name_told_before(
    world: World, held_out: Reader, told: str, greets: str, word: str
) -> None:
    ask(held_out, told, uuid.uuid4())
    answers = [ask(held_out, greets, uuid.uuid4())]
    ask(world.alice, told, uuid.uuid4())
    answers.append(ask(world.alice, greets, uuid.uuid4()))
    with scoped(held_out):
        assert [word in Turn.objects.get(id=turn).answer for turn in answers] == [False, True]


@pytest.mark.parametrize(("language", "said"), [("en", "You are one of them."), ("zh-hans", "你是其中之一。")])
def test_members_are_told_of_the_comparison(world: World, held_out: Reader, language: str, said: str) -> None:
    with override(language):
        for path in ("/me/memory/", "/"):
            assert said in shown(client(held_out).get(path, headers={"accept-language": language}))
    assert said not in shown(client(world.charlie).get("/me/memory/"))


def test_every_region_has_a_name_in_the_table_of_components() -> None:


    assert set(policy.BUDGETS) <= set(views.REGIONS)
