"""What is known about the reader, one memory, the assistant's notes, and passages that answers cite."""

import uuid
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memory import audit, beside, blocks, entities, labels, paging, picture, policy, remember, showing
from memory.models import Memory, Passage
from memory.opening import Opened
from memory.terms import Status
from profiles.access import AskedBy, in_community
from profiles.learn import profile_of
from profiles.models import Role


@in_community
def mine(request: AskedBy) -> HttpResponse:
    """Everything known about the reader, in their own words and grouped."""
    reader = request.reader
    here = Opened(reader, reader.member)
    if request.GET.get("view") == "time":
        return _times(request, here)
    own = Memory.objects.filter(owner_id=reader.member).order_by("-created_at")
    live = showing.rows(own.filter(status__in=showing.LIVE), history=False)
    shown = showing.memories(here, live, history=False)
    gone = own.filter(status=Status.FORGOTTEN, sealed__isnull=False)  # what is emptied has no way back
    groups: dict[str, list[dict[str, Any]]] = {category: [] for category in labels.GROUPS}
    for row in shown:
        groups[row["group"]].append(row)
    named = [{"label": labels.group(category), "memories": found} for category, found in groups.items() if found]
    edges = entities.everything(reader.member)
    context = {
        "profile": showing.profile(profile_of(reader)), "count": len(shown),
        "memory_on": reader.memory_on is not False, "groups": named, "notes": beside.notes(here),
        "limit": policy.BLOCK_LIMIT, "may": showing.may_change(here), "looks": _looks(),
        "edges": edges, "picture": picture.drawn(edges, _("you")), "overviews": beside.overviews(here),
        "answers": beside.answers(here),
        "forgotten": [_forgotten(row) for row in gone.prefetch_related("versions")],
        "waiting": [row for row in shown if row["status"] == Status.UNDER_REVIEW],
        "twice": showing.twice(here), "merge": reverse("merge"),
    }  # fmt: skip
    return render(request, "memory/mine.html", context)


def _times(request: AskedBy, here: Opened) -> HttpResponse:
    """The same memories, and what they took the place of, month by month."""
    rows = Memory.objects.filter(owner_id=here.member).exclude(status=Status.FORGOTTEN)
    shown = showing.rows(paging.newest(rows, paging.place(request.GET.get("before", ""))))
    context = {"months": showing.months(here, shown), "plain": True, "more": paging.more(shown)}
    return render(request, "memory/times.html", context)


@require_POST
@in_community
def notes(request: AskedBy) -> HttpResponse:
    """Write the assistant's notes on the reader anew; what is refused comes back with the reason."""
    reader, text = request.reader, request.POST.get("text", "")
    if reader.role == Role.AUDITOR:
        raise PermissionDenied
    version, here = request.POST.get("version", ""), Opened(reader, reader.member)
    try:
        block = blocks.human_of(reader, reader.member)
        blocks.write(reader, block, text, actor=remember.ACTOR, version=int(version) if version.isdigit() else -1)
    except blocks.Stale as stale:
        problem = _("They were changed meanwhile; this is how they stand now.")
        shown = beside.notes(here) | {"problem": problem, "yours": text, "version": stale.current.version}
    except blocks.Refused as refused:
        shown = beside.notes(here) | {"problem": str(refused), "yours": text}
    else:
        shown = beside.notes(here) | {"saved": True}
    return render(request, "memory/_notes.html", {"notes": shown, "limit": policy.BLOCK_LIMIT, "may": True})


@in_community
def one(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """One memory with its sources and versions."""
    found = Memory.objects.readable_by(request.reader).filter(id=memory).exclude(status=Status.FORGOTTEN)
    rows = showing.rows(found)
    if not rows:
        raise Http404
    here = Opened(request.reader, request.reader.member)
    return render(request, "memory/memory.html", {"memory": showing.memory(here, rows[0])})


@in_community
def passage(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """A piece of shared knowledge, as answers cite it."""
    row = Passage.objects.select_related("document").filter(id=passage).first()
    if row is None:
        raise Http404
    shown = {"title": row.title, "text": row.text, "html": "", "section": "", "updated_at": row.updated_at,
             "verified_by": row.verified_by, "document_title": row.document.title, "valid_to": row.valid_to,
             "valid_from": row.valid_from, "holds": row.holds(request.reader.today)}  # fmt: skip
    return render(request, "memory/passage.html", {"passage": shown})


def _looks() -> list[dict[str, Any]]:
    nobody = _("a former moderator")
    return [{"at": one.at, "who": one.who or nobody, "reason": labels.reason(one.reason)} for one in audit.looks()]


def _forgotten(row: Memory) -> dict[str, Any]:
    last = max(row.versions.all(), key=lambda version: version.number)
    return {"id": str(row.id), "at": last.at, "change": str(last.change)}
