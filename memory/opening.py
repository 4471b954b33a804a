"""Door: one unit of work on one member's data, for the member or for staff with a reason that is in the audit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest

from memory import audit
from profiles.access import Reader, scoped
from profiles.models import Membership, Role
from profiles.rest import Problem, Whose, missing, reader_of


@dataclass(frozen=True, slots=True)
class Opened:
    """Who reads, and the member whose data it is."""

    reader: Reader
    member: UUID

    @property
    def own(self) -> bool:
        return self.member == self.reader.member


@contextmanager
def opened(request: HttpRequest, whose: Whose, *, writes: bool) -> Iterator[Opened]:
    """Enter the unit of work; raises `Problem`.

    Auditors write nothing (403); every opening of somebody else's data is a line in the audit, in this transaction.
    """
    reader = reader_of(request)
    if writes and reader.role == Role.AUDITOR:
        raise Problem(403, "forbidden", "an auditor reads only")
    member = whose.member or reader.member
    if member == reader.member:
        with scoped(reader):
            yield Opened(reader, member)
        return
    reason = " ".join(whose.reason.split())
    if not reader.is_staff:
        raise Problem(403, "forbidden", "for staff only")
    if not reason:
        raise Problem(422, "bad_request", "a reason is needed")
    with scoped(reader, subject=member):
        if not Membership.objects.filter(id=member, community_id=reader.community).exists():
            raise missing("member")
        audit.write(reader, audit.OPENED, None, member, reason=reason)
        yield Opened(reader, member)
