"""Asked before by the community: an answer that is shared knowledge comes first, is named, and goes with its passage."""

import uuid
from typing import Any

import pytest
from django.urls import reverse

from assistant import tasks
from assistant.conversation.models import Turn
from assistant.conversation.regions import ANSWERED
from memory import knowledge
from memory.models import Passage, QuestionVector
from profiles.access import Reader, scoped
from tests.caller import Caller
from tests.conversation.test_turn import ask, frames
from tests.people import World

SAME = [
    ("怎么申请退款？", "14 天内给版主写信。", "退款要怎么办理", "怎么申请报销？"),
    ("How do I book the meeting room?", "Write to the keeper a day before.", "How can I book the meeting room?",
     "How do I cancel the meeting room?"),
]  # fmt: skip


def context(reader: Reader, conversation: uuid.UUID) -> dict[str, Any]:
    return next(frame for frame in frames(reader, conversation) if frame["type"] == "context")


def answered(world: World, title: str, text: str) -> uuid.UUID:
    with scoped(world.mei):
        knowledge.write(world.mei, f"{title} 2", "something else altogether")
        passage = knowledge.write(world.mei, title, text).id
    tasks.embed()
    return passage


@pytest.mark.parametrize(("title", "text", "question", "other"), SAME)
def test_what_the_community_was_asked_before_is_answered_from_there(
    world: World, title: str, text: str, question: str, other: str
) -> None:
    passage = answered(world, title, text)
    conversation = uuid.uuid4()
    turn = ask(world.bob, question, conversation)
    (before,) = context(world.bob, conversation)["asked_before"]
    assert (before["by"], before["source"], before["text"]) == ("community", str(passage), title)
    with scoped(world.bob):
        row = Turn.objects.get(id=turn)
    assert text in row.answer
    assert "something else" not in row.answer
    assert ANSWERED.format(marker="k1") in row.regions[0]["text"]
    page = reverse("conversation", args=[conversation])
    client = Caller(world.bob).client

    def line() -> str:
        return client.get(page).content.decode().split("data-before")[1].split("</p>")[0]

    assert reverse("passage", args=[passage]) in line()
    apart = uuid.uuid4()
    ask(world.bob, other, apart)
    assert context(world.bob, apart)["asked_before"] == []
    with scoped(world.mei):
        knowledge.remove(world.mei, Passage.objects.get(id=passage))
    assert context(world.bob, conversation)["asked_before"] == []
    assert "href" not in line()


def test_ones_own_time_comes_first(world: World) -> None:
    passage = answered(world, *SAME[0][:2])
    first = ask(world.bob, SAME[0][0], uuid.uuid4())
    tasks.embed()
    conversation = uuid.uuid4()
    ask(world.bob, SAME[0][0], conversation)
    before = context(world.bob, conversation)["asked_before"]
    assert [(one["by"], one["turn"] or one["source"]) for one in before] == [("me", str(first)), ("community", str(passage))]


def test_a_question_of_a_member_is_nobody_elses(world: World) -> None:
    """Only what is shared counts: Alice's question and its answer stay hers."""
    ask(world.alice, "怎么申请退款？", uuid.uuid4())
    tasks.embed()
    conversation = uuid.uuid4()
    ask(world.bob, "怎么申请退款？", conversation)
    assert context(world.bob, conversation)["asked_before"] == []


def test_a_title_that_is_changed_loses_its_vector(world: World) -> None:
    passage = answered(world, *SAME[0][:2])
    with scoped(world.mei):
        row = Passage.objects.get(id=passage)
        assert QuestionVector.objects.filter(passage=row).count() == 1
        knowledge.edit(world.mei, row, "退款", SAME[0][1])
        assert not QuestionVector.objects.filter(passage=row).exists()
    tasks.embed()
    with scoped(world.mei):
        assert not QuestionVector.objects.filter(passage=passage).exists()
        assert not QuestionVector.objects.filter(passage__title="退款").exists()
    with scoped(world.charlie):
        assert not QuestionVector.objects.exists()
