"""Who reads, and the wall in the database that holds even where the code forgets to ask."""

import hashlib
import hmac
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import wraps
from typing import Any, cast
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.encoding import force_bytes

from profiles.models import Role, Space

WORKER = "worker"
"""Not a member's role: no membership can hold it."""
ALL = "*"
"""What no assistant's role narrows."""
NOBODY = uuid.UUID(int=0)
"""The product and its operator are no person and no member."""
STAFF = frozenset({Role.MODERATOR, Role.AUDITOR, Role.ADMIN})
_MEMBERSHIPS = """
SELECT own.id, own.community_id, community.slug, own.role, own.time_zone,
    ARRAY(SELECT space_id FROM profiles_membership_spaces WHERE membership_id = own.id), own.memory_on,
    community.holdout
FROM profiles_membership own JOIN profiles_community community ON community.id = own.community_id
WHERE own.user_id = %s AND own.frozen_at IS NULL ORDER BY own.joined_at, own.id
"""
EDITORS = frozenset({Role.MODERATOR, Role.ADMIN})
"""Who writes what a community shares."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An assistant's role: which scopes and kinds of memories it reads and adds, as `scope:kind`."""

    assistant: uuid.UUID
    reads: frozenset[str]
    writes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reader:
    """A person in one community: what may be read follows from this value alone."""

    person: uuid.UUID
    member: uuid.UUID
    community: uuid.UUID
    slug: str
    role: str
    time_zone: str
    spaces: tuple[uuid.UUID, ...] = ()
    memory_on: bool | None = None
    agent: Agent | None = None
    """Who acts for the person; None: the person, or the product."""
    holdout: int = 0
    """Per cent of the community's members who are answered without memory, so that figures can compare."""

    @property
    def held_out(self) -> bool:
        """Whether the member is among these: by a keyed hash, so always the same ones, picked by nobody, and a larger
        share only adds to them. What they tell is remembered as usual."""
        digest = hmac.new(force_bytes(settings.SECRET_KEY), f"holdout|{self.member}".encode(), hashlib.sha256).digest()
        return int.from_bytes(digest[:4], "big") % 100 < self.holdout

    @property
    def today(self) -> date:
        """The day on the reader's calendar."""
        return timezone.localdate(timezone=ZoneInfo(self.time_zone))

    @property
    def is_staff(self) -> bool:
        return self.role in STAFF

    def may_read(self, scope: str, kind: str) -> bool:
        """Whether who acts may see such memories at all; of which, the rows decide."""
        return self.agent is None or f"{scope}:{kind}" in self.agent.reads

    def may_write(self, scope: str, kind: str) -> bool:
        """Whether who acts may add such memories."""
        return self.agent is None or f"{scope}:{kind}" in self.agent.writes


class Frozen(Exception):
    """The member is being erased, or has gone: nothing is read or written in their name any more."""


@contextmanager
def scoped(reader: Reader, *, subject: uuid.UUID | None = None) -> Iterator[None]:
    """One unit of work as `reader`: a transaction whose row policies see this reader and nobody else.

    Raises `Frozen` once an erasure has begun; one begins when no such transaction is under way. `subject` is the
    membership that staff have opened, with a reason that the caller has put in the audit.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(*entering(reader, subject=subject))
            if not cursor.fetchone()[-1]:
                raise Frozen
        yield


def entering(reader: Reader, *, subject: uuid.UUID | None = None) -> tuple[str, list[str]]:
    """The statement, with its values, by which the rest of a transaction is `reader`'s; its last column says whether it
    is: of a member who is being erased, row policies then see nobody."""
    sql, values = _setting(
        person=str(reader.person), member=str(reader.member), community=str(reader.community),
        role=reader.role, spaces=",".join(str(space) for space in reader.spaces),
        subject=str(subject or reader.member),
        reads=",".join(sorted(reader.agent.reads)) if reader.agent else ALL,
        writes=",".join(sorted(reader.agent.writes)) if reader.agent else ALL,
    )  # fmt: skip
    if reader.member == NOBODY and subject is None:
        return f"{sql}, true", values
    return f"{sql}, kith_enter(%s, %s)", [*values, str(reader.member), str(subject or reader.member)]


def worker_in(community: uuid.UUID) -> Reader:
    """The product itself, for what a community shares: sees nothing that belongs to a person."""
    return Reader(NOBODY, NOBODY, community, "", WORKER, "UTC")


def operator_in(community: uuid.UUID, slug: str) -> Reader:
    """Whoever runs the machine: an admin's rights over what the community and its spaces share, no person's rows."""
    nobody = Reader(NOBODY, NOBODY, community, slug, Role.ADMIN, "UTC")
    with scoped(nobody):
        spaces = tuple(Space.objects.filter(community_id=community).values_list("id", flat=True))
    return replace(nobody, spaces=spaces)


@contextmanager
def as_person(person: uuid.UUID) -> Iterator[None]:
    """A unit of work before a community is known: sees this person's memberships and nothing else."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(*_setting(person=str(person), member="", community="", role="", spaces="", subject="",
                                     reads=ALL, writes=ALL))  # fmt: skip
        yield


def _setting(**context: str) -> tuple[str, list[str]]:
    names = ", ".join("set_config(%s, %s, true)" for _ in context)
    return f"SELECT {names}", [part for name, value in context.items() for part in (f"kith.{name}", value)]


def readers(person: uuid.UUID) -> list[Reader]:
    """One reader for each community the person belongs to, oldest first."""
    with as_person(person):
        return memberships(person)


def memberships(person: uuid.UUID) -> list[Reader]:
    """As `readers`, in a unit of work that is the person's already. Each request and each frame asks this."""
    with connection.cursor() as cursor:
        cursor.execute(_MEMBERSHIPS, [person])
        return [
            Reader(person, member, community, slug, role, zone, tuple(spaces), memory_on, holdout=share)
            for member, community, slug, role, zone, spaces, memory_on, share in cursor.fetchall()
        ]


def reader_for(person: uuid.UUID, slug: str = "") -> Reader | None:
    """The reader for `slug`, or for the only membership; None where there is no right or no single choice."""
    found = readers(person)
    if slug:
        found = [reader for reader in found if reader.slug == slug]
    return found[0] if len(found) == 1 else None


class AskedBy(HttpRequest):
    """A request whose reader is known."""

    reader: Reader
    readers: list[Reader]


class ReaderMiddleware:
    """Puts `request.reader` (or None) beside `request.user`; `?community=` or the session picks one of several."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = cast(AskedBy, request)
        asked.readers = readers(request.user.id) if request.user.is_authenticated else []
        slug = request.GET.get("community") or request.session.get("community", "")
        chosen = [reader for reader in asked.readers if reader.slug == slug] or asked.readers
        asked.reader = chosen[0] if chosen else None  # type: ignore[assignment]
        return self.get_response(request)


def in_community(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for members: signed in, in a community, inside one unit of work (templates included)."""

    @login_required
    @wraps(view)
    def inner(request: AskedBy, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.reader is None:
            return redirect("welcome")
        try:
            with scoped(request.reader):
                return rendered(view(request, *args, **kwargs))
        except Frozen:
            raise Http404 from None

    return cast(Callable[..., HttpResponse], inner)


def for_staff(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for moderators, auditors and admins."""

    @wraps(view)
    def inner(request: AskedBy, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.reader.is_staff:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return in_community(inner)


def for_editors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page's verb, for moderators and admins; an auditor reads only."""

    @wraps(view)
    def inner(request: AskedBy, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.reader.role not in EDITORS:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return for_staff(inner)


def rendered(response: HttpResponse) -> HttpResponse:
    """A lazy response would read the database after its unit of work has ended."""
    return response.render() if isinstance(response, TemplateResponse) and not response.is_rendered else response
