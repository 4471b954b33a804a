"""Staff look for members and memories, and open one member's with a reason; every opening is in the audit."""

import uuid
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import audit, beside, entities, finding, paging, picture, policy, queue, recurring, searches, showing
from memory.finding import Found, Wanted
from memory.models import Memory
from memory.opening import Opened
from memory.terms import Category, Kind, Origin, Scope, Status
from memory.views_change import reason
from memory.visible import pieces
from profiles.access import AskedBy, Reader, for_staff, scoped
from profiles.models import Membership, Profile

CHOICES = {"kind": Kind, "category": Category, "status": Status, "scope": Scope, "origin": Origin}


@require_safe
@for_staff
def index(
    request: AskedBy, assistants: Callable[[Reader], list[tuple[str, str]]], handed: Callable[[], int]
) -> HttpResponse:
    """The members and, where they are asked for, memories of all of them; words are shown for a reason only.
    `assistants`: gives the community's by id and name; `handed`: how many members wait for a person."""
    reader, asked = request.reader, request.GET
    talked_to = assistants(reader)
    choices = {name: choice.choices for name, choice in CHOICES.items()} | {"assistant": talked_to}
    chosen = {name: asked.get(name, "") for name in choices}
    if chosen["assistant"] not in dict(talked_to):
        chosen["assistant"] = ""
    oldest, waiting = queue.page(most=1)
    people, count = finding.members(reader, asked.get("who", ""), asked.get("after", ""))
    context = {
        "asked_a_person": handed(), "asked_again": recurring.waiting(),
         "members": [_person(row) for row in people],
        "count": showing.counted(count), "who": asked.get("who", ""),
        "more": people[-1].user.username if len(people) == policy.FIND_PAGE else "", "waiting": waiting,
        "oldest": oldest[0].since if oldest else None, "late": queue.late(oldest, waiting),
        "choices": [(name, options, chosen[name]) for name, options in choices.items() if options],
        "asked": asked, "finding": "find" in asked, "searches": searches.kept(reader), "query": _query(request),
        **(_found(request, chosen) if "find" in asked else {}),
    }  # fmt: skip
    return render(request, "staff/index.html", context)


@require_safe
@for_staff
def member(request: AskedBy, member: uuid.UUID) -> HttpResponse:
    """One member's profile, memories and what they name, page by page."""
    reader = request.reader
    here = Membership.objects.filter(community_id=reader.community, frozen_at=None)
    row = here.filter(id=member).select_related("user").first()
    if row is None:
        raise Http404
    why = reason(request)
    if not why:
        return render(request, "staff/member.html", {"needs_reason": True, "member": _person(row)})
    with scoped(reader, subject=row.id):
        audit.looked(reader, [row.id], reason=why)
        shown = _opened(request, Opened(reader, row.id), row.user.called)
    return render(request, "staff/member.html", {"member": _person(row), "reason": why, **shown})


def _opened(request: AskedBy, here: Opened, called: str) -> dict[str, Any]:
    rows: QuerySet[Memory] = Memory.objects.filter(owner_id=here.member).exclude(status=Status.FORGOTTEN)
    status, before = request.GET.get("status", ""), paging.place(request.GET.get("before", ""))
    rows = rows.filter(status=status) if status in Status else rows
    shown = showing.rows(paging.newest(rows, before))
    edges = entities.everything(here.member)
    return {
        "twice": [] if before else showing.twice(here),
        "merge": reverse("member-merge", args=[here.member]),
        "months": showing.months(here, shown), "count": rows.count(), "status": status, "plain": plain(request),
        "statuses": [choice for choice in Status.choices if choice[0] != Status.FORGOTTEN],
        "profile": showing.profile(Profile.objects.filter(membership_id=here.member).first()),
        "edges": edges, "picture": picture.drawn(edges, called), "notes": beside.notes(here),
        "overviews": beside.overviews(here), "answers": beside.answers(here),
        "more": paging.more(shown),
    }  # fmt: skip


def plain(request: AskedBy) -> bool:
    """Whether memories are asked for as plain lines of time, without what can be done to each."""
    return request.GET.get("view") == "time"


@require_POST
@for_staff
def save(request: AskedBy) -> HttpResponse:
    """Keep what is looked for under a name."""
    query = request.POST.get("query", "")
    if not searches.save(request.reader, request.POST.get("name", ""), query):
        messages.warning(request, _("It needs a name; at most %(most)d are kept.") % {"most": policy.SEARCHES_KEPT})
    return redirect(f"{reverse('staff')}?{query}")


@require_POST
@for_staff
def remove(request: AskedBy, search: uuid.UUID) -> HttpResponse:
    """Keep it no longer."""
    if not searches.remove(request.reader, search):
        raise Http404
    return redirect("staff")


def _found(request: AskedBy, chosen: dict[str, str]) -> dict[str, Any]:
    """Memories that fit what the form asks; without a reason only whose, what and when."""
    reader, asked, why = request.reader, request.GET, reason(request)
    text = asked.get("q", "").strip()
    wanted = Wanted(
        chosen, text if why else "", day(reader, asked.get("since", "")),
        day(reader, asked.get("until", ""), days=1), asked.get("used") == "week", paging.place(asked.get("before", "")),
    )  # fmt: skip
    rows, count = finding.memories(wanted, words=bool(why))
    owners = {row.owner for row in rows if row.owner}
    if why:
        audit.looked(reader, owners, reason=why, again=True)
    called = finding.names(reader, owners)
    last = rows[-1] if len(rows) == policy.FIND_PAGE else None
    return {
        "memories": [_line(row, called) for row in rows], "found": showing.counted(count), "reason": why,
        "needs_reason": bool(text and not why), "earlier": paging.key(last.created_at, last.id) if last else "",
    }  # fmt: skip


def _line(row: Found, called: dict[uuid.UUID, str]) -> dict[str, Any]:
    return {
        "id": str(row.id), "pieces": pieces(row.text), "shelved": row.shelved, "owner": row.owner and str(row.owner),
        "name": called.get(row.owner, "") if row.owner else "", "kind": Kind(row.kind).label,
        "category": Category(row.category).label, "status": Status(row.status).label, "scope": Scope(row.scope).label,
        "origin": Origin(row.origin).label, "at": row.created_at, "used": row.recalled_at,
    }  # fmt: skip


def _person(row: Membership) -> dict[str, Any]:
    return {"id": str(row.id), "name": row.user.called, "username": row.user.username,
            "role": row.get_role_display(), "joined_at": row.joined_at, "url": f"/staff/members/{row.id}/"}  # fmt: skip


def _query(request: AskedBy) -> str:
    """The form's own fields again, for the next page."""
    kept = request.GET.copy()
    kept.pop("before", None)
    return kept.urlencode()


def day(reader: Reader, text: str, *, days: int = 0) -> datetime | None:
    """The beginning of a day on the reader's calendar, or of one after it."""
    try:
        return datetime.combine(date.fromisoformat(text) + timedelta(days), time(), ZoneInfo(reader.time_zone))
    except (ValueError, OverflowError):
        return None
