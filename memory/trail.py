"""Door: reading a community's audit: who did what to which memory, when and why; never what the memory said."""

import csv
import io
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from django.db.models import QuerySet

from memory import policy
from memory.models import AuditEvent, Pseudonym
from profiles.access import NOBODY, Reader
from profiles.models import Membership

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
"""What a cell may not begin with, lest a spreadsheet computes it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; empty fields ask for nothing."""

    action: str = ""
    actor: str = ""
    about: uuid.UUID | None = None
    target: uuid.UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: its place in the chain, and by whom, through which door, what, about whom, why."""

    position: int
    at: datetime
    who: str
    door: str
    action: str
    memory: str
    member: str
    about: str
    reason: str
    digest: str


def lines(reader: Reader, wanted: Wanted, most: int = policy.FIND_PAGE) -> list[Entry]:
    """The newest first."""
    rows = list(_rows(reader, wanted).select_related("text").order_by("-position")[:most])
    actors = _members(Pseudonym.objects.filter(pseudonym__in={row.actor for row in rows}))
    subjects = {text.subject for row in rows if (text := getattr(row, "text", None)) and text.subject}
    called = _called(reader, {*actors.values(), *subjects})
    return [_entry(row, actors, called) for row in rows]


def count(reader: Reader, wanted: Wanted) -> int:
    """How many there are, counted up to `policy.FIND_COUNT` and one."""
    return _rows(reader, wanted, paged=False)[: policy.FIND_COUNT + 1].count()


def actions(reader: Reader) -> list[str]:
    """What can have been done, as far as it was done here lately."""
    newest = AuditEvent.objects.filter(community_id=reader.community).order_by("-position")[: policy.FIND_COUNT]
    return sorted(set(newest.values_list("action", flat=True)))


def as_csv(entries: Iterable[Entry]) -> str:
    """A table that no spreadsheet takes for formulas."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(field.name for field in fields(Entry))
    table.writerows([_safe(str(value)) for value in asdict(entry).values()] for entry in entries)
    return out.getvalue()


def as_jsonl(entries: Iterable[Entry]) -> Iterator[str]:
    """One object a line."""
    for entry in entries:
        yield json.dumps(asdict(entry), ensure_ascii=False, default=str) + "\n"


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _rows(reader: Reader, wanted: Wanted, *, paged: bool = True) -> QuerySet[AuditEvent]:
    asked = {
        "action": wanted.action, "text__subject": wanted.about, "target": wanted.target, "at__gte": wanted.since,
        "at__lt": wanted.until, "position__lt": wanted.before if paged else None,
    }  # fmt: skip
    rows = AuditEvent.objects.filter(community_id=reader.community)
    rows = rows.filter(**{name: value for name, value in asked.items() if value not in (None, "")})
    if wanted.actor:
        people = Membership.objects.filter(community_id=reader.community, user__username=wanted.actor)
        rows = rows.filter(actor__in=list(Pseudonym.objects.filter(member__in=people).values_list("pk", flat=True)))
    return rows


def _members(rows: QuerySet[Pseudonym]) -> dict[uuid.UUID, uuid.UUID]:
    return dict(rows.values_list("pseudonym", "member_id"))


def _called(reader: Reader, members: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    rows = Membership.objects.filter(id__in=members, community_id=reader.community)
    return dict(rows.values_list("id", "user__username"))


def _entry(row: AuditEvent, actors: dict[uuid.UUID, uuid.UUID], called: dict[uuid.UUID, str]) -> Entry:
    text = getattr(row, "text", None)
    words = json.loads(text.body) if text else {}
    about = text.subject if text else None
    who = "" if row.actor == NOBODY else called.get(actors.get(row.actor, NOBODY), str(row.actor))
    return Entry(
        row.position, row.at, who, str(words.get("actor", "")), row.action, str(row.target or ""),
        called.get(about, "") if about else "", str(about or ""), str(words.get("reason", "")), row.digest,
    )  # fmt: skip
