"""REST: requests for deletion: asked for, confirmed, approved, cancelled; at the end the receipt, once, by its link."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router
from ninja.errors import AuthenticationError
from ninja.security import APIKeyQuery, django_auth
from pydantic import Field

from assistant.conversation.tokens import Bearer
from assistant.erasing import doors, requests
from assistant.erasing.replies import Confirmed, Held, Linked, Receipt, RequestSeen
from assistant.erasing.requests import Refused
from memory import audit
from profiles.access import Reader, scoped
from profiles.models import ErasureRequest
from profiles.rest import Items, Problem, Strict, Whose, example, missing, reader_of

router = Router(tags=["deletion requests"])
STATUSES = {"forbidden": 403, "not_found": 404, "conflict": 409, "rate_limited": 429}
"""What a refusal is over HTTP; the rest is 422."""
Reason = Annotated[str, Field(max_length=400)]


class ByLink(APIKeyQuery):
    """`?link=`: whoever holds the one-time link of a request, signed in or not: the account may be gone."""

    param_name = "link"

    def authenticate(self, request: HttpRequest, key: str | None) -> ErasureRequest | None:
        """The request that the link belongs to, as `request.by_link`; raises where it opens nothing."""
        if not key:
            return None
        row = requests.by_link(key)
        if row is None:
            raise AuthenticationError
        request.by_link = row  # type: ignore[attr-defined]
        return row


LINKED = [ByLink(), Bearer(), django_auth]


class Asked(Strict):
    """Nothing: about oneself. By staff: the member, and why."""

    model_config = example(reason="moves away")

    member: uuid.UUID | None = None
    reason: Reason = ""


class Sure(Strict):
    """The password of whoever asked, and the phrase that the request has."""

    model_config = example(password="…", phrase="delete alice")  # noqa: S106

    password: Annotated[str, Field(max_length=400)]
    phrase: Annotated[str, Field(max_length=400)]


class Decision(Strict):
    """Why it is decided so."""

    model_config = example(reason="asked for by mail")

    reason: Reason = ""


@router.post("/erasure-requests", response=RequestSeen)
def ask(request: HttpRequest, asked: Asked | None = None) -> dict[str, Any]:
    """Ask for deletion: one's own account with everything about it, or a member's data in this community."""
    asked = asked or Asked()
    with _entered(request) as reader:
        return doors.shown_to(reader, requests.ask(reader, member=asked.member, reason=asked.reason))


@router.get("/erasure-requests", response=Items[RequestSeen])
def listed(request: HttpRequest, whose: Query[Whose]) -> dict[str, Any]:
    """One's own, newest first; for staff all of the community, or those of one member, which is put in the audit."""
    with _entered(request) as reader:
        rows = ErasureRequest.objects.filter(community_id=reader.community)
        if not reader.is_staff:
            if whose.member not in (None, reader.member):
                raise Problem(403, "forbidden", "for staff only")
            rows = rows.filter(person_id=reader.person)
        elif whose.member:
            if not whose.reason.strip():
                raise Problem(422, "bad_request", "a reason is needed")
            audit.write(reader, audit.OPENED, None, whose.member, reason=whose.reason.strip())
            rows = rows.filter(member=whose.member)
        items = [doors.shown_to(reader, row) for row in rows]
    return {"items": items, "count": len(items)}


@router.get("/erasure-requests/{wanted}", response=RequestSeen | Held, auth=LINKED)
def one(request: HttpRequest, wanted: uuid.UUID) -> dict[str, Any]:
    """How it stands; by the link also for whose account is gone."""
    held = _held(request, wanted)
    if held is not None:
        return doors.shown(held)
    with _entered(request) as reader:
        return doors.shown_to(reader, _one(wanted))


@router.post("/erasure-requests/{wanted}/confirm", response=Confirmed)
def confirm(request: HttpRequest, wanted: uuid.UUID, sure: Sure) -> dict[str, Any]:
    """By whoever asked; `receipt` is the address under which the person gets the receipt, shown this once."""
    with _entered(request) as reader:
        row, secret = doors.confirm(request, reader, wanted, password=sure.password, phrase=sure.phrase)
        address = f"/api/v1/erasure-requests/{row.id}/receipt?link={secret}" if secret else None
        return doors.shown_to(reader, row) | {"receipt": address}


@router.post("/erasure-requests/{wanted}/approve", response=RequestSeen)
def approve(request: HttpRequest, wanted: uuid.UUID, decision: Decision | None = None) -> dict[str, Any]:
    """What staff asked for, by another admin or auditor."""
    with _entered(request) as reader:
        why = decision.reason if decision else ""
        return doors.shown_to(reader, requests.approve(reader, wanted, reason=why))


@router.post("/erasure-requests/{wanted}/cancel", response=RequestSeen)
def cancel(request: HttpRequest, wanted: uuid.UUID) -> dict[str, Any]:
    """Until it has begun."""
    with _entered(request) as reader:
        return doors.shown_to(reader, requests.cancel(reader, wanted))


@router.post("/erasure-requests/{wanted}/again", response=RequestSeen)
def again(request: HttpRequest, wanted: uuid.UUID) -> dict[str, Any]:
    """Of a `partial` one: the sweep looks once more, by who decides."""
    with _entered(request) as reader:
        return doors.shown_to(reader, requests.look_again(reader, wanted))


@router.post("/erasure-requests/{wanted}/link", response=Linked)
def link(request: HttpRequest, wanted: uuid.UUID) -> dict[str, Any]:
    """The one-time link to the receipt of what staff asked for, by who decides; an earlier link is void."""
    with _entered(request) as reader:
        secret = requests.hand_over(reader, wanted)
    return {"id": str(wanted), "receipt": f"/api/v1/erasure-requests/{wanted}/receipt?link={secret}"}


@router.get("/erasure-requests/{wanted}/receipt", response=Receipt, auth=LINKED, exclude_unset=True)
def the_receipt(request: HttpRequest, wanted: uuid.UUID, link: str = "") -> dict[str, Any]:
    """By the link, once: the signed receipt with its salt. For staff: without the salt, which only the link gives."""
    held = _held(request, wanted)
    if held is not None:
        found = requests.receipt_for(wanted, link)
        if found is None:
            raise Problem(409, "conflict", "it has not ended yet")
        return found
    with _entered(request) as reader:
        row = _one(wanted)
        if not reader.is_staff:
            raise Problem(403, "forbidden", "the receipt is given by its link")
        if row.receipt is None:
            raise Problem(409, "conflict", "it has not ended yet")
        return dict(row.receipt)


@contextmanager
def _entered(request: HttpRequest) -> Iterator[Reader]:
    """The reader's unit of work; refusals become problems."""
    reader = reader_of(request)
    try:
        with scoped(reader):
            yield reader
    except Refused as refused:
        raise Problem(STATUSES.get(refused.code, 422), refused.code, str(refused)) from refused


def _held(request: HttpRequest, wanted: uuid.UUID) -> ErasureRequest | None:
    """The request by whose link this call came; 404 where the link is another's."""
    row: ErasureRequest | None = getattr(request, "by_link", None)
    if row is not None and row.id != wanted:
        raise missing("request")
    return row


def _one(wanted: uuid.UUID) -> ErasureRequest:
    row = ErasureRequest.objects.filter(id=wanted).first()
    if row is None:
        raise missing("request")
    return row
