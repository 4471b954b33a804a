"""Questions that look back hear what is over, with its date; questions about now never do."""

import uuid
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.ledger import Said
from memory.models import Episode
from memory.recall import recall
from memory.remember import notice
from memory.retrieval.past import look_back, talk_of
from memory.retrieval.text import terms
from profiles import learn
from profiles.access import Reader, scoped
from tests.people import World

NOW = datetime(2026, 9, 1, 4, tzinfo=UTC)


def tell(reader: Reader, month: int, text: str) -> None:
    turn, at = uuid.uuid4(), datetime(2026, month, 1, 4, tzinfo=UTC)
    with scoped(reader):
        notice(reader, learn.profile_of(reader), text, Said(turn, uuid.uuid4(), at))
        Episode.objects.create(
            turn=turn, conversation=uuid.uuid4(), owner_id=reader.member, community_id=reader.community, question=text,
            answer="", terms=terms(text), at=at,
        )  # fmt: skip


def heard(reader: Reader, question: str) -> list[str]:
    with scoped(reader):
        return [hit.text for hit in recall(reader, question, now=NOW).all]


@pytest.mark.parametrize(
    ("before", "after", "now", "past", "old", "gone", "new"),
    [
        ("I work at Acme", "I just joined Xinghe", ("Where do I work?", "who do I work for now?"),
         ("Where did I work in May?", "where did I use to work?"), "Works at Acme (until 2026-07-01, no longer)", "Acme", "Xinghe"),
        ("我住在杭州", "我搬到苏州了", ("我住哪里？", "我现在住在哪个城市"), ("我以前住哪里？", "五月的时候我住在哪"),
         "住在杭州（至 2026-07-01，现在已不是）", "杭州", "苏州"),
    ],
)  # fmt: skip
def test_what_is_over_answers_only_a_look_back(
    world: World, before: str, after: str, now: tuple[str, ...], past: tuple[str, ...], old: str, gone: str, new: str
) -> None:
    tell(world.alice, 4, before)
    tell(world.alice, 7, after)
    for question in now:
        texts = heard(world.alice, question)
        assert any(new in text for text in texts), question
        assert not any(before in text or gone in text for text in texts), question
    for question in past:
        texts = heard(world.alice, question)
        assert old in texts, question
        assert not any(new in text for text in texts), question
        assert heard(world.bob, question) == []


@pytest.mark.parametrize(
    ("before", "correction", "question", "wrong"),
    [("I live in Hangzhou.", "That's wrong, I live in Suzhou.", "Where did I live in May?", "Hangzhou"),
     ("我住在杭州", "不对，我不住杭州，我住苏州", "我以前住哪里？", "杭州")],
)  # fmt: skip
def test_what_was_corrected_was_never_true(
    world: World, before: str, correction: str, question: str, wrong: str
) -> None:
    tell(world.alice, 4, before)
    tell(world.alice, 5, correction)
    assert not any(wrong in text for text in heard(world.alice, question))


@pytest.mark.parametrize(
    ("question", "looks"),
    [("where did I use to work?", True), ("我以前在哪上班", True), ("Where do I work?", False), ("我现在住哪", False),
     ("what do I have tomorrow?", False)],
)  # fmt: skip
def test_only_some_questions_look_back(question: str, looks: bool) -> None:
    assert (look_back(question, now=NOW, zone=ZoneInfo("UTC")) is not None) is looks


@pytest.mark.parametrize("question", ["七月一号我们聊了什么？", "What did we talk about on July 1?", "What did we talk about in July?"])
def test_a_day_is_asked_for_by_its_date(world: World, question: str) -> None:
    tell(world.alice, 6, "摊位费怎么算")
    tell(world.alice, 7, "the kiln needs a new door")
    assert heard(world.alice, question) == ["the kiln needs a new door"]
    assert talk_of("what did we eat?", now=NOW, zone=ZoneInfo("UTC")) is None
