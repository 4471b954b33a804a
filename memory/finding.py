"""Door: finding members, and memories of everybody in the community; staff alone, and words only with a reason."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from memory import policy
from memory.retrieval.text import terms
from profiles.access import Reader
from profiles.models import Membership

CHOSEN = ("kind", "category", "status", "scope", "origin", "assistant")
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; empty fields ask for nothing."""

    chosen: dict[str, str]
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    used: bool = False
    before: tuple[datetime, uuid.UUID] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One memory; `text` is empty where words were not asked for, are forgotten, or lie in the archive file."""

    id: uuid.UUID
    owner: uuid.UUID | None
    text: str
    shelved: bool
    kind: str
    category: str
    status: str
    scope: str
    origin: str
    created_at: datetime
    recalled_at: datetime | None


def memories(wanted: Wanted, *, words: bool) -> tuple[list[Found], int]:
    """A page of them, newest first, and how many there are, counted up to `policy.FIND_COUNT` and one."""
    with connection.cursor() as cursor:
        given = json.dumps(_given(wanted), default=str)
        values: list[str | bool | int] = [given, words, policy.FIND_PAGE, policy.FIND_COUNT]
        cursor.execute("SELECT * FROM kith_memories(%s::jsonb, %s, %s, %s)", values)
        rows = cursor.fetchall()
    return [Found(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def members(reader: Reader, name: str = "", after: str = "") -> tuple[list[Membership], int]:
    """A page of the members by their names, and how many there are of them."""
    rows = Membership.objects.filter(community_id=reader.community).select_related("user")
    for word in name.split():
        rows = rows.filter(Q(user__username__icontains=word) | Q(user__first_name__icontains=word))
    count = rows[: policy.FIND_COUNT + 1].count()
    page = rows.filter(user__username__gt=after) if after else rows
    return list(page.order_by("user__username")[: policy.FIND_PAGE]), count


def names(reader: Reader, wanted: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """What these members are called."""
    rows = Membership.objects.filter(id__in=set(wanted), community_id=reader.community).select_related("user")
    return {row.id: row.user.called for row in rows}


def _given(wanted: Wanted) -> dict[str, Any]:
    given: dict[str, Any] = {name: value for name, value in wanted.chosen.items() if value and name in CHOSEN}
    given |= {name: moment for name in ("since", "until") if (moment := getattr(wanted, name))}
    if wanted.used:
        given["used_since"] = timezone.now() - WEEK
    if wanted.text:
        given["terms"] = list(terms(wanted.text)) or [wanted.text]
    if wanted.before:
        given["before_at"], given["before_id"] = wanted.before
    return given
