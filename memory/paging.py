"""Where a list goes on: the moment and the id of the last line that was shown, as an address carries them."""

import uuid
from datetime import datetime

from django.db.models import Q, QuerySet

from memory import policy
from memory.models import Memory

Place = tuple[datetime, uuid.UUID]


def key(at: datetime, thing: uuid.UUID) -> str:
    """A place as text."""
    return f"{at.isoformat()}~{thing}"


def place(text: str) -> Place | None:
    """And back; None for what is no place."""
    at, _sep, thing = text.partition("~")
    try:
        return datetime.fromisoformat(at), uuid.UUID(thing)
    except ValueError:
        return None


def newest(rows: QuerySet[Memory], before: Place | None) -> QuerySet[Memory]:
    """A page of memories, the newest first, from a place on."""
    if before:
        rows = rows.filter(Q(created_at__lt=before[0]) | Q(created_at=before[0], id__lt=before[1]))
    return rows.order_by("-created_at", "-id")[: policy.FIND_PAGE]


def more(shown: list[Memory]) -> str:
    """The place that the next page begins at; empty where this was the last."""
    return key(shown[-1].created_at, shown[-1].id) if len(shown) == policy.FIND_PAGE else ""
