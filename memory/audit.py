"""Appending to a community's audit chain, and checking it."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from django.db import connection
from django.utils import timezone

from memory import policy
from memory.models import AuditEvent, AuditText
from profiles.access import NOBODY, Reader


def write(reader: Reader, action: str, target: uuid.UUID | None, about: uuid.UUID | None, **words: Any) -> int:
    """Append one line inside the caller's transaction; returns its position in the chain."""
    return write_all(reader, action, [Line(target, about, words)])


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was done: to what, whose that is, and the words of it, which an erasure takes away."""

    target: uuid.UUID | None
    about: uuid.UUID | None
    words: dict[str, Any]


OPENED = "opened"
_WRITE = """
WITH who AS MATERIALIZED (
    SELECT CASE WHEN %(member)s = %(nobody)s THEN %(nobody)s ELSE kith_pseudonym(%(member)s, %(community)s) END AS actor
)
SELECT kith_audit(%(community)s, who.actor, %(action)s, line.target, line.about, line.body)
FROM who, unnest(%(targets)s::uuid[], %(abouts)s::uuid[], %(bodies)s::text[]) AS line(target, about, body)
"""


def write_all(reader: Reader, action: str, lines: Sequence[Line]) -> int:
    """Append one line for each, in this order, with one statement; returns the position of the last."""
    values: dict[str, Any] = {
        "member": reader.member, "nobody": NOBODY, "community": reader.community, "action": action,
        "targets": [line.target for line in lines], "abouts": [line.about for line in lines],
        "bodies": [json.dumps(line.words, ensure_ascii=False, sort_keys=True) for line in lines],
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, values)
        return int(cursor.fetchall()[-1][0])


def looked(reader: Reader, members: Iterable[uuid.UUID], *, reason: str, again: bool = False) -> None:
    """Staff open what is kept of these members; with `again`, those alone whom they have not opened within the hour for
    this reason."""
    fresh = set(members)
    if again and fresh:
        since = timezone.now() - timedelta(minutes=policy.LOOK_AGAIN_MINUTES)
        lines = AuditText.objects.filter(subject__in=fresh, event__action="opened", event__at__gt=since)
        mine = lines.filter(event__actor=_pseudonym(reader)).values_list("subject", "body")
        fresh -= {subject for subject, body in mine if json.loads(body).get("reason") == reason}
    if fresh:
        write_all(reader, "opened", [Line(None, one, {"reason": reason}) for one in sorted(fresh)])


def _pseudonym(reader: Reader) -> uuid.UUID:
    with connection.cursor() as cursor:
        cursor.execute("SELECT kith_pseudonym(%s, %s)", [reader.member, reader.community])
        return uuid.UUID(str(cursor.fetchone()[0]))


def hold(community: uuid.UUID) -> None:
    """Wait for the community's chain now. Whoever locks rows does so first: who holds it can't be waiting for them."""
    with connection.cursor() as cursor:
        name = f"kith audit {community}"  # as `kith_audit` has it
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


@dataclass(frozen=True, slots=True)
class Look:
    """Staff opened the reader's memories; `who` is empty once nobody stands behind the line any more."""

    at: datetime
    who: str
    reason: str


def looks() -> list[Look]:
    """Who opened the memories of the reader of this unit of work, newest first, and why; of nobody else's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT at, body, who FROM kith_looks()")
        return [Look(at, who or "", json.loads(body).get("reason", "")) for at, body, who in cursor.fetchall()]


def about_me() -> list[dict[str, Any]]:
    """Every line about the reader of this unit of work, oldest first: when, what, to which thing, in which words; and
    who looked, as long as they are there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT at, action, target, body, who FROM kith_audit_about_me()")
        rows = cursor.fetchall()
    who_looked = [{"who": who or ""} if action == OPENED else {} for _, action, _, _, who in rows]
    lines = [{"at": at, "action": action, "target": target, **json.loads(body)} for at, action, target, body, _ in rows]
    return [line | who for line, who in zip(lines, who_looked, strict=True)]


class Fault(StrEnum):
    """What is wrong with a line."""

    EDITED = "edited"
    """It does not say what was committed to."""
    MISSING = "missing"
    """It, or the end of the chain, is not there."""
    REORDERED = "reordered"
    """It stood at another position."""


@dataclass(frozen=True, slots=True)
class Check:
    """How many lines were read, the position of the first that does not fit (None: all fit) and what is wrong with it.

    `scrubbed`: lines whose words are gone, as an erasure takes them; these fit.
    """

    lines: int
    broken_at: int | None
    fault: Fault | None = field(default=None, compare=False)
    scrubbed: int = field(default=0, compare=False)


def verify(community: uuid.UUID, using: str = "default", heads: Mapping[int, str] = MappingProxyType({})) -> Check:
    """Read the chain from its start: order, links, digests, and the commitments whose text is still there.

    `heads`: position → digest, as they were noted outside the database: who could write the whole chain anew, or cut
    off its end, could not change these.
    """
    previous, lines, scrubbed = "", 0, 0
    texts = {text.event_id: text for text in AuditText.objects.using(using).filter(community_id=community)}
    events = AuditEvent.objects.using(using).filter(community_id=community).order_by("position")
    for event in events.iterator():
        lines += 1
        text = texts.get(event.id)
        scrubbed += text is None
        if event.position != lines:
            return Check(lines, lines, Fault.MISSING, scrubbed)
        if event.digest != _digest(event):
            return Check(lines, lines, _moved(event, events.count()), scrubbed)
        if text is not None and _sha(text.salt + text.body) != event.commitment:
            return Check(lines, lines, Fault.EDITED, scrubbed)
        if event.previous != previous or heads.get(lines, event.digest) != event.digest:
            return Check(lines, lines, Fault.EDITED, scrubbed)
        previous = event.digest
    if max(heads, default=0) > lines:
        return Check(lines, lines + 1, Fault.MISSING, scrubbed)
    return Check(lines, None, None, scrubbed)


def _moved(event: AuditEvent, count: int) -> Fault:
    """Whether the line would be whole at some other position."""
    here = event.position
    for event.position in range(1, count + 2):
        if event.digest == _digest(event):
            return Fault.REORDERED
    event.position = here
    return Fault.EDITED


def head(community: uuid.UUID, using: str = "default") -> tuple[int, str]:
    """Position and digest of the last line; 0 and nothing where there is none."""
    rows = AuditEvent.objects.using(using).filter(community_id=community).order_by("-position")
    return rows.values_list("position", "digest").first() or (0, "")


def _digest(event: AuditEvent) -> str:
    parts = [event.previous, event.community_id, event.position, event.at.strftime("%Y-%m-%dT%H:%M:%S.%f"),
             event.actor, event.action, event.target, event.commitment]  # fmt: skip
    return _sha("|".join(str(part) for part in parts if part is not None))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
