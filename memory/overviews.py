"""Door: short-term memory, one overview for each conversation, by which a later one knows what was going on."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import connection

from memory import policy
from memory.mask import masker
from memory.models import Overview
from memory.terms import Kind, Scope
from profiles.access import Reader

_RECENT = """
SELECT at, topics, last FROM memory_overview
WHERE owner_id = %s AND community_id = %s AND at > %s AND conversation <> %s ORDER BY at DESC LIMIT %s
"""


def note(reader: Reader, conversation: uuid.UUID, question: str, topics: Sequence[str], at: datetime) -> None:
    """One more round of the conversation; the newest topics come first."""
    row, _ = Overview.objects.select_for_update().get_or_create(
        conversation=conversation,
        defaults={"owner_id": reader.member, "community_id": reader.community, "last": "", "started_at": at, "at": at},
    )
    row.topics = list(dict.fromkeys([*(topic[:80] for topic in topics), *row.topics]))[: policy.OVERVIEW_TOPICS]
    row.last = question[: policy.OVERVIEW_CHARACTERS]
    row.rounds += 1
    row.at = max(row.at, at)
    row.save()


def recent(reader: Reader, *, but: uuid.UUID, now: datetime) -> list[str]:
    """One line for each of the last conversations but this one, newest first; what was forgotten is blacked out."""
    if not reader.may_read(Scope.PERSONAL, Kind.EPISODIC):
        return []
    since = now - timedelta(days=policy.OVERVIEW_DAYS)
    with connection.cursor() as cursor:
        cursor.execute(_RECENT, [reader.member, reader.community, since, but, policy.OVERVIEWS])
        found = cursor.fetchall()
    masked, zone = masker(reader) if found else str, ZoneInfo(reader.time_zone)
    days = [(f"{at.astimezone(zone):%Y-%m-%d}", ", ".join(topics), last) for at, topics, last in found]
    return [masked(f"{day}: {topics}; last asked: {last}") for day, topics, last in days]


def drop(conversations: Sequence[uuid.UUID], *, owner: uuid.UUID) -> None:
    """Those in which something forgotten was said; they begin anew with their next round."""
    Overview.objects.filter(owner_id=owner, conversation__in=conversations).delete()
