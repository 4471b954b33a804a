"""Door: a question that waits for its answer, for programs that hold no socket; the same turn as any other."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Any

from asgiref.sync import async_to_sync

from assistant.conversation import hub, replay, turn
from assistant.conversation.frames import Ask, Asked
from assistant.conversation.models import Frame, State, Turn
from assistant.conversation.running import Running
from assistant.conversation.units import db
from memory import policy
from profiles.access import Reader, scoped

LOOK_SECONDS = 0.1
ALIVE_SECONDS = 15.0
"""After so long a silence a stream of events says that it is still there."""


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


def begin(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Running:
    """Ask and don't wait; the answer is written in the server's own loop. Raises `Refusal`."""
    return async_to_sync(turn.start)(reader, conversation, asked)


class _Ear:
    """Hears that there is something new, and no more: what, stands in the database."""

    def __init__(self) -> None:
        self.new = asyncio.Event()

    async def push(self, member: uuid.UUID, frames: Sequence[dict[str, Any]]) -> None:
        self.new.set()

    async def catch_up(self) -> None:
        self.new.set()


async def events(reader: Reader, running: Running) -> AsyncIterator[bytes]:
    """The frames of a turn as server-sent events, from its acceptance to its end, or until the turn itself is gone;
    where a person is to answer, its acceptance alone."""
    ear, sent, done = _Ear(), await db(_before, reader, running.turn), False
    hub.follow(running.conversation, ear)
    try:
        while not done:
            ear.new.clear()
            for frame in await db(replay.after, reader, running.conversation, sent):
                sent = frame["seq"]
                if frame["turn"] == str(running.turn):
                    done = frame["type"] == "done"
                    yield f"id: {sent}\ndata: {json.dumps(frame, ensure_ascii=False)}\n\n".encode()
                if done:
                    return
            if running.waits:
                return
            try:
                async with asyncio.timeout(ALIVE_SECONDS):
                    await ear.new.wait()
            except TimeoutError:
                if not await db(_there, reader, running.turn):
                    return
                yield b": still there\n\n"
    finally:
        hub.leave(running.conversation, ear)


def _before(reader: Reader, asked: uuid.UUID) -> int:
    """The `seq` of the frame before the turn's first."""
    with scoped(reader):
        return Frame.objects.filter(turn_id=asked).order_by("seq").values_list("seq", flat=True)[0] - 1


def _there(reader: Reader, asked: uuid.UUID) -> bool:
    """Not once its conversation is deleted, or the member may not see it any more."""
    with scoped(reader):
        return Turn.objects.filter(id=asked).exists()


def _row(reader: Reader, asked: uuid.UUID) -> Turn:
    with scoped(reader):
        return Turn.objects.get(id=asked)
