"""A clock that is a day wrong on one machine: no turn is taken for dead, none for ever, and order stays order."""

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from assistant import tasks
from assistant.conversation import place, replay, turn
from assistant.conversation.frames import Ask
from assistant.conversation.models import State, Turn
from assistant.conversation.running import Running, append, begin, still_ours
from memory import policy
from profiles.access import Reader, scoped
from tests.people import World

DAY = timedelta(days=1)


def begun(reader: Reader, off: timedelta) -> Running:
    """A turn that began on a machine whose clock is so far off, and is being answered."""
    with scoped(reader):
        asked = Ask(type="ask", client_id=uuid.uuid4(), text="会费是多少？")
        talk, _ = place.conversation_of(reader, uuid.uuid4(), asked)
        running = Running(reader, talk.id, uuid.uuid4(), asked.client_id, uuid.uuid4(), asked.text, True,
                          asked_at=timezone.now() + off)  # fmt: skip
        assert begin(running, read=False)
        append(running, type="accepted", client_id=str(asked.client_id))
    return running


@pytest.mark.parametrize("off", [-DAY, DAY])
def test_a_turn_lives_and_dies_by_the_clock_of_the_database(world: World, off: timedelta) -> None:
    running = begun(world.alice, off)
    tasks.recover()
    with scoped(world.alice):
        assert Turn.objects.get(id=running.turn).state == State.RUNNING, "it is being answered"
        assert still_ours(running)
    with scoped(world.alice), connection.cursor() as cursor:
        late = [timedelta(seconds=policy.SILENT_SECONDS + 5), running.turn]
        cursor.execute("UPDATE conversation_turn SET alive_at = clock_timestamp() - %s WHERE id = %s", late)
    tasks.recover()
    with scoped(world.alice):
        assert Turn.objects.get(id=running.turn).state == State.INTERRUPTED, "its process has died"


@pytest.mark.parametrize("off", [-DAY, DAY])
def test_its_frames_keep_their_order(world: World, off: timedelta) -> None:
    running = begun(world.alice, off)
    running.pieces = ["Twenty."]
    assert turn.close(running, State.ANSWERED)
    sent = replay.after(world.alice, running.conversation, 0)
    assert [(frame["seq"], frame["type"]) for frame in sent] == [(1, "accepted"), (2, "delta"), (3, "done")]
