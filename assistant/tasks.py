"""Every background door: find the rows that wait, enter their owner's unit of work, call the verb."""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress

from asgiref.sync import async_to_sync
from django.db import connection
from django.utils import timezone

from assistant import heads, housekeeping, vectorising
from assistant.celery import app
from assistant.conversation import hub, remembering, summaries, turn
from assistant.conversation.models import Turn
from assistant.erasing import order, requests
from assistant.exporting import asking as exports
from assistant.llm import embedding
from memory import bringing, knowledge, policy, recurring, vectors
from profiles.access import Frozen, Reader, operator_in, reader_for, scoped
from profiles.models import Community

log = logging.getLogger(__name__)

BATCH_SECONDS = 20
"""No new batch is begun after so long: with the longest one it stays below the worker's time limit."""
EMBED_SECONDS = 5
"""The same for vectors, of which any number can wait."""
KEEP_AT_ONCE = 200
"""Members whose memories are put in order in one go."""


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
def fold() -> int:
    """Summaries of what long conversations said first. Returns how many were kept."""
    deadline, count = time.monotonic() + BATCH_SECONDS, 0
    for reader, conversation in _waiting("kith_conversations_to_fold", 50):
        job = summaries.begin(reader, conversation)
        if job is not None:
            count += summaries.finish(job, async_to_sync(summaries.tell)(job))
        if time.monotonic() > deadline:
            break
    return count


@app.task  # type: ignore[untyped-decorator]
def recover() -> int:
    """End turns whose process has died. Returns how many."""
    count = 0
    for reader, silent in _waiting("kith_silent_turns", policy.SILENT_SECONDS):
        turn.recover(reader, silent)
        with scoped(reader):
            conversation = Turn.objects.values_list("conversation_id", flat=True).get(id=silent)
        async_to_sync(hub.tell)(conversation)
        count += 1
    return count


@app.task  # type: ignore[untyped-decorator]
def embed() -> int:
    """Make vectors that are missing, of whatever the current embedder is. Returns how many; 0: no more can be made now.

    A large import misses thousands, which take minutes: what else waits comes in between.
    """
    deadline, count = time.monotonic() + EMBED_SECONDS, 0
    try:
        for made in vectorising.make(vectorising.maker()):
            count += made
            if time.monotonic() > deadline:
                break
    except (embedding.Unavailable, vectors.WrongSize) as problem:
        log.warning("no more vectors were made: %s", problem)
    return count


@app.task  # type: ignore[untyped-decorator]
def upkeep() -> int:
    """Keep house for members whose night it is; what does not fit into one batch goes behind what else waits.

    Returns for how many it was done. One with whom it fails is left for the next night.
    """
    deadline = time.monotonic() + BATCH_SECONDS
    count, more = 0, False
    for reader in housekeeping.members(KEEP_AT_ONCE):
        more = True
        try:
            housekeeping.keep(reader, timezone.now())
            count += 1
        except Exception:
            log.exception("keeping house failed for member %s", reader.member)
            with suppress(Frozen):  # being erased: nothing of theirs is to be kept in order any more
                housekeeping.kept(reader)
        if time.monotonic() > deadline:
            break
    if more:
        upkeep.apply_async(expires=3600)
    return count


@app.task(time_limit=3600)  # type: ignore[untyped-decorator]
def recur() -> int:
    """What is asked again and again, in each community. Returns how many proposals are new."""
    return sum(recurring.find(community) for community in Community.objects.values_list("id", flat=True))


@app.task(time_limit=policy.IMPORT_STEP_SECONDS)  # type: ignore[untyped-decorator]
def bring() -> int:
    """Imports of knowledge and their undoing, step by step. Returns how many steps were done."""
    deadline, count = time.monotonic() + policy.IMPORT_SECONDS, 0
    while bringing.work():
        count += 1
        if time.monotonic() > deadline:
            break
    return count


@app.task  # type: ignore[untyped-decorator]
def let_go() -> int:
    """Knowledge that was removed and can't be brought back any more, in each community. Returns how many passages."""
    count = 0
    for community, slug in Community.objects.values_list("id", "slug"):
        with scoped(operator_in(community, slug)):
            count += knowledge.let_go(timezone.now())
            bringing.let_go(timezone.now())
    return count


@app.task(time_limit=3600)  # type: ignore[untyped-decorator]
def erase() -> int:
    """Erasures that are due, or were cut off. Returns how many came to their end."""
    count = 0
    for request in requests.due():
        try:
            order.run(request)
            count += 1
        except Exception:
            log.exception("erasure %s was cut off; it goes on with the next run", request)
    return count


@app.task(time_limit=policy.EXPORT_SECONDS)  # type: ignore[untyped-decorator]
def export() -> int:
    """Exports that wait, and the end of those that have expired. Returns how many were made."""
    return exports.work()


@app.task  # type: ignore[untyped-decorator]
def note_heads() -> int:
    """Where the audit chains end now, outside the database. Returns how many have grown."""
    return heads.note()


def _read(jobs: list[remembering.Job]) -> int:
    """In the order in which the turns were asked, so that the later word wins."""
    found = async_to_sync(remembering.read)(jobs) if jobs else []
    return sum(remembering.finish(job, one) for job, one in zip(jobs, found, strict=True))


def _waiting(queue: str, argument: int) -> Iterator[tuple[Reader, uuid.UUID]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {queue}(%s)", [argument])  # noqa: S608 - our own names
        rows = cursor.fetchall()
    for target, person, community in rows:
        reader = reader_for(person, community)
        if reader is not None:
            yield reader, target
