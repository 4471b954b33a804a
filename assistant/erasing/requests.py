"""Door: who may ask for an erasure, confirm, approve and cancel it, and which ones are due."""

import hashlib
import secrets
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memory import audit
from profiles.access import EDITORS, Reader
from profiles.models import ErasureRequest, Membership, RequestState, Role, User

DECIDERS = frozenset({Role.ADMIN, Role.AUDITOR})
OPEN = (RequestState.REQUESTED, RequestState.CONFIRMED, RequestState.APPROVED)
"""The states in which it can be cancelled."""


ENDED = (RequestState.DONE, RequestState.PARTIAL)


class Refused(Exception):
    """Not as things stand, or not by this person; the message is one sentence, `code` what programs are told."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


def ask(reader: Reader, *, member: uuid.UUID | None = None, reason: str = "") -> ErasureRequest:
    """By the person: the account and everything about it; by staff, for one `member`: their community only.

    One that is open already is given again. Raises `Refused`. Inside the caller's unit of work.
    """
    member = None if member == reader.member else member
    if member is not None and reader.role not in EDITORS:
        raise Refused(_("Only moderators and admins may ask for somebody else."), "forbidden")
    if member is not None and not reason.strip():
        raise Refused(_("Say why."))
    whose = Membership.objects.filter(id=member or reader.member, community_id=reader.community).first()
    if whose is None:
        raise Refused(_("There is no such member."), "not_found")
    waiting = about(whose.user_id, reader.community).filter(state__in=OPEN)
    if member is None:  # what staff have asked for gives way to what the person wants themselves
        for other in waiting.filter(own=False):
            cancel(reader, other.id)
    known = waiting.first()
    if known is not None:
        return known
    user = User.objects.get(id=whose.user_id)
    row = ErasureRequest(
        community_id=reader.community, person=user, member=whose.id, account=member is None, own=member is None,
        asked_by_id=reader.person, reason=reason.strip()[:400], phrase=f"DELETE {user.username}",
        due_at=timezone.now() + timedelta(days=settings.ERASURE_DUE_DAYS),
    )  # fmt: skip
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        raise Refused(_("It is being erased already."), "conflict") from None
    _note(reader, row, "erasure asked")
    if row.own:
        _tell(row, _("Your deletion request was received"), _("It begins only once it is confirmed."))
    else:
        body = _("Staff of the community asked for it. Until it begins you can cancel it on the page “Privacy”.")
        _tell(row, _("The deletion of your data was asked for"), body)
    return row


def about(person: uuid.UUID, community: uuid.UUID) -> QuerySet[ErasureRequest]:
    """What has not ended and concerns the person there: their account, or that community only."""
    here = Q(community_id=community) | Q(account=True)
    return ErasureRequest.objects.filter(here, person_id=person, ended_at=None)


def confirm(reader: Reader, request: uuid.UUID, *, password: str, phrase: str) -> tuple[ErasureRequest, str]:
    """By whoever asked, with their password and the phrase; then it cools off, and waits for who must approve it.

    Returns the secret of the link to the receipt too, where it is the person who asked: later nobody is left to tell.
    """
    row = _locked(request)
    user = User.objects.get(id=reader.person)
    if row.asked_by_id != reader.person:
        raise Refused(_("Only whoever asked may confirm."), "forbidden")
    if row.state != RequestState.REQUESTED:
        raise Refused(_("It was confirmed or ended already."), "conflict")
    if not user.check_password(password):
        raise Refused(_("The password is not right."))
    if " ".join(phrase.split()) != row.phrase:
        raise Refused(_("The phrase is not right."))
    row.state, row.confirmed_at = RequestState.CONFIRMED, timezone.now()
    row.cools_until = row.confirmed_at + timedelta(days=settings.ERASURE_COOLING_DAYS)
    row.save(update_fields=["state", "confirmed_at", "cools_until"])
    _note(reader, row, "erasure confirmed")
    until = _("Until %(when)s it can be cancelled on the page “Privacy”.")
    said = [until % {"when": f"{row.cools_until:%Y-%m-%d %H:%M} UTC"}]
    secret = link(row) if row.own else ""
    if secret:
        where = _("Here you can follow it, and fetch the receipt once: %(address)s")
        said.append(where % {"address": f"{settings.ORIGINS[0]}/receipts/{row.id}/{secret}/"})
    _tell(row, _("Your deletion request was confirmed"), "\n".join(said))
    return row, secret


def approve(reader: Reader, request: uuid.UUID, *, reason: str = "") -> ErasureRequest:
    """What staff have asked for, by another admin or auditor."""
    row = _locked(request)
    if reader.role not in DECIDERS:
        raise Refused(_("Only an admin or an auditor may approve."), "forbidden")
    if row.own:
        raise Refused(_("Nobody has to approve what the person asked for."), "conflict")
    if row.asked_by_id == reader.person or row.person_id == reader.person:
        raise Refused(_("Somebody else has to approve it."), "forbidden")
    if row.state != RequestState.CONFIRMED:
        raise Refused(_("It is not confirmed, or was decided already."), "conflict")
    row.state, row.approved_by_id, row.approved_at = RequestState.APPROVED, reader.person, timezone.now()
    row.save(update_fields=["state", "approved_by", "approved_at"])
    _note(reader, row, "erasure approved", reason)
    body = _("Until it begins you can cancel it on the page “Privacy”.")
    _tell(row, _("The deletion of your data was approved"), body)
    return row


def cancel(reader: Reader, request: uuid.UUID) -> ErasureRequest:
    """By the person, whoever asked, or who decides; until it has begun."""
    row = _locked(request)
    if reader.person not in (row.person_id, row.asked_by_id) and reader.role not in DECIDERS:
        raise Refused(_("This is not yours to cancel."), "forbidden")
    if row.own and reader.person != row.person_id:
        raise Refused(_("Only the person may take back their own request."), "forbidden")
    if row.state not in OPEN:
        raise Refused(_("It has begun, or has ended."), "conflict")
    row.state, row.ended_at = RequestState.CANCELLED, timezone.now()
    row.save(update_fields=["state", "ended_at"])
    _note(reader, row, "erasure cancelled")
    _tell(row, _("Your deletion request was cancelled"), _("Nothing was deleted."))
    return row


def look_again(reader: Reader, request: uuid.UUID) -> ErasureRequest:
    """What was left may be gone by now: the sweep looks once more, and writes a new receipt. By who decides."""
    row = _locked(request)
    if reader.role not in DECIDERS:
        raise Refused(_("Only an admin or an auditor may do this."), "forbidden")
    if row.state != RequestState.PARTIAL:
        raise Refused(_("Nothing was left, or it is being looked for."), "conflict")
    row.state, row.ended_at = RequestState.VERIFYING, None
    row.save(update_fields=["state", "ended_at"])
    _note(reader, row, "sweep again")
    return row


def begun(row: ErasureRequest, *, account: bool) -> None:
    """The last letter, before the address goes."""
    body = _("This is the last letter to this address.") if account else _("Your account stays.")
    _tell(row, _("Your data is being deleted now"), body)


def due() -> list[uuid.UUID]:
    """What is to begin, or to go on where it was cut off."""
    rows = ErasureRequest.objects.using("erase")
    cooled = Q(cools_until__lte=timezone.now())
    ready = cooled & (Q(own=True, state=RequestState.CONFIRMED) | Q(own=False, state=RequestState.APPROVED))
    begun = Q(state__in=(RequestState.ERASING, RequestState.VERIFYING))
    return list(rows.filter(ready | begun).order_by("requested_at").values_list("id", flat=True))


def link(row: ErasureRequest) -> str:
    """A fresh one-time link's secret, in the caller's unit of work; only its hash is kept, an earlier one is void."""
    secret = secrets.token_urlsafe(24)
    row.link = _digest(secret)
    row.save(update_fields=["link"])
    return secret


def hand_over(reader: Reader, request: uuid.UUID) -> str:
    """The secret of the link to what staff asked for, by who decides, once it has ended and until it was taken."""
    row = _locked(request)
    if reader.role not in DECIDERS:
        raise Refused(_("Only an admin or an auditor may do this."), "forbidden")
    if row.own:
        raise Refused(_("The person was given the link with the confirmation."), "conflict")
    if row.state not in ENDED or not row.salt:
        raise Refused(_("It has not ended, or its receipt was handed over already."), "conflict")
    _note(reader, row, "receipt link")
    return link(row)


def by_link(secret: str) -> ErasureRequest | None:
    """The request that the link belongs to; whoever holds it may be in no community any more."""
    if not secret or "erase" not in settings.DATABASES:
        return None
    return ErasureRequest.objects.using("erase").filter(link=_digest(secret)).first()


def receipt_for(request: uuid.UUID, secret: str) -> dict[str, Any] | None:
    """The receipt with its salt, once; None where the link is no good, or was used."""
    rows = ErasureRequest.objects.using("erase")
    with transaction.atomic(using="erase"):
        row = rows.select_for_update().filter(id=request, link=_digest(secret)).exclude(receipt=None).first()
        if row is None:
            return None
        rows.filter(id=request).update(link="", salt="")
    return {**(row.receipt or {}), "salt": row.salt}


def _locked(request: uuid.UUID) -> ErasureRequest:
    row = ErasureRequest.objects.select_for_update(of=("self",)).filter(id=request).first()
    if row is None:
        raise Refused(_("There is no such request."), "not_found")
    return row


def _note(reader: Reader, row: ErasureRequest, action: str, reason: str = "") -> None:
    audit.write(reader, action, row.id, row.member, reason=reason or row.reason)


def _tell(row: ErasureRequest, subject: str, body: str) -> None:
    """A letter to the person, if there is an address; in the language of the moment."""
    address = row.person.email if row.person else ""
    if address:
        transaction.on_commit(lambda: send_mail(subject, body, None, [address]) and None)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
