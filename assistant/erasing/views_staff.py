"""`/staff/requests/`: the deletion requests of a community, each with its deadline, and who may decide what."""

import uuid
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from assistant.erasing import doors, requests
from assistant.erasing.requests import OPEN, Refused
from profiles.access import EDITORS, AskedBy, Reader, for_staff
from profiles.models import ErasureRequest, Membership


@require_http_methods(["GET", "POST"])
@for_staff
def requested(request: AskedBy) -> HttpResponse:
    """All of them, newest first; POST asks on a member's behalf."""
    reader, problem = request.reader, ""
    if request.method == "POST":
        try:
            requests.ask(reader, member=_member(request), reason=request.POST.get("reason", ""))
        except Refused as refused:
            problem = str(refused)
    others = Membership.objects.filter(community_id=reader.community, frozen_at=None).exclude(id=reader.member)
    members = others.select_related("user").order_by("user__username") if reader.role in EDITORS else []
    context = {"requests": [_shown(reader, row) for row in _rows(reader)], "members": members, "problem": problem}
    return render(request, "staff/requests.html", context)


@require_POST
@never_cache
@for_staff
def decide(request: AskedBy, wanted: uuid.UUID, verb: str) -> HttpResponse:
    """Confirm, approve or cancel it, or make the link to its receipt; answers with the request as it stands now."""
    reader, said = request.reader, request.POST
    problem = link = ""
    try:
        if verb == "confirm":
            sure = {name: said.get(name, "") for name in ("password", "phrase")}
            doors.confirm(request, reader, wanted, **sure)
        elif verb == "approve":
            requests.approve(reader, wanted, reason=said.get("reason", "")[:400])
        elif verb == "cancel":
            requests.cancel(reader, wanted)
        elif verb == "again":
            requests.look_again(reader, wanted)
        elif verb == "receipt":
            link = request.build_absolute_uri(reverse("receipt", args=[wanted, requests.hand_over(reader, wanted)]))
        else:
            raise Http404
    except Refused as refused:
        problem = str(refused)
    row = _rows(reader).filter(id=wanted).first()
    if row is None:
        raise Http404
    context = {"request_": _shown(reader, row) | {"problem": problem, "link": link}}
    page = "staff/_request.html" if request.headers.get("HX-Request") else "staff/request.html"
    return render(request, page, context)


def _rows(reader: Reader) -> QuerySet[ErasureRequest]:
    rows = ErasureRequest.objects.filter(community_id=reader.community)
    return rows.select_related("person", "asked_by", "approved_by")


def _shown(reader: Reader, row: ErasureRequest) -> dict[str, Any]:
    late = row.ended_at is None and row.due_at < timezone.now()
    return {"row": row, "may": doors.verbs(reader, row), "late": late, "open": row.state in OPEN,
            "phrase": row.phrase if row.asked_by_id == reader.person else ""}  # fmt: skip


def _member(request: AskedBy) -> uuid.UUID:
    """The member that was chosen; for what is no id, nobody."""
    try:
        return uuid.UUID(request.POST.get("member", ""))
    except ValueError:
        return uuid.UUID(int=0)
