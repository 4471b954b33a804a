"""Every background door: find the rows that wait, enter their owner's unit of work, call the verb."""

import time
import uuid
from collections.abc import Iterator

from asgiref.sync import async_to_sync
from django.db import connection

from assistant.celery import app
from assistant.conversation import hub, remembering, turn
from assistant.conversation.models import Turn
from memory import policy
from profiles.access import Reader, reader_for, scoped

BATCH_SECONDS = 20
"""No new batch is begun after so long: with the longest one it stays below the worker's time limit."""


@app.task  # type: ignore[untyped-decorator]
def remember() -> int:
    """The background path of ended turns. Returns how many were read to their end; rows are the queue."""
    deadline = time.monotonic() + BATCH_SECONDS
    count = 0
    jobs: list[remembering.Job] = []
    for reader, waiting in _waiting("kith_turns_to_remember", 50):
        job = remembering.begin(reader, waiting)
        if job is None:
            count += 1
            continue
        jobs.append(job)
        if len(jobs) == policy.EXTRACT_AT_ONCE:
            count += _read(jobs)
            jobs = []
            if time.monotonic() > deadline:
                break
    return count + _read(jobs)


@app.task  # type: ignore[untyped-decorator]
def recover() -> int:
    """End turns whose process has died. Returns how many."""
    count = 0
    for reader, silent in _waiting("kith_silent_turns", policy.SILENT_SECONDS):
        turn.recover(reader, silent)
        with scoped(reader):
            conversation = Turn.objects.values_list("conversation_id", flat=True).get(id=silent)
        async_to_sync(hub.publish)(conversation)
        count += 1
    return count


def _read(jobs: list[remembering.Job]) -> int:
    """In the order in which the turns were asked, so that the later word wins."""
    found = async_to_sync(remembering.read)(jobs) if jobs else []
    return sum(remembering.finish(job, one) for job, one in zip(jobs, found, strict=True))


def _waiting(queue: str, argument: int) -> Iterator[tuple[Reader, uuid.UUID]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT turn, person, community FROM {queue}(%s)", [argument])  # noqa: S608 - our own names
        rows = cursor.fetchall()
    for turn_id, person, community in rows:
        reader = reader_for(person, community)
        if reader is not None:
            yield reader, turn_id
