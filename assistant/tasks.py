"""Every background door: find the rows that wait, enter their owner's unit of work, call the verb."""

import uuid
from collections.abc import Iterator

from asgiref.sync import async_to_sync
from django.db import connection
from django.utils import timezone

from assistant.celery import app
from assistant.conversation import hub, turn
from assistant.conversation.models import State, Turn
from memory import policy
from memory.extraction import worth
from profiles import learn
from profiles.access import Reader, reader_for, scoped


@app.task  # type: ignore[untyped-decorator]
def remember() -> int:
    """The background path of ended turns: topics, interests, expertise. Returns how many turns were read."""
    return sum(_remember(reader, waiting) for reader, waiting in _waiting("kith_turns_to_remember", 50))


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


def _remember(reader: Reader, waiting: uuid.UUID) -> int:
    with scoped(reader):
        row = Turn.objects.select_for_update(skip_locked=True).filter(id=waiting, remembered_at=None).first()
        if row is None:
            return 0
        if reader.memory_on is not False and row.state == State.ANSWERED:
            profile = learn.profile_of(reader)
            topics = [] if worth.worth_remembering(row.question) else list(worth.topics(row.question))
            fields = {"last_topics": topics} if topics else {}
            level = worth.expertise(row.question)
            learn.learn(reader, profile, row.id, **fields, **({"expertise": level} if level else {}))
            profile.save()
        row.remembered_at = timezone.now()
        row.save(update_fields=["remembered_at"])
    return 1


def _waiting(queue: str, argument: int) -> Iterator[tuple[Reader, uuid.UUID]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT turn, person, community FROM {queue}(%s)", [argument])  # noqa: S608 - our own names
        rows = cursor.fetchall()
    for turn_id, person, community in rows:
        reader = reader_for(person, community)
        if reader is not None:
            yield reader, turn_id
