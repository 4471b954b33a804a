"""Door: questions that several members have asked, proposed to be answered once for all, and decided by staff.

Who asked is known to nobody here: the database gives words that at least three members have asked, and numbers.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.db import connection
from django.utils import timezone

from memory import audit, knowledge, paging, policy, repeated
from memory.extraction import guard, worth
from memory.models import Proposal
from memory.retrieval.about import asks_of_self
from memory.retrieval.score import Hit, Row
from profiles.access import Reader, scoped, worker_in


@dataclass(frozen=True, slots=True)
class Question:
    """One past question beside another: whose, as a number, its words, and how near they lie."""

    seed: uuid.UUID
    turn: uuid.UUID
    member: int
    text: str
    terms: Sequence[str]
    cosine: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal: since when, how many members asked, and in which words."""

    id: uuid.UUID
    since: datetime
    members: int
    wordings: Sequence[str]


def find(community: uuid.UUID) -> int:
    """Propose what is asked again and again in a community; returns how many are new."""
    since = timezone.now() - timedelta(days=policy.RECURRING_DAYS)
    count = 0
    taken: set[uuid.UUID] = set()
    with scoped(worker_in(community)), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM kith_alike(%s, %s, %s)",
                       [since, policy.RECURRING_NEAR, policy.RECURRING_MOST])  # fmt: skip
        rows = [Question(*row) for row in cursor.fetchall()]
        for turns in _same(rows):
            if taken.isdisjoint(turns):
                cursor.execute("SELECT kith_propose(%s)", [turns])
                count += cursor.fetchone()[0] is not None
                taken.update(turns)
    return count


def page(number: int) -> tuple[list[Waiting], int, paging.Leaf]:
    """A page of those that wait, the oldest first, and how many in all; in a unit of work of staff."""
    rows = _read(number * policy.REVIEW_PAGE)
    count = rows[0][-1] if rows else 0
    shown, leaf = paging.leaf(number, rows, count)
    return [Waiting(*row[:-1]) for row in shown], count, leaf


def waiting() -> int:
    """How many wait."""
    rows = _read(1)
    return int(rows[0][-1]) if rows else 0


def _read(most: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM kith_proposals(%s)", [most])
        return list(cursor.fetchall())


def answer(reader: Reader, proposal: uuid.UUID, title: str, text: str) -> bool:
    """The answer becomes shared knowledge, verified; False: it was decided meanwhile."""
    if not _decided(reader, proposal):
        return False
    knowledge.write(reader, title, text)
    audit.write(reader, "approved", proposal, None, what="proposal")
    return True


def dismiss(reader: Reader, proposal: uuid.UUID) -> bool:
    """It is not worth an answer for all; it comes back only when three others ask. False: it was decided meanwhile."""
    if not _decided(reader, proposal):
        return False
    audit.write(reader, "rejected", proposal, None, what="proposal")
    return True


def _decided(reader: Reader, proposal: uuid.UUID) -> bool:
    open_one = Proposal.objects.filter(id=proposal, community_id=reader.community, decided_at=None)
    return bool(open_one.update(decided_at=timezone.now()))


def _same(rows: Iterable[Question]) -> list[list[uuid.UUID]]:
    """The turns of each group that asks the same, as “asked before” has it, by enough members; the largest first."""
    groups = []
    for seed, found in groupby(rows, key=lambda row: row.seed):
        beside = list(found)
        first = next((row for row in beside if row.turn == seed), None)
        if first is None or not _for_all(first.text):
            continue
        same = _as_asked_before(first, [row for row in beside if row.turn != seed])
        kept = [first, *(row for row in beside if row.turn in same and _for_all(row.text))]
        if len({row.member for row in kept}) >= policy.RECURRING_MEMBERS:
            groups.append([row.turn for row in kept])
    return sorted(groups, key=len, reverse=True)


def _as_asked_before(first: Question, others: Sequence[Question]) -> Collection[uuid.UUID]:
    rows = [Row(Hit("episode", row.turn, row.text, 0, {}, row.at), row.terms, 0.0) for row in others]
    return repeated.alike(first.text, {row.turn: row.cosine for row in others}, rows)


def _for_all(text: str) -> bool:
    """Whether it asks something, not about the speaker, and holds nothing that is nobody else's business."""
    private = asks_of_self(text) or guard.is_sensitive(text) or guard.redact(text) != text
    return worth.asks(text) and not private
