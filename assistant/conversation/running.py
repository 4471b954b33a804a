"""A turn that is being answered: its value, its unit of work, and the frames that it writes."""

import asyncio
import json
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.db import connection
from django.utils import timezone

from assistant.conversation.models import State, Turn
from assistant.conversation.regions import Context
from assistant.llm import chat
from memory.recall import Found
from memory.remember import Noticed
from profiles.access import Reader

P = ParamSpec("P")
T = TypeVar("T")
_APPEND = """
WITH next AS (
    UPDATE conversation_conversation SET seq = seq + 1, updated_at = clock_timestamp() WHERE id = %(talk)s RETURNING seq
)
INSERT INTO conversation_frame (conversation_id, owner_id, community_id, turn_id, seq, body)
SELECT %(talk)s, %(owner)s, %(community)s, %(turn)s, seq, %(body)s::jsonb FROM next RETURNING seq
"""
THREADS = 8
"""Units of work at the same time in one process; far fewer than turns, as none of them waits for a model."""
STALE_SECONDS = 1.0
"""A thread's connection that rested for longer is asked whether it still lives."""
_threads = ThreadPoolExecutor(THREADS, "unit")
_used = threading.local()


@dataclass(slots=True)
class Running:
    """A turn that is being answered here."""

    reader: Reader
    conversation: uuid.UUID
    turn: uuid.UUID
    client_id: uuid.UUID
    runner: uuid.UUID
    question: str
    memory: bool
    created: bool = True
    parent: uuid.UUID | None = None
    noticed: Noticed = field(default_factory=Noticed)
    context: Context | None = None
    found: Found = field(default_factory=Found)
    name: str = ""
    known: tuple[str, ...] = ()
    pieces: list[str] = field(default_factory=list)
    usage: chat.Usage = field(default_factory=chat.Usage)
    fresh: list[dict[str, Any]] = field(default_factory=list)
    """Frames of the last unit of work, for the sockets that follow here."""

    def take(self) -> list[dict[str, Any]]:
        """The fresh frames; none where one of them can't be sent as it is (texts of memories are joined)."""
        found, self.fresh = self.fresh, []
        return [] if any(frame.get("memories") or frame.get("asked_before") for frame in found) else found


async def db(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a unit of work on the database in one of the few threads that hold a connection."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(_unit, partial(work, *args, **kwargs)))


def _unit(work: Callable[[], T]) -> T:
    if connection.connection is not None and time.monotonic() - getattr(_used, "at", 0.0) > STALE_SECONDS:
        connection.close_if_unusable_or_obsolete()
        if not connection.is_usable():
            connection.close()
    try:
        return work()
    except Exception:
        connection.close()
        raise
    finally:
        _used.at = time.monotonic()


def append(running: Running, **body: Any) -> None:
    """One frame with the conversation's next `seq`; the row lock on the conversation keeps it gapless."""
    frame = {"turn": str(running.turn), **body}
    values: dict[str, str | uuid.UUID] = {
        "talk": running.conversation, "owner": running.reader.member, "community": running.reader.community,
        "turn": running.turn, "body": json.dumps(frame),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, values)
        row = cursor.fetchone()
    if row is not None:
        running.fresh.append(frame | {"seq": row[0]})


def still_ours(running: Running) -> bool:
    """A sign of life; False where the turn was ended elsewhere."""
    ours = Turn.objects.filter(id=running.turn, runner=running.runner, state=State.RUNNING)
    return bool(ours.update(alive_at=timezone.now()))
