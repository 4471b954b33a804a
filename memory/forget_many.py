"""Door: everything from one turn or one stretch of time forgotten in one act, and brought back by one undo."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memory import audit, correct, derived, impact, overviews, policy, remember, replacing
from memory.impact import Reach
from memory.models import AuditText, Episode, EpisodeVector, Memory, Source, Version
from memory.signals import forgotten
from memory.terms import Origin, Status
from profiles import learn
from profiles.access import Reader


@dataclass(frozen=True, slots=True)
class From:
    """What is meant: what was said in one turn, or from `since` on and before `until`."""

    turn: uuid.UUID | None = None
    since: datetime | None = None
    until: datetime | None = None

    def said(self, owner: uuid.UUID) -> Q:
        """Of sources and exchanges, which bear the turn and the moment of the words."""
        if self.turn:
            return Q(turn__in=replacing.answered_anew(owner, [self.turn]))
        return Q(at__gte=self.since, at__lt=self.until)

    @property
    def written(self) -> Q:
        """Of memories that came of no words: what somebody wrote by hand in that time."""
        return Q(pk=None) if self.turn else Q(created_at__gte=self.since, created_at__lt=self.until, sources=None)


@dataclass(frozen=True, slots=True)
class Meant:
    """What would go: the memories, how far that reaches, the exchanges, and what was said at other times as well."""

    memories: Sequence[Memory]
    reach: Reach
    exchanges: int
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Forgot:
    """What went, and what was made anew of what is left, or went for want of it."""

    change: uuid.UUID
    memories: int
    exchanges: int
    rebuilt: int
    dissolved: int
    overviews: int


def meant(owner: uuid.UUID, which: From) -> Meant:
    """Nothing is changed by asking."""
    rows = list(_memories(owner, which).order_by("-created_at", "id"))
    talks = set(_exchanges(owner, which).values_list("conversation", flat=True))
    others = Source.objects.filter(memory__in=rows).exclude(which.said(owner)).values("memory").distinct()
    return Meant(rows, impact.reach_of(owner, rows, talks), _exchanges(owner, which).count(), others.count())


def forget(reader: Reader, owner: uuid.UUID, which: From, *, reason: str = "") -> Forgot:
    """All of it, inside the caller's unit of work: memories, what the profile learned there, and the exchanges, which
    are found no more. What was made of them says what is left. A conversation itself stays until it is removed."""
    audit.hold(reader.community)
    change, began, actor = uuid.uuid4(), timezone.now(), correct.actor(reader, owner)
    profile = learn.profile_of(reader, owner)
    exchanges = dict(_exchanges(owner, which).values_list("turn", "conversation"))
    reach, ids = meant(owner, which).reach, [row.id for row in _memories(owner, which).order_by("created_at", "id")]
    for key in ids:  # one may have gone with another that was made of it, or have been brought back by one
        if row := correct.own(reader, key, owner=owner):
            remember.forget(reader, profile, row, None, reason=reason, actor=actor, change=change)
    _hide(reader, owner, exchanges, change)
    learn.take_back(profile, exchanges)
    audit.write(reader, "forgotten", None, owner, reason=reason, actor=actor, change=str(change),
                exchanges=len(exchanges))  # fmt: skip
    made = Version.objects.filter(owner_id=owner, at__gte=began)
    return Forgot(
        change, made.filter(change=change, status=Status.FORGOTTEN).values("memory").distinct().count(), len(exchanges),
        made.filter(reason=derived.LEFT).values("memory").distinct().count(),
        made.filter(reason=derived.NOTHING).values("memory").distinct().count(), reach.overviews,
    )  # fmt: skip


def undo(reader: Reader, owner: uuid.UUID, change: uuid.UUID) -> bool:
    """Take the whole back; False where there is no such act, or it is another's to take back.

    Raises `Stale`, with nothing undone, if something of it was changed since.
    """
    audit.hold(reader.community)
    if Version.objects.filter(owner_id=owner, change=change).exists():
        return correct.undo(reader, change, owner=owner) is not None
    return (owner == reader.member or _by_staff(owner, change)) and correct.show(reader, owner, change)


def over(reader: Reader, now: datetime) -> dict[uuid.UUID, datetime]:
    """The reader's exchanges that were forgotten as a whole, by turn, for which the time to undo it is over; and when
    that was."""
    rows = Episode.objects.filter(owner_id=reader.member).exclude(hidden_by=None)
    hidden = dict(rows.values_list("turn", "hidden_by"))
    lines = audit.about_me() if hidden else []
    since = now - timedelta(days=policy.UNDO_DAYS)
    done = {line["change"]: line["at"] for line in lines if "exchanges" in line and line["at"] <= since}
    return {turn: done[str(change)] for turn, change in hidden.items() if str(change) in done}


def let_go(reader: Reader, turns: Iterable[uuid.UUID]) -> None:
    """For good; what was made of them has followed when they were forgotten."""
    Episode.objects.filter(owner_id=reader.member, turn__in=list(turns)).exclude(hidden_by=None).delete()


def _memories(owner: uuid.UUID, which: From) -> QuerySet[Memory]:
    """What rests on words of then, or was written by hand then; what was made of others follows these by itself."""
    said = Source.objects.filter(which.said(owner), owner_id=owner).values("memory")
    rows = Memory.objects.filter(owner_id=owner).exclude(status=Status.FORGOTTEN).exclude(origin=Origin.CONSOLIDATED)
    return rows.filter(Q(id__in=said) | which.written)


def _exchanges(owner: uuid.UUID, which: From) -> QuerySet[Episode]:
    return Episode.objects.filter(which.said(owner), owner_id=owner, hidden_by=None)


def _hide(reader: Reader, owner: uuid.UUID, exchanges: dict[uuid.UUID, uuid.UUID], change: uuid.UUID) -> None:
    Episode.objects.filter(owner_id=owner, turn__in=exchanges).update(masked=True, hidden_by=change)
    EpisodeVector.objects.filter(owner_id=owner, episode__in=exchanges).delete()
    derived.follow(reader, derived.made_from(owner, [], exchanges))
    overviews.drop(list(exchanges.values()), owner=owner)
    transaction.on_commit(lambda: forgotten.send(forget, member=owner))


def _by_staff(owner: uuid.UUID, change: uuid.UUID) -> bool:
    """Whether it was not the member who did it: what a member has forgotten the member alone brings back."""
    lines = AuditText.objects.filter(subject=owner, event__action="forgotten", body__contains=str(change))
    return any(json.loads(body).get("actor") != remember.ACTOR for body in lines.values_list("body", flat=True))
