"""What pages and REST say of a deletion request, and the check of the password that both make before a confirmation."""

import uuid
from typing import Any

from allauth.core import ratelimit
from django.http import HttpRequest
from django.utils.translation import gettext as _

from assistant.erasing import requests
from assistant.erasing.requests import DECIDERS, OPEN, Refused
from memory.shapes import iso
from profiles.access import Reader
from profiles.models import ErasureRequest, RequestState

TIMES = ("requested_at", "due_at", "confirmed_at", "cools_until", "approved_at", "started_at", "ended_at")


def confirm(
    request: HttpRequest, reader: Reader, wanted: uuid.UUID, *, password: str, phrase: str
) -> tuple[ErasureRequest, str]:
    """As `requests.confirm`, which raises `Refused`.

    Only so many passwords a minute may be tried, whoever's session it is.
    """
    if not ratelimit.consume(request, action="erasure", key=str(reader.person)):
        raise Refused(_("Too many attempts. Try again in a minute."), "rate_limited")
    return requests.confirm(reader, wanted, password=password, phrase=phrase)


def shown(row: ErasureRequest) -> dict[str, Any]:
    """What whoever holds its link may know; it names nobody."""
    covers = "account" if row.account or "account" in row.counts else "community"
    times = {name: iso(getattr(row, name)) for name in TIMES}
    return {"id": str(row.id), "state": row.state, "own": row.own, "covers": covers, **times}


def shown_to(reader: Reader, row: ErasureRequest) -> dict[str, Any]:
    """What the person, and staff of the community, may know; the phrase is for whoever asked."""
    phrase = row.phrase if row.asked_by_id == reader.person else ""
    member = str(row.member) if row.member else None
    return shown(row) | {"member": member, "reason": row.reason, "phrase": phrase, "may": verbs(reader, row)}


def verbs(reader: Reader, row: ErasureRequest) -> list[str]:
    """What this reader can do with it now: the buttons of a page."""
    decides = reader.role in DECIDERS
    mine = row.person_id == reader.person
    found = {
        "confirm": row.state == RequestState.REQUESTED and row.asked_by_id == reader.person,
        "approve": row.state == RequestState.CONFIRMED and not row.own and decides
        and reader.person not in (row.asked_by_id, row.person_id),
        "cancel": row.state in OPEN and (mine or (not row.own and (decides or row.asked_by_id == reader.person))),
        "again": row.state == RequestState.PARTIAL and decides,
        "receipt": row.state in requests.ENDED and not row.own and decides and bool(row.salt),
    }  # fmt: skip
    return [name for name, can in found.items() if can]
