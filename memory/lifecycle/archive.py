"""Which memories of one member are in conflict, have lapsed, have gone cold, are too many, or go for good. Pure.

Steps are values, and what they do to a row is done to a copy, so that a plan needs no database and changes none.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby

from memory import policy
from memory.lifecycle.strength import strength
from memory.terms import Category, Kind, Origin, Status


@dataclass(frozen=True, slots=True)
class Row:
    """What must be known of a memory to keep house; none of its words but `single` and `value`, to tell a conflict.

    `single`: its slot by today's rules, if of that there is one at a time. `touched`: made, recalled, or changed by
    anybody but this. `settled`: a person has found it right. `left`: when it was archived or forgotten. `carries`:
    a standing memory was made of it.
    """

    id: uuid.UUID
    version: int
    status: Status
    kind: Kind
    category: Category
    importance: float
    pinned: bool
    created: datetime
    touched: datetime
    recalled: datetime | None = None
    recalls: int = 0
    valid_to: datetime | None = None
    left: datetime | None = None
    single: str = ""
    value: str = ""
    settled: bool = False
    origin: Origin = Origin.TOLD
    confidence: float = 1.0
    evidence: int = 1
    weak: bool = False
    carries: bool = False

    def strength(self, now: datetime) -> float:
        return strength(self.importance, self.recalled or self.created, self.recalls, now)

    @property
    def event(self) -> bool:
        """What happened; a summary stands for what has left already."""
        return self.kind == Kind.EPISODIC and self.category != Category.SUMMARY

    @property
    def safe(self) -> bool:
        """Pinned, or too important to be taken by a number."""
        return self.pinned or self.importance >= policy.IMPORTANT


Rule = Callable[[Sequence[Row], datetime], Mapping[uuid.UUID, str]]


@dataclass(frozen=True, slots=True)
class Step:
    """`rule` names the rows that it is for, each with why; they must be `of` this status and are `then` that."""

    name: str
    does: str
    of: Status
    then: Status
    rule: Rule


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do to one memory, and why."""

    step: str
    id: uuid.UUID
    why: str


@dataclass(frozen=True, slots=True)
class Job:
    """What belongs together, done whole or not at all: `do` returns how many of its acts it did.

    `then`: how these rows stand afterwards.
    """

    acts: tuple[Act, ...]
    do: Callable[[], int]
    then: Mapping[uuid.UUID, Status] = field(default_factory=dict)


def plan(rows: Sequence[Row], now: datetime) -> list[Act]:
    """Everything that the steps would do, in their order, each one seeing what those before it have done."""
    acts: list[Act] = []
    for step in STEPS:
        found = due(step, rows, now)
        acts += found
        rows = after(rows, dict.fromkeys((act.id for act in found), step.then), now)
    return acts


def due(step: Step, rows: Sequence[Row], now: datetime) -> list[Act]:
    """What one step would do."""
    found = step.rule([row for row in rows if row.status == step.of], now)
    return [Act(step.name, key, why) for key, why in found.items()]


def after(rows: Sequence[Row], then: Mapping[uuid.UUID, Status], now: datetime) -> list[Row]:
    """The rows as they stand once these are `then` that."""
    left = (Status.ARCHIVED, Status.FORGOTTEN)
    return [
        replace(row, status=then[row.id], left=now if then[row.id] in left else None) if row.id in then else row
        for row in rows
    ]


def _conflicts(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    """Those that a person has found right stay; the others wait for one."""
    found: dict[uuid.UUID, str] = {}
    single = sorted((row for row in rows if row.single), key=lambda row: row.single)
    for _, group in groupby(single, key=lambda row: row.single):
        same = list(group)
        if len({row.value for row in same}) > 1:
            found |= {row.id: f"one of {len(same)} that contradict each other" for row in same if not row.settled}
    return found


def _lapsed(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    return {
        row.id: f"its time was over on {row.valid_to:%Y-%m-%d}"
        for row in rows
        if row.category == Category.TASK and row.valid_to and row.valid_to <= now and not row.pinned
    }


def _cold(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    return {
        row.id: f"{days} days untouched"
        for row, days in _rested(rows, now)
        if row.event and days >= policy.COLD_DAYS and not row.pinned
    }


def _outside(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    """Pinned ones stand in the window too, and never leave it."""
    events = sorted((row for row in rows if row.event), key=lambda row: (row.created, row.id))
    old = events[: -policy.LIVE_EVENTS]
    return {row.id: f"older than the newest {policy.LIVE_EVENTS}" for row in old if not row.pinned}


def _over(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    """Events first, then what there may be many of; a name or a job only after these. The weak before the others."""
    most = len(rows) - policy.LIVE_MEMORIES
    if most <= 0:
        return {}
    may_go = [row for row in rows if not row.safe]
    may_go.sort(key=lambda row: (not row.event, row.single != "", not row.weak, row.strength(now),
                                 row.created, row.id))  # fmt: skip
    return {row.id: f"over {policy.LIVE_MEMORIES} live ones, strength {row.strength(now):.3f}" for row in may_go[:most]}


def _faded(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    return {
        row.id: f"strength {row.strength(now):.3f}, {days} days unused"
        for row, days in _rested(rows, now)
        if row.strength(now) < policy.FADED and days >= policy.UNUSED_DAYS and not (row.safe or row.carries)
    }


def _past_undo(rows: Sequence[Row], now: datetime) -> dict[uuid.UUID, str]:
    since = now - timedelta(days=policy.UNDO_DAYS)
    return {row.id: f"forgotten on {row.left:%Y-%m-%d}" for row in rows if row.left and row.left <= since}


def _rested(rows: Sequence[Row], now: datetime) -> Iterator[tuple[Row, int]]:
    for row in rows:
        yield row, (now - row.touched).days


STEPS = (
    Step("conflicts", "flag what contradicts in a slot of one value", Status.ACTIVE, Status.UNDER_REVIEW, _conflicts),
    Step("expired", "end tasks and states whose time is over", Status.ACTIVE, Status.SUPERSEDED, _lapsed),
    Step("archive", "archive events that nobody touched for long", Status.ACTIVE, Status.ARCHIVED, _cold),
    Step("window", "archive events that are not among the newest", Status.ACTIVE, Status.ARCHIVED, _outside),
    Step("cap", "archive the weakest of too many, events first", Status.ACTIVE, Status.ARCHIVED, _over),
    Step("delete", "forget what was archived and has faded", Status.ARCHIVED, Status.FORGOTTEN, _faded),
    Step("purge", "empty what can't be brought back any more", Status.FORGOTTEN, Status.FORGOTTEN, _past_undo),
)  # fmt: skip
"""In the order in which they are done; what `upkeep` makes of memories comes after the first two."""
