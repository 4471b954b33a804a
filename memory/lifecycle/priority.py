"""What is of use: the weakest of what a machine wrote, what rises or falls, what says the same twice. Pure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from memory import policy
from memory.lifecycle.archive import Row
from memory.terms import MADE, Origin, Status

NOTHING: Mapping[uuid.UUID, float] = {}


@dataclass(frozen=True, slots=True)
class Used:
    """One live memory and its use: conversations that it was recalled in since its importance last changed (`since`,
    None: never), whether a person has set it by hand, and its sentence in one form."""

    row: Row
    sessions: int = 0
    since: datetime | None = None
    by_hand: bool = False
    plain: str = ""


def weakest(rows: Sequence[Row], now: datetime, helps: Mapping[uuid.UUID, float] = NOTHING) -> frozenset[uuid.UUID]:
    """The fifth of what a machine wrote that promises the least help; `helps`: what a model says of some, 0..1."""
    made = frailest(rows, now, helps)
    return frozenset(row.id for row in made[: int(len(made) * policy.WEAK_SHARE)])


def frailest(rows: Sequence[Row], now: datetime, helps: Mapping[uuid.UUID, float] = NOTHING) -> list[Row]:
    """What a machine wrote, the least useful first. A model's estimate sways that of rules, it does not replace it."""
    made = [row for row in rows if row.status == Status.ACTIVE and row.origin in MADE and not row.safe]
    sway = {key: 1 - policy.ESTIMATE_SWAY + 2 * policy.ESTIMATE_SWAY * help for key, help in helps.items()}
    return sorted(made, key=lambda row: (usefulness(row, now) * sway.get(row.id, 1), row.created, row.id))


def usefulness(row: Row, now: datetime) -> float:
    """An estimate, 0 and more, of the help that it will be: how strong it still is, how sure, how often said."""
    return row.strength(now) * row.confidence * (1 + policy.STRENGTH_PER_RECALL * min(row.evidence - 1, 10))


def shifts(used: Sequence[Used], now: datetime) -> dict[uuid.UUID, tuple[float, str]]:
    """New importance and why, of those that rise or fall; never of what is pinned, important, or set by a person.

    An event that is not recalled goes cold long before it would fall.
    """
    found: dict[uuid.UUID, tuple[float, str]] = {}
    for one in used:
        row = one.row
        if row.safe or one.by_hand:
            continue
        rested = (now - max(row.created, row.recalled or row.created, one.since or row.created)).days
        if one.sessions >= policy.PROMOTE_SESSIONS and row.importance < policy.PROMOTE_MOST:
            higher = min(policy.PROMOTE_MOST, row.importance + policy.PRIORITY_STEP)
            found[row.id] = (round(higher, 4), "promoted")
        elif not row.event and rested >= policy.DEMOTE_DAYS and row.importance > policy.DEMOTE_LEAST:
            lower = max(policy.DEMOTE_LEAST, row.importance - policy.PRIORITY_STEP)
            found[row.id] = (round(lower, 4), "demoted")
    return found


def twice(used: Sequence[Used]) -> Mapping[uuid.UUID, uuid.UUID]:
    """What a machine wrote and another memory says too → that other one: the stronger origin, the more evidence."""
    found: dict[uuid.UUID, uuid.UUID] = {}
    ranks = list(Origin)
    said = sorted((one for one in used if one.plain), key=lambda one: (one.plain, not one.row.pinned,
                  ranks.index(one.row.origin), -one.row.evidence, one.row.created, one.row.id))  # fmt: skip
    for _, group in groupby(said, key=lambda one: one.plain):
        kept, *others = group
        found |= {one.row.id: kept.row.id for one in others if one.row.origin in MADE and not one.row.pinned}
    return found
