"""Door: a question that waits for its answer, for programs that hold no socket; the same turn as any other."""

import asyncio
import time
import uuid

from asgiref.sync import async_to_sync

from assistant.conversation import turn
from assistant.conversation.frames import Ask
from assistant.conversation.models import State, Turn
from assistant.conversation.units import db
from memory import policy
from profiles.access import Reader, scoped

LOOK_SECONDS = 0.1


def ask(reader: Reader, conversation: uuid.UUID, asked: Ask) -> Turn:
    """The turn as it ended, or as it stands when no turn can last any longer; raises `Refusal`."""
    return async_to_sync(_ask)(reader, conversation, asked)


async def _ask(reader: Reader, conversation: uuid.UUID, asked: Ask) -> Turn:
    running = await turn.start(reader, conversation, asked)
    deadline = time.monotonic() + policy.TURN_SECONDS + policy.SILENT_SECONDS
    while True:
        row = await db(_row, reader, running.turn)
        if row.state != State.RUNNING or time.monotonic() > deadline:
            return row
        await asyncio.sleep(LOOK_SECONDS)


def _row(reader: Reader, asked: uuid.UUID) -> Turn:
    with scoped(reader):
        return Turn.objects.get(id=asked)
