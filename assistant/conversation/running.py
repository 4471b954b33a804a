"""A turn that is being answered: its value, its unit of work, and the frames that it writes."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
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
SELECT %(talk)s, %(owner)s, %(community)s, %(turn)s, seq, %(body)s::jsonb FROM next
"""


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
    again: bool = False
    parent: uuid.UUID | None = None
    noticed: Noticed = field(default_factory=Noticed)
    context: Context | None = None
    found: Found = field(default_factory=Found)
    name: str = ""
    known: tuple[str, ...] = ()
    pieces: list[str] = field(default_factory=list)
    usage: chat.Usage = field(default_factory=chat.Usage)


async def db(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a unit of work on the database in this turn's own thread; its connection goes back to the pool."""

    def unit() -> T:
        try:
            return work(*args, **kwargs)
        finally:
            connection.close()

    return await sync_to_async(unit)()


def append(running: Running, **body: Any) -> None:
    """One frame with the conversation's next `seq`; the row lock on the conversation keeps it gapless."""
    values: dict[str, str | uuid.UUID] = {
        "talk": running.conversation, "owner": running.reader.member, "community": running.reader.community,
        "turn": running.turn, "body": json.dumps({"turn": str(running.turn), **body}),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, values)


def still_ours(running: Running) -> bool:
    """A sign of life; False where the turn was ended elsewhere."""
    ours = Turn.objects.filter(id=running.turn, runner=running.runner, state=State.RUNNING)
    return bool(ours.update(alive_at=timezone.now()))
