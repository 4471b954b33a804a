"""Door: what one turn, one actor or one period wrote of a member's, or of shared memories, taken back as one.

What anybody but the upkeep changed afterwards is left as it is and said so.
"""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q

from memory import audit, correct, ledger, remember
from memory.models import Memory, Version
from memory.standing import ROLLED_BACK, before
from memory.terms import Scope, Status
from profiles import learn
from profiles.access import EDITORS, Reader

CHANGED = "changed since"
BUSY = "being changed"
WITHDRAWN = "forgotten by the member"
EMPTIED = "what it said before is gone"


@dataclass(frozen=True, slots=True)
class Writes:
    """Which changes: of a turn, of an actor, from `since` on, before `until`; all that is given must hold."""

    turn: uuid.UUID | None = None
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return any((self.turn, self.actor, self.since, self.until))

    @property
    def query(self) -> Q:
        wanted = {"turn": self.turn, "actor": self.actor, "at__gte": self.since, "at__lt": self.until}
        return Q(**{name: value for name, value in wanted.items() if value})


@dataclass(frozen=True, slots=True)
class Back:
    """One memory goes back to how it stood at version `to` (0: it was not there, so it is forgotten)."""

    memory: uuid.UUID
    to: int
    status: str


@dataclass(frozen=True, slots=True)
class Left:
    """One memory that such a change is of stays as it is."""

    memory: uuid.UUID
    why: str


@dataclass(frozen=True, slots=True)
class Rolled:
    """What went back, or would go, and what is left."""

    back: tuple[Back, ...] = ()
    left: tuple[Left, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.back or self.left)


def rollback(
    reader: Reader, writes: Writes, *, owner: uuid.UUID | None = None, shared: bool = False, actor: str = "",
    dry_run: bool = False,
) -> Rolled:  # fmt: skip
    """Take `writes` back for the reader, or for the `owner` that staff have opened, or of what the community and the
    reader's spaces share (`shared`, for those who may write it); with `dry_run` only say what.

    Inside the caller's unit of work, which is one transaction: all of it is done, or nothing. `actor`: who does it.
    """
    if not writes:
        raise ValueError("what is to be taken back?")
    if shared and reader.role not in EDITORS:
        raise correct.Denied
    whose = None if shared else owner or reader.member
    actor = actor or correct.actor(reader, whose)
    if not dry_run:
        audit.hold(reader.community)  # before any row, as the upkeep does
    mine = Version.objects.filter(owner_id=whose, community_id=reader.community)
    meant = set(mine.filter(writes.query).values_list("id", flat=True))
    memories = _memories(mine.filter(id__in=meant).values_list("memory", flat=True), whose, lock=not dry_run)
    goals, left = _planned(memories, meant, actor)
    back = tuple(Back(memory.id, version.number - 1, _before(version)) for memory, version in goals)
    if not dry_run:
        _do(reader, goals, actor)
        if whose is not None and not writes.actor:
            turns = {writes.turn, *mine.filter(id__in=meant).values_list("turn", flat=True)} - {None}
            learn.take_back(learn.profile_of(reader, whose), [turn for turn in turns if turn])
    return Rolled(back, left)


def _memories(ids: Iterable[uuid.UUID], whose: uuid.UUID | None, *, lock: bool) -> dict[uuid.UUID, Memory | None]:
    """None for those that somebody holds: waiting for them with the audit's lock in hand could last for good."""
    wanted = set(ids)
    rows = Memory.objects.filter(id__in=wanted, owner_id=whose)
    rows = rows.exclude(scope=Scope.PERSONAL) if whose is None else rows.filter(scope=Scope.PERSONAL)
    rows = rows.select_for_update(skip_locked=True, of=("self",)) if lock else rows
    found = {row.id: row for row in rows}
    return {key: found.get(key) for key in wanted}


def _planned(
    memories: dict[uuid.UUID, Memory | None], meant: set[int], actor: str
) -> tuple[list[tuple[Memory, Version]], tuple[Left, ...]]:  # fmt: skip
    """For each memory the oldest change to take back, newest first: what replaced another goes before that one."""
    goals, left = [], []
    for key, memory in memories.items():
        if memory is None:
            left.append(Left(key, BUSY))
            continue
        versions = list(memory.versions.order_by("-number"))
        last = list(takewhile(lambda version: version.id in meant or version.actor == ledger.UPKEEP, versions))
        ours = [version for version in last if version.id in meant]
        if not ours or len(ours) < len([version for version in versions if version.id in meant]):
            left.append(Left(key, CHANGED))
        elif ours[-1].number > 1 and before(ours[-1]) is None:
            left.append(Left(key, EMPTIED))
        elif memory.status == Status.FORGOTTEN and versions[0].actor == remember.ACTOR != actor:
            left.append(Left(key, WITHDRAWN))
        else:
            goals.append((memory, ours[-1]))
    goals.sort(key=lambda goal: goal[1].id, reverse=True)
    return goals, tuple(left)


def _before(version: Version) -> str:
    if version.number == 1:
        return Status.FORGOTTEN
    return Version.objects.get(memory=version.memory_id, number=version.number - 1).status


def _do(reader: Reader, goals: Sequence[tuple[Memory, Version]], actor: str) -> None:
    """Each one as it is now: what was just forgotten may have brought it back already."""
    for planned, version in goals:
        memory = Memory.objects.get(id=planned.id)
        if not _stands_before(memory, version):
            ledger.take_back(reader, memory, version, actor=actor, reason=ROLLED_BACK)
    correct.settle(reader, [memory.id for memory, _ in goals])


def _stands_before(memory: Memory, version: Version) -> bool:
    earlier = memory.versions.filter(number=version.number - 1).first()
    if earlier is None:
        return memory.status == Status.FORGOTTEN
    now = {name: getattr(memory, name) for name in earlier.content}
    said = (memory.text, memory.value, memory.status) == (earlier.text, earlier.value, earlier.status)
    return said and bool(json.loads(json.dumps(now, cls=DjangoJSONEncoder)) == earlier.content)
