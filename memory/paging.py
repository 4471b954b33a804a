"""Where a list goes on: the moment and the id of the last line that was shown, as an address carries them."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import Q, QuerySet

from memory import policy
from memory.models import Memory

LAST = 1000
"""Nobody reads further."""
Line = TypeVar("Line")
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


def ids(texts: Iterable[str]) -> set[uuid.UUID]:
    """Those that are ids, of what an address or a form names."""
    found = set()
    for text in texts:
        try:
            found.add(uuid.UUID(text))
        except ValueError:
            continue
    return found


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page of a queue whose oldest stand first, by number; `here` is what its addresses end with."""

    number: int
    last: int

    @property
    def here(self) -> str:
        return f"?page={self.number}" if self.number > 1 else ""

    @property
    def before(self) -> int:
        """The page before; 0: this is the first."""
        return self.number - 1

    @property
    def after(self) -> int:
        """The next page; 0: this is the last."""
        return self.number + 1 if self.number < self.last else 0


def number(text: str) -> int:
    """Which page an address asks for."""
    return min(max(int(text), 1), LAST) if text.isascii() and text.isdigit() else 1


def leaf(wanted: int, lines: Sequence[Line], count: int) -> tuple[Sequence[Line], Leaf]:
    """Of the first `wanted` pages of `count` lines the last one that has any."""
    last = max(1, -(-count // policy.REVIEW_PAGE))
    shown = Leaf(min(wanted, last), last)
    return lines[shown.before * policy.REVIEW_PAGE : shown.number * policy.REVIEW_PAGE], shown


def newest(rows: QuerySet[Memory], before: Place | None) -> QuerySet[Memory]:
    """A page of memories, the newest first, from a place on."""
    if before:
        rows = rows.filter(Q(created_at__lt=before[0]) | Q(created_at=before[0], id__lt=before[1]))
    return rows.order_by("-created_at", "-id")[: policy.FIND_PAGE]


def more(shown: list[Memory]) -> str:
    """The place that the next page begins at; empty where this was the last."""
    return key(shown[-1].created_at, shown[-1].id) if len(shown) == policy.FIND_PAGE else ""
