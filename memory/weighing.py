"""Door: what memories are worth: the weak are marked, priority follows use, a machine's own are reviewed weekly."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Count, Q

from memory import ledger, policy, vectors
from memory.lifecycle.archive import Act, Job, Row
from memory.lifecycle.priority import NOTHING, Used, shifts, twice, weakest
from memory.models import Episode, Memory, Recalled, Version
from memory.standing import MACHINES, MERGED
from memory.terms import MADE, Origin, Status
from memory.wording import normal
from profiles.access import Reader
from profiles.models import Membership

PROMOTED, DEMOTED = "promoted", "demoted"
GONE = (Status.SUPERSEDED, Status.UNDER_REVIEW)
"""How a part stands that no longer holds."""


def usefulness(
    reader: Reader, rows: Sequence[Row], now: datetime, *, helps: Mapping[uuid.UUID, float] = NOTHING
) -> list[Job]:  # fmt: skip
    """The mark is made anew before each review; it goes where something else is weaker by now."""
    if not due(reader, now):
        return []
    weak = weakest(rows, now, helps)
    changed = [row.id for row in rows if row.weak != (row.id in weak)]
    acts = tuple(Act("usefulness", key, "among the weakest" if key in weak else "no longer weak") for key in changed)
    return [Job(acts, partial(_mark, reader, weak, len(acts)))] if acts else []


def _mark(reader: Reader, weak: frozenset[uuid.UUID], count: int) -> int:
    ledger.mark(reader, weak)
    return count


def priority(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """What is recalled in many conversations rises, what is not falls, one step at a time."""
    known = {row.id: row for row in rows}
    found = shifts(_used(reader, rows), now)
    return [
        Job((Act("priority", memory, why),), partial(_weigh, reader, known[memory], importance, why, now))
        for memory, (importance, why) in found.items()
    ]


def _weigh(reader: Reader, row: Row, importance: float, why: str, now: datetime) -> int:
    memory = _free(reader, row)
    if memory is None:
        return 0
    ledger.weigh(reader, memory, importance, at=now, reason=why)
    return 1


def review(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """Once in seven days: what says the same twice, and what rests on something that no longer holds."""
    if not due(reader, now):
        return []
    known = {row.id: row for row in rows}
    same = twice(_used(reader, rows))
    jobs = [
        Job((Act("review", memory, f"says the same as {other}"),),
            partial(_absorb, reader, known[memory], known[other], now), {memory: Status.ARCHIVED})
        for memory, other in same.items()
    ]  # fmt: skip
    for memory, why in _outdated(reader).items():
        if memory not in same and memory in known and not known[memory].settled:
            jobs.append(Job((Act("review", memory, why),), partial(_flag, reader, known[memory], why),
                            {memory: Status.UNDER_REVIEW}))  # fmt: skip
    return [*jobs, Job((), partial(_reviewed, reader, now))]


def due(reader: Reader, now: datetime) -> bool:
    """Whether the last review was a week ago."""
    last = Membership.objects.values_list("reviewed_at", flat=True).get(id=reader.member)
    return last is None or last <= now - timedelta(days=policy.REVIEW_DAYS)


def _absorb(reader: Reader, row: Row, other: Row, now: datetime) -> int:
    """What it came from goes to the one that stays, as more evidence of it."""
    memory, kept = _free(reader, row), _free(reader, other)
    if memory is None or kept is None:
        return 0
    ledger.absorb(reader, kept, memory)
    ledger.archive(reader, memory, at=now, reason=MERGED)
    vectors.drop(memory.id)
    return 1


def _flag(reader: Reader, row: Row, why: str) -> int:
    memory = _free(reader, row)
    if memory is None:
        return 0
    ledger.flag(reader, memory, None, actor=ledger.UPKEEP, reason=why)
    return 1


def _reviewed(reader: Reader, now: datetime) -> int:
    Membership.objects.filter(id=reader.member).update(reviewed_at=now)
    return 0


def _free(reader: Reader, row: Row) -> Memory | None:
    """The memory, locked, unless somebody holds it or has changed it since it was read."""
    locked = Memory.objects.select_for_update(skip_locked=True).filter(id=row.id, owner_id=reader.member)
    found = locked.filter(status=Status.ACTIVE).first()
    since = Version.objects.filter(memory=row.id, number__gt=row.version).exclude(actor=ledger.UPKEEP)
    return None if found is None or since.exists() else found


def _outdated(reader: Reader) -> dict[uuid.UUID, str]:
    """Conclusions that rest on what was superseded, doubted or forgotten since, each with why."""
    live = Memory.objects.standing().filter(owner_id=reader.member, origin__in=MADE, pinned=False)
    parts = live.annotate(all=Count("parts"), gone=Count("parts", filter=Q(parts__of__status__in=GONE)))
    found = {
        key: f"{gone} of {count} that it was made of no longer hold"
        for key, count, gone in parts.filter(gone__gt=0).values_list("id", "all", "gone")
    }
    masked = Episode.objects.filter(owner_id=reader.member, masked=True, replaced=False).values("turn")
    said = live.filter(origin=Origin.INFERRED).annotate(
        all=Count("sources"), gone=Count("sources", filter=Q(sources__turn__in=masked))
    )
    for key, count, gone in said.filter(gone__gt=0).values_list("id", "all", "gone"):
        if gone == count:
            found[key] = "the words that it came from were forgotten"
    return found


def _used(reader: Reader, rows: Sequence[Row]) -> list[Used]:
    live = [row for row in rows if row.status == Status.ACTIVE]
    own = Memory.objects.filter(owner_id=reader.member, status=Status.ACTIVE)
    texts = dict(own.values_list("id", "text"))
    changed = Version.objects.filter(owner_id=reader.member, reason__in=(PROMOTED, DEMOTED), actor=ledger.UPKEEP)
    since = {key: at for key, at in changed.order_by("at").values_list("memory", "at")}
    hands = Version.objects.filter(owner_id=reader.member, turn=None).exclude(actor__in=MACHINES)
    by_hand = set(hands.values_list("memory", flat=True))
    sessions = _sessions(reader, since)
    return [
        Used(row, sessions.get(row.id, 0), since.get(row.id), row.id in by_hand, normal(texts.get(row.id, "")))
        for row in live
    ]


def _sessions(reader: Reader, since: dict[uuid.UUID, datetime]) -> dict[uuid.UUID, int]:
    """In how many conversations each was put into a context, after its importance last changed."""
    spoken = Episode.objects.filter(owner_id=reader.member)
    talk = {turn: (conversation, at) for turn, conversation, at in spoken.values_list("turn", "conversation", "at")}
    found: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    used = Recalled.objects.filter(owner_id=reader.member, what="memory").exclude(marker="")
    for target, turn in used.values_list("target", "turn"):
        conversation, at = talk.get(turn, (None, None))
        if conversation and at and (target not in since or at > since[target]):
            found[target].add(conversation)
    return {target: len(talks) for target, talks in found.items()}
