"""One turn: asked once, answered once, resumed from the database, and nobody else's to read."""

import asyncio
import uuid
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from assistant import tasks
from assistant.conversation import replay, turn
from assistant.conversation.frames import Ask, Refusal
from assistant.conversation.models import State, Turn
from assistant.conversation.running import append
from profiles.access import Reader, scoped
from tests.people import World


def ask(reader: Reader, text: str, conversation: uuid.UUID, client: uuid.UUID | None = None) -> uuid.UUID:
    """Ask and wait until the turn has ended."""

    async def run() -> uuid.UUID:
        frame = Ask(type="ask", client_id=client or uuid.uuid4(), text=text)
        running = await turn.start(reader, conversation, frame)
        for task in list(turn._tasks.values()):
            await asyncio.wait_for(task, 20)
        return running.turn

    return async_to_sync(run)()


def frames(reader: Reader, conversation: uuid.UUID, after: int = 0) -> list[dict[str, Any]]:
    return replay.after(reader, conversation, after)


@pytest.mark.parametrize("text", ["你好", "What is the fee?"])
def test_a_turn_ends_answered_with_gapless_frames(world: World, text: str) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, text, conversation)
    sent = frames(world.alice, conversation)
    assert [frame["seq"] for frame in sent] == list(range(1, len(sent) + 1))
    assert [frame["type"] for frame in sent if frame["type"] != "delta"] == ["accepted", "context", "done"]
    deltas = [frame for frame in sent if frame["type"] == "delta"]
    assert [frame["n"] for frame in deltas] == list(range(len(deltas)))
    assert "".join(frame["text"] for frame in deltas) == sent[-1]["text"] != ""
    assert sent[-1]["state"] == "answered"


def test_resume_at_any_point_gives_the_rest(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "hello", conversation)
    everything = frames(world.alice, conversation)
    for place in range(len(everything) + 1):
        assert frames(world.alice, conversation, place) == everything[place:]


def test_the_same_client_id_is_the_same_turn_and_other_text_a_conflict(world: World) -> None:
    conversation, client = uuid.uuid4(), uuid.uuid4()
    first = ask(world.alice, "hello", conversation, client)
    assert ask(world.alice, "hello", conversation, client) == first
    with pytest.raises(Refusal) as refusal:
        ask(world.alice, "goodbye", conversation, client)
    assert refusal.value.code == "conflict"


@pytest.mark.parametrize("who", ["bob", "mei", "charlie"])
def test_a_stranger_neither_reads_nor_joins_a_conversation(world: World, who: str) -> None:
    conversation, stranger = uuid.uuid4(), getattr(world, who)
    ask(world.alice, "my secret plan", conversation)
    assert frames(stranger, conversation) == []
    with pytest.raises(Refusal) as refusal:
        ask(stranger, "hello", conversation)
    assert refusal.value.code == "not_found"


def test_a_turn_whose_process_died_ends_interrupted_once_and_keeps_the_question(world: World) -> None:
    conversation = uuid.uuid4()
    with scoped(world.alice):
        frame = Ask(type="ask", client_id=uuid.uuid4(), text="are you there?")
        running = turn._open(world.alice, conversation, frame)
        append(running, type="delta", n=0, text="half an ans")
    turn.recover(world.alice, running.turn)
    turn.recover(world.alice, running.turn)
    assert not turn.close(running, State.ANSWERED), "the late runner changes nothing"
    with scoped(world.alice):
        row = Turn.objects.get(id=running.turn)
    assert (row.state, row.question, row.answer) == (State.INTERRUPTED, "are you there?", "half an ans")
    assert [frame["type"] for frame in frames(world.alice, conversation)].count("done") == 1


@pytest.mark.parametrize(
    ("first", "again", "other"),
    [("活动怎么报名？", "活动怎么报名", "会费是多少？"), ("How do I sign up?", "how do I sign up", "What is the fee?")],
)
def test_the_same_question_again_names_the_first_time(world: World, first: str, again: str, other: str) -> None:
    def before(reader: Reader, text: str) -> list[dict[str, Any]]:
        conversation = uuid.uuid4()
        ask(reader, text, conversation)
        return next(frame for frame in frames(reader, conversation) if frame["type"] == "context")["asked_before"]

    asked = ask(world.alice, first, uuid.uuid4())
    tasks.embed()
    found = before(world.alice, again)
    assert [(one["turn"], one["text"], one["by"]) for one in found] == [(str(asked), first, "me")]
    assert before(world.alice, other) == []
    assert before(world.bob, first) == []
