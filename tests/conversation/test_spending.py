"""What the model may take for a member in a day: refused before it is asked, whoever else asks."""

import asyncio
import uuid
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.test import override_settings
from django.utils import timezone

from assistant.conversation import turn
from assistant.conversation.frames import Ask, Refusal
from assistant.conversation.models import Spent, Turn
from memory import policy
from profiles.access import Reader, scoped
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted

ROOM = policy.TURN_TOKENS + 1_000
"""For one turn at a time, after a thousand tokens for none."""


def refused(reader: Reader, text: str) -> str:
    with pytest.raises(Refusal) as refusal:
        ask(reader, text, uuid.uuid4())
    return refusal.value.code


@pytest.mark.parametrize("text", ["会费是多少？", "What is the fee?"])
@pytest.mark.parametrize("part", ["answer", "remembering", "folding"])
@override_settings(LLM_TOKENS_A_DAY=ROOM)
def test_whoever_has_used_it_up_is_refused_and_the_model_hears_nothing(
    world: World, script: Scripted, text: str, part: str
) -> None:
    script.step(text, Reply("20", usage=(10, 10)))
    first = ask(world.alice, text, uuid.uuid4())
    with scoped(world.alice):
        row = Turn.objects.get(id=first)
        took = {"input": 900, "output": 200, "cost": 0}
        row.usage = took if part == "answer" else row.usage | {part: took}
        row.save()
    heard = len(script.requests)
    assert refused(world.alice, text) == "budget_exceeded"
    assert len(script.requests) == heard
    with scoped(world.alice):
        assert Turn.objects.filter(owner_id=world.alice.member).count() == 1, "nothing is kept of it"
    script.step(text, Reply("20"))
    ask(world.bob, text, uuid.uuid4())  # everybody has their own
    with scoped(world.alice):
        Turn.objects.filter(id=first).update(asked_at=timezone.now() - timedelta(days=1, minutes=1))
    script.step(text, Reply("20"))
    ask(world.alice, text, uuid.uuid4())


@override_settings(LLM_TOKENS_A_DAY=ROOM)
def test_of_many_questions_at_once_as_many_are_answered_as_there_is_room_for(world: World, script: Scripted) -> None:
    script.step("fee", Reply("20", duration=0.5), endless=True)

    async def one() -> str:
        try:
            await turn.start(world.alice, uuid.uuid4(), Ask(type="ask", client_id=uuid.uuid4(), text="the fee?"))
        except Refusal as refusal:
            return refusal.code
        return "begun"

    async def many() -> list[str]:
        found = await asyncio.gather(*(one() for _ in range(8)))
        await asyncio.gather(*turn._tasks.values())
        return found

    assert sorted(async_to_sync(many)()) == ["begun"] + ["budget_exceeded"] * 7


@override_settings(LLM_TOKENS_A_DAY=ROOM)
def test_deleting_the_conversation_gives_nothing_back(world: World, script: Scripted) -> None:
    script.step("fee", Reply("20", usage=(5_000, 0)))
    conversation = uuid.uuid4()
    ask(world.alice, "the fee?", conversation)
    Caller(world.alice)("delete", f"/conversations/{conversation}")
    with scoped(world.alice):
        assert [(row.tokens, row.owner_id) for row in Spent.objects.all()] == [(5_000, world.alice.member)]
    assert refused(world.alice, "the fee?") == "budget_exceeded"
    with scoped(world.bob):
        assert not Spent.objects.exists()
    with scoped(world.alice):
        Spent.objects.update(at=timezone.now() - timedelta(days=2))
    script.step("fee", Reply("20", usage=(10, 0)))
    ask(world.alice, "the fee?", conversation := uuid.uuid4())
    Caller(world.alice)("delete", f"/conversations/{conversation}")
    with scoped(world.alice):
        assert [row.tokens for row in Spent.objects.all()] == [10], "what is older than a day is gone"


def test_nor_does_it_make_room_for_more_questions_in_a_minute(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "ASKS_A_MINUTE", 2)
    for _ in range(2):
        conversation = uuid.uuid4()
        ask(world.alice, "hello", conversation)
        Caller(world.alice)("delete", f"/conversations/{conversation}")
    assert refused(world.alice, "hello") == "rate_limited"


@override_settings(LLM_TOKENS_A_DAY=ROOM)
def test_a_question_that_is_sent_again_is_still_the_same_turn(world: World, script: Scripted) -> None:
    script.step("fee", Reply("20", usage=(5_000, 0)))
    conversation, client = uuid.uuid4(), uuid.uuid4()
    assert ask(world.alice, "the fee?", conversation, client) == ask(world.alice, "the fee?", conversation, client)


@override_settings(LLM_TOKENS_A_DAY=1, LLM_BASE_URL="")
def test_without_a_model_there_is_nothing_to_spend(world: World) -> None:
    assert ask(world.alice, "hello", uuid.uuid4())
