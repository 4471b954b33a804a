"""The pieces of all answers being written here, many in one transaction; each one under its own reader's wall."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, connection
from psycopg import ClientCursor

from assistant.conversation.models import State
from assistant.conversation.running import Running
from assistant.conversation.units import ending
from profiles.access import entering

_WRITE = """
WITH talk AS (
    SELECT id FROM conversation_conversation WHERE id = %s FOR UPDATE
), ours AS (
    UPDATE conversation_turn SET alive_at = clock_timestamp() FROM talk
    WHERE conversation_turn.id = %s AND runner = %s AND state = %s AND conversation_id = talk.id
    RETURNING conversation_id
), next AS (
    UPDATE conversation_conversation SET seq = seq + 1, updated_at = clock_timestamp()
    WHERE id IN (SELECT conversation_id FROM ours) RETURNING id, seq
)
INSERT INTO conversation_frame (conversation_id, owner_id, community_id, turn_id, seq, body)
SELECT id, %s, %s, %s, seq, %s::jsonb FROM next RETURNING seq
"""


@dataclass(slots=True)
class _Piece:
    running: Running
    body: dict[str, Any]
    written: asyncio.Future[int]


class _Queue:
    """What waits in one event loop, and the task that writes it."""

    def __init__(self) -> None:
        self.pieces: list[_Piece] = []
        self.writing: asyncio.Task[None] | None = None


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


async def write(running: Running, number: int, text: str) -> dict[str, Any] | None:
    """One more piece as a frame with the conversation's next `seq`; None where the turn was ended elsewhere.

    Pieces of other turns that wait meanwhile go along: one way to the database and one commit for all of them.
    """
    loop = asyncio.get_running_loop()
    queue = _queues.setdefault(loop, _Queue())
    body = {"turn": str(running.turn), "type": "delta", "n": number, "text": text}
    piece = _Piece(running, body, loop.create_future())
    queue.pieces.append(piece)
    if queue.writing is None or queue.writing.done():
        queue.writing = asyncio.create_task(_drain(queue))
    seq = await piece.written
    return body | {"seq": seq} if seq else None


async def _drain(queue: _Queue) -> None:
    while queue.pieces:
        batch, queue.pieces = queue.pieces, []
        try:
            found: list[int | Exception] = list(await ending(_write, batch))
        except DatabaseError:  # none of it was written: each by itself, so that one's trouble stays its own
            found = [await _alone(piece) for piece in batch]
        except Exception as problem:
            found = [problem] * len(batch)
        for piece, seq in zip(batch, found, strict=True):
            if piece.written.done():  # stopped while it was written
                continue
            if isinstance(seq, Exception):
                piece.written.set_exception(seq)
            else:
                piece.written.set_result(seq)


async def _alone(piece: _Piece) -> int | Exception:
    try:
        return (await ending(_write, [piece]))[0]
    except Exception as problem:
        return problem


def _write(batch: list[_Piece]) -> list[int]:
    """All of it in one message to the server, which is one transaction; the context changes before each piece."""
    statements: list[str] = []
    values: list[Any] = []
    for piece in batch:
        running = piece.running
        enter, context = entering(running.reader)
        statements += [enter, _WRITE]
        values += [
            *context, running.conversation, running.turn, running.runner, str(State.RUNNING), running.reader.member,
            running.reader.community, running.turn, json.dumps(piece.body),
        ]  # fmt: skip
    connection.ensure_connection()
    # several statements at once can't be bound by the server
    with connection.wrap_database_errors, ClientCursor(connection.connection) as cursor:
        cursor.execute(";".join(statements), values)
        found = []
        for _ in batch:
            cursor.nextset()
            row = cursor.fetchone()
            found.append(int(row[0]) if row else 0)
            cursor.nextset()
        return found
