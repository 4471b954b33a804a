"""Door: keeping house for one member: what is in conflict, has lapsed, gone cold, is too much, or goes for good.

What is to be done is planned in one short unit of work and done in others, a few memories in each; whatever was
touched in between is left for the next night. A second run finds nothing to do, and goes on where one was cut off.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q

from memory import (
    audit,
    blocks,
    derived,
    forget_many,
    ledger,
    making,
    overviews,
    policy,
    sealed,
    standing,
    tombs,
    vectors,
    weighing,
)
from memory.extraction.claims import SINGLE
from memory.lifecycle.archive import STEPS, Act, Job, Row, Step, after, due
from memory.lifecycle.priority import NOTHING
from memory.mask import MARK, SHORTEST
from memory.models import Episode, EpisodeVector, Memory, Overview, Part, Version
from memory.reflecting import reflect
from memory.retrieval.text import terms
from memory.signals import forgotten
from memory.terms import Category, Kind, Origin, Scope, Status
from profiles.access import Reader, scoped

__all__ = ["ORDER", "Act", "Blacken", "Blackout", "Done", "run"]

Blackout = Callable[[str, datetime], str]
"""A text and when it was said → the text without the words that were forgotten after that."""
Blacken = Callable[[Reader, Blackout], None]
"""Blacks out for good whatever the caller keeps of the reader's, inside the reader's unit of work."""
OVERVIEWS, EXCHANGES, SHELVE = "overviews", "exchanges", "shelve"
Plan = Callable[[Reader, Sequence[Row], datetime], list[Job]]
MAKES: dict[str, tuple[str, Plan]] = {
    "usefulness": ("weekly: mark the weakest fifth of what a machine wrote", weighing.usefulness),
    "review": ("weekly: put together what a machine wrote twice, doubt what rests on nothing", weighing.review),
    "priority": ("raise what is recalled in many conversations, lower what is not", weighing.priority),
    "consolidate": ("make one memory of alike events", making.consolidate),
    "summaries": ("summarise exchanges of long ago by month and topic", making.summarise),
    "reflect": ("keep what a task has taught that ended", reflect),
    "procedures": ("propose a task that comes back as a procedure", making.propose),
}  # fmt: skip
_BEFORE = 2
"""Steps that come before what is made: nothing is made of what contradicts or is over."""
ORDER = (
    {
        OVERVIEWS: "delete what conversations were about, once it is too old to be shown",
        EXCHANGES: "delete exchanges that were forgotten as a whole, once that can't be undone",
    }
    | {step.name: step.does for step in STEPS[:_BEFORE]}
    | {name: does for name, (does, _) in MAKES.items()}
    | {step.name: step.does for step in STEPS[_BEFORE:]}
    | {SHELVE: "move the words of what was archived into the member's encrypted file"}
)
"""The steps and what they do, in the order in which they are done."""


@dataclass(frozen=True, slots=True)
class Done:
    """What one step did, or would do, for one member; `skipped`: somebody was at it, so the next night does it."""

    step: str
    count: int
    skipped: int
    acts: tuple[Act, ...]


def run(
    reader: Reader, now: datetime, *, blacken: Blacken, dry_run: bool = False,
    helps: Mapping[uuid.UUID, float] = NOTHING,
) -> list[Done]:  # fmt: skip
    """All steps for the reader's own memories, as of `now`; with `dry_run` nothing is written. `helps`: how much help a
    model says that some of them will be, 0..1."""
    makes = MAKES | {"usefulness": (MAKES["usefulness"][0], partial(weighing.usefulness, helps=helps))}
    with scoped(reader):
        rows = rows_of(reader)
        old = [Act(OVERVIEWS, key, f"last round on {at:%Y-%m-%d}") for key, at in _old(reader, now)]
        if old and not dry_run:
            overviews.drop([act.id for act in old], owner=reader.member)
        gone = [Act(EXCHANGES, key, f"forgotten on {at:%Y-%m-%d}") for key, at in forget_many.over(reader, now).items()]
        if gone and not dry_run:
            forget_many.let_go(reader, [act.id for act in gone])
    done = [Done(OVERVIEWS, len(old), 0, tuple(old)), Done(EXCHANGES, len(gone), 0, tuple(gone))]
    left = _steps(reader, STEPS[:_BEFORE], rows, now, done, blacken, dry_run)
    for name, (_, plans) in makes.items():
        left = _made(reader, name, plans, left, now, done, dry_run)
    if not dry_run:
        with scoped(reader):
            left = rows_of(reader)
    _steps(reader, STEPS[_BEFORE:], left, now, done, blacken, dry_run)
    touched = {act.id for one in done for act in one.acts}
    return [*done, _shelve(reader, now, touched, dry_run=dry_run)]


def _steps(
    reader: Reader, steps: Sequence[Step], rows: Sequence[Row], now: datetime, done: list[Done], blacken: Blacken,
    dry_run: bool,
) -> Sequence[Row]:  # fmt: skip
    """Each step sees what those before it have done, or would have; returns the rows after the last."""
    known = {row.id: row for row in rows}
    for step in steps:
        wanted = due(step, rows, now)
        rows = after(rows, dict.fromkeys((act.id for act in wanted), step.then), now)
        count = len(wanted) if dry_run else 0
        for start in range(0, 0 if dry_run else len(wanted), policy.KEEP_BATCH):
            count += _do(reader, step, wanted[start : start + policy.KEEP_BATCH], known, now, blacken)
        done.append(Done(step.name, count, len(wanted) - count, tuple(wanted)))
    return rows


def _shelve(reader: Reader, now: datetime, touched: set[uuid.UUID], *, dry_run: bool) -> Done:
    """What was archived for long, and this night has not touched."""
    since = now - timedelta(days=policy.SHELF_DAYS)
    rows = Memory.objects.filter(owner_id=reader.member, community_id=reader.community, scope=Scope.PERSONAL,
                                 status=Status.ARCHIVED, left_at__lte=since, shelved=False)  # fmt: skip
    with scoped(reader):
        found = rows.exclude(id__in=touched).order_by("id").values_list("id", "left_at")
        acts = tuple(Act(SHELVE, key, f"archived on {at:%Y-%m-%d}") for key, at in found)
    count = len(acts) if dry_run else 0
    for start in range(0, 0 if dry_run else len(acts), policy.KEEP_BATCH):
        with scoped(reader):
            audit.hold(reader.community)
            batch = [act.id for act in acts[start : start + policy.KEEP_BATCH]]
            locked = list(rows.filter(id__in=batch).select_for_update(skip_locked=True))
            if locked:
                ledger.shelve(reader, locked)
        count += len(locked)
    return Done(SHELVE, count, len(acts) - count, acts)


def _made(
    reader: Reader, name: str, plans: Plan, rows: Sequence[Row], now: datetime, done: list[Done], dry_run: bool
) -> Sequence[Row]:  # fmt: skip
    """One transaction for each job; it waits for the audit before any row, as a batch does."""
    with scoped(reader):
        jobs = plans(reader, rows, now)
    acts = tuple(act for job in jobs for act in job.acts)
    count = len(acts) if dry_run else 0
    for job in () if dry_run else jobs:
        with scoped(reader):
            if job.acts:
                audit.hold(reader.community)
            count += job.do()
    done.append(Done(name, count, len(acts) - count, acts))
    return after(rows, {key: status for job in jobs for key, status in job.then.items()}, now)


def _do(
    reader: Reader, step: Step, acts: Sequence[Act], known: dict[uuid.UUID, Row], now: datetime, blacken: Blacken
) -> int:  # fmt: skip
    """One batch in one transaction. The audit's lock comes first, then rows that nobody holds: it never waits for a
    member who waits for it."""
    why = {act.id: act.why for act in acts}
    with scoped(reader):
        audit.hold(reader.community)
        found = _untouched(reader, step, {key: known[key] for key in why})
        if step.then == Status.ARCHIVED and found:
            ledger.archive_all(reader, found, at=now, why=why)
        elif step.name == "purge" and found:
            _purge(reader, found, blacken)
        else:
            sealed.unseal_all(found)
            for memory in found:
                _act(reader, step, memory, why[memory.id], now)
    return len(found)


def _act(reader: Reader, step: Step, memory: Memory, why: str, now: datetime) -> None:
    if step.then == Status.UNDER_REVIEW:
        ledger.flag(reader, memory, None, actor=ledger.UPKEEP, reason=why)
    elif step.then == Status.SUPERSEDED:
        ledger.lapse(reader, memory, reason=why)
    else:
        ledger.archive(reader, memory, at=now, reason=why, gone=True)
        vectors.drop(memory.id)


def _untouched(reader: Reader, step: Step, known: dict[uuid.UUID, Row]) -> list[Memory]:
    """Locked: those that nobody holds, and nobody but this has changed or recalled since they were read."""
    locked = Memory.objects.select_for_update(skip_locked=True).filter(id__in=known, owner_id=reader.member)
    found = [row for row in locked if row.status == step.of and row.recalled_at == known[row.id].recalled]
    changed = Version.objects.filter(memory__in=found).exclude(actor=ledger.UPKEEP).order_by().values("memory")
    last = dict(changed.annotate(last=Max("number")).values_list("memory", "last"))
    return [row for row in found if last.get(row.id, 0) <= known[row.id].version]


def rows_of(reader: Reader) -> list[Row]:
    """What could be kept house of: live, archived, and forgotten as long as it has words."""
    approved = Version.objects.filter(memory=OuterRef("pk"), action="approved")
    rows: Any = Memory.objects.filter(owner_id=reader.member, community_id=reader.community, scope=Scope.PERSONAL)
    rows = rows.filter(status__in=(Status.ACTIVE, Status.ARCHIVED, Status.FORGOTTEN))
    rows = rows.exclude(text="", sealed=None, shelved=False)
    changed = Max("versions__at", filter=~Q(versions__actor=ledger.UPKEEP))
    carries = Exists(Part.objects.filter(of=OuterRef("pk")).exclude(memory__status=Status.FORGOTTEN))
    rows = rows.annotate(changed=changed, settled=Exists(approved), carries=carries).defer("sealed")
    return [_row(memory) for memory in rows.order_by("id")]


def _row(memory: Any) -> Row:
    single = standing.claim_of(memory).slot if memory.attribute in SINGLE else ""
    touched = max(at for at in (memory.created_at, memory.recalled_at, memory.changed) if at)
    return Row(
        memory.id, memory.version, Status(memory.status), Kind(memory.kind), Category(memory.category),
        memory.importance, memory.pinned, memory.created_at, touched, memory.recalled_at, memory.recall_count,
        memory.valid_to, memory.left_at, single, tombs.plain(memory.value), memory.settled,
        Origin(memory.origin), memory.confidence, memory.evidence, memory.weak, memory.carries,
    )  # fmt: skip


def _old(reader: Reader, now: datetime) -> list[tuple[uuid.UUID, datetime]]:
    since = now - timedelta(days=policy.OVERVIEW_DAYS)
    rows = Overview.objects.filter(owner_id=reader.member, community_id=reader.community, at__lte=since)
    return list(rows.order_by("at").values_list("conversation", "at"))


def _purge(reader: Reader, gone: Sequence[Memory], blacken: Blacken) -> None:
    """Black out for good what the mask has hidden so far, as it knows the words from what is emptied here."""
    if (blackout := _blackout(reader, gone)) is not None:
        _blacken(reader, blackout, blacken)
    for memory in gone:
        ledger.empty(reader, memory)
    transaction.on_commit(lambda: forgotten.send(run, member=reader.member))


def _blacken(reader: Reader, blackout: Blackout, blacken: Blacken) -> None:
    changed = []
    for episode in Episode.objects.filter(owner_id=reader.member).order_by("turn"):
        question, answer = blackout(episode.question, episode.at), blackout(episode.answer, episode.at)
        if (question, answer) != (episode.question, episode.answer):
            kept = Episode.objects.filter(turn=episode.turn)
            kept.update(question=question, answer=answer, terms=terms(question.replace(MARK, " ")))
            EpisodeVector.objects.filter(episode_id=episode.turn).delete()
            changed.append(episode.turn)
    derived.follow(reader, derived.made_from(reader.member, (), changed))
    for row in Overview.objects.filter(owner_id=reader.member):
        topics, last = [blackout(topic, row.started_at) for topic in row.topics], blackout(row.last, row.started_at)
        if (topics, last) != (row.topics, row.last):
            Overview.objects.filter(conversation=row.conversation).update(topics=topics, last=last)
    blocks.blacken(reader, blackout)
    blacken(reader, blackout)


def _blackout(reader: Reader, gone: Iterable[Memory]) -> Blackout | None:
    """By the mask's rule, for what a person has forgotten; what only faded stays in the talks as it was said, and where
    it is all that goes there is nothing to black out (None)."""
    unwished = set(standing.unwished().filter(owner_id=reader.member).values_list("memory", flat=True))
    wished = [memory for memory in gone if memory.left_at is not None and memory.id not in unwished]
    if not wished:
        return None
    own = Memory.objects.filter(owner_id=reader.member, community_id=reader.community).exclude(status=Status.FORGOTTEN)
    stands = {words for row in sealed.rows_shown(reader.member, own) for words in (row.text, row.value)}
    until: dict[str, datetime] = {}
    for memory in wished:
        assert memory.left_at is not None
        for phrase in sealed.words(memory).ever() - stands:
            if len(phrase) >= SHORTEST:
                until[phrase] = max(memory.left_at, until.get(phrase, memory.left_at))
    phrases = sorted(until, key=len, reverse=True)

    def blackout(text: str, at: datetime) -> str:
        for phrase in phrases:
            if at <= until[phrase]:
                text = text.replace(phrase, MARK)
        return text

    return blackout
