"""Door: what waits for a decision in a community, oldest first; staff alone see it, of every member at once."""

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from memory import policy
from memory.models import Memory
from memory.paging import Place
from memory.terms import Status
from profiles.models import Membership


@dataclass(frozen=True, slots=True)
class Waiting:
    """One memory under review, or one that has aged: whose, since when, why, and what it says."""

    id: uuid.UUID
    owner: uuid.UUID | None
    since: datetime
    text: str
    kind: str
    category: str
    origin: str
    scope: str
    confidence: float
    version: int
    why: str
    actor: str
    name: str = ""

    @property
    def place(self) -> Place:
        return self.since, self.id


_READ = "SELECT * FROM kith_review(%s, %s, %s, %s, %s)"


def page(after: Place | None = None, *, most: int = policy.REVIEW_PAGE) -> tuple[list[Waiting], int]:
    """Those after a place, and how many wait in all."""
    rows = _read(most, after)
    return _named([Waiting(*row[:-1]) for row in rows]), rows[0][-1] if rows else count()


def one(memory: uuid.UUID) -> Waiting | None:
    """The one, if it waits still."""
    rows = _read(1, None, memory)
    return _named([Waiting(*rows[0][:-1])])[0] if rows else None


def count() -> int:
    """How many wait."""
    rows = _read(1, None)
    return int(rows[0][-1]) if rows else 0


def late(oldest: list[Waiting], waiting: int) -> bool:
    """Whether staff are to be reminded: the oldest has waited for too long, or there are too many."""
    since = timezone.now() - timedelta(days=policy.QUEUE_DAYS)
    return waiting > policy.QUEUE_LONG or any(one.since < since for one in oldest)


def neighbours(memory: Memory) -> list[Memory]:
    """What else its holder's slot says or has said, newest first; in a unit of work that may see it."""
    rows = Memory.objects.filter(owner_id=memory.owner_id, community_id=memory.community_id)
    slot = Q(slot=memory.slot)
    if memory.attribute != "note":
        slot |= Q(subject=memory.subject, attribute=memory.attribute)
    rows = rows.filter(slot, shelved=False).exclude(id=memory.id).exclude(status=Status.FORGOTTEN)
    return list(rows.order_by("-created_at")[: policy.NEIGHBOURS])


def _read(most: int, after: Place | None, only: uuid.UUID | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_READ, [most, *(after or (None, None)), only, policy.AGED_DAYS])
        return list(cursor.fetchall())


def _named(waiting: list[Waiting]) -> list[Waiting]:
    """With what their members are called."""
    rows = Membership.objects.filter(id__in={one.owner for one in waiting}).select_related("user")
    called = {row.id: row.user.called for row in rows}
    return [replace(one, name=called.get(one.owner, "")) if one.owner else one for one in waiting]
