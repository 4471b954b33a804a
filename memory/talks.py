"""Door: the reader's own past exchanges, by their words and by their dates."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memory.mask import masker
from memory.models import Episode
from memory.retrieval.text import coverage, query_terms
from memory.terms import Kind, Scope
from profiles.access import Reader

MOST = 500
"""Past exchanges that are looked at, the newest of the time that is asked for."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One past exchange, without what was forgotten."""

    turn: uuid.UUID
    at: datetime
    question: str
    answer: str


def search(
    reader: Reader, words: str, *, since: datetime | None = None, until: datetime | None = None, most: int
) -> list[Talk]:  # fmt: skip
    """Those that hold the words, best first, the newer of equals; without words those of that time, oldest first."""
    if not reader.may_read(Scope.PERSONAL, Kind.EPISODIC):
        return []
    rows = Episode.objects.filter(owner_id=reader.member, community_id=reader.community, masked=False)
    rows = rows.filter(at__gte=since) if since else rows
    rows = rows.filter(at__lt=until) if until else rows
    wanted = query_terms(words)
    if words.strip() and not wanted:
        return []
    found = list((rows.filter(terms__overlap=wanted) if wanted else rows).order_by("-at")[:MOST])
    masked = masker(reader)
    if not wanted:
        return [_talk(row, masked) for row in found[:most][::-1]]
    found.sort(key=lambda row: -coverage(wanted, row.terms))
    return [_talk(row, masked) for row in found[:most]]


def _talk(row: Episode, masked: Callable[[str], str]) -> Talk:
    return Talk(row.turn, row.at, masked(row.question), masked(row.answer))
