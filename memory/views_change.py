"""Changing one memory in place: the member's own page and the staff's call the same verbs, on the same parts."""

import uuid
from collections.abc import Callable
from datetime import date, datetime, time
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import audit, correct, impact, showing
from memory.extraction.guard import hidden
from memory.ledger import Change
from memory.models import Memory
from memory.opening import Opened
from memory.shapes import TEXT
from memory.terms import Status
from memory.visible import difference
from profiles.access import AskedBy, in_community, rendered, scoped
from profiles.models import Membership

REASON = 200
"""Code points of a reason, as the audit keeps it."""


def of_member(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view of the reader's own memories or, with `member`, of those that staff open with a reason; who may only read
    changes nothing here."""

    @in_community
    @wraps(view)
    def inner(request: AskedBy, *args: Any, member: uuid.UUID | None = None, **kwargs: Any) -> HttpResponse:
        reader = request.reader
        here = Opened(reader, member or reader.member)
        if member is not None and not reader.is_staff:
            raise PermissionDenied
        if request.method == "POST" and not showing.may_change(here):
            raise PermissionDenied
        if here.own:
            return view(request, here, *args, **kwargs)
        if not Membership.objects.filter(id=here.member, community_id=reader.community, frozen_at=None).exists():
            raise Http404
        why = reason(request)
        if not why:
            raise PermissionDenied(_("A reason is needed."))
        with scoped(reader, subject=here.member):
            audit.looked(reader, [here.member], reason=why, again=True)
            return rendered(view(request, here, *args, **kwargs))

    return inner


def reason(request: AskedBy) -> str:
    """Why staff open somebody's memories, in one line."""
    given = request.POST.get("reason") or request.GET.get("reason") or ""
    return " ".join(given.split())[:REASON]


@require_safe
@of_member
def card(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """One memory as it stands in a list."""
    return _card(request, here, memory)


@of_member
def edit(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """Its words and dates, beside where they came from; what is refused comes back with the reason, nothing is lost."""
    if request.method != "POST":
        row = _seen(here, memory)
        return _form(request, here, row, text=hidden(row.text))
    text, version = request.POST.get("text", "").strip(), _number(request.POST.get("version", ""))
    row = _owned(here, memory)
    try:
        if row.version != version:
            raise correct.Stale(row)
        fields = _fields(request, here, row, text)
        if fields:
            correct.revise(here.reader, row, fields, reason=reason(request))
            return _card(request, here, memory, told=_("Corrected."))
    except correct.Stale as stale:
        problem = _("It was changed meanwhile. It says now what stands above; your words are kept below.")
        row = _seen(here, stale.current.id)
        return _form(request, here, row, text=text, status=409, problem=problem, apart=difference(row.text, text))
    except correct.Refused as refused:
        return _form(request, here, _seen(here, memory), text=text, status=422, problem=str(refused))
    return _card(request, here, memory)


@require_POST
@of_member
def pin(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """It never fades, or may again."""
    row = _owned(here, memory)
    correct.revise(here.reader, row, {"pinned": not row.pinned}, reason=reason(request))
    told = _("Pinned: it never fades.") if row.pinned else _("It may fade again.")
    return _card(request, here, memory, told=told)


@of_member
def forget(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """First what hangs on it; then forget it, with a way back."""
    if request.method != "POST":
        row = _seen(here, memory)
        shown = showing.memory(here, row)
        return render(request, "memory/_reach.html", {"memory": shown, "reach": impact.reach(here.member, row)})
    change = correct.forget(here.reader, memory, reason=reason(request), owner=here.member)
    if change is None:
        raise Http404
    shown = {"id": str(memory), "undo": showing.memory(here, change.memory)["undo"]}
    return render(request, "memory/_forgotten.html", {"memory": shown, "change": str(change.id)})


@require_POST
@of_member
def wrong(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """It is not so: out of recall until it is settled."""
    row = _owned(here, memory)
    if row.status == Status.ACTIVE:
        why = "marked wrong" if here.own else reason(request)
        correct.flag(here.reader, row, reason=why)
    return _card(request, here, memory, told=_("It is out of use until this is settled."))


@require_POST
@of_member
def settle(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """What was doubted is right, or is wrong."""
    verb = {"approve": correct.approve, "reject": correct.reject}.get(request.POST.get("verb", ""))
    if verb is None:
        raise Http404
    row = _owned(here, memory)
    if row.status != Status.UNDER_REVIEW:
        return _card(request, here, memory, told=_("It was settled meanwhile."))
    verb(here.reader, row, reason="" if here.own else reason(request))
    told = _("Found right.") if verb is correct.approve else _("Found wrong: kept as history only.")
    return _card(request, here, memory, told=told)


@require_POST
@of_member
def restore(request: AskedBy, here: Opened, memory: uuid.UUID) -> HttpResponse:
    """Back to one of its versions."""
    row = _owned(here, memory)
    try:
        change = correct.restore(here.reader, row, _number(request.POST.get("to", "")), reason=reason(request))
    except correct.Unfit as unfit:
        return _card(request, here, memory, told=str(unfit))
    if change is None:
        raise Http404
    return _card(request, here, memory, told=_("Brought back."))


@require_POST
@of_member
def merge(request: AskedBy, here: Opened) -> HttpResponse:
    """Two that say the same become one sentence with the sources of both; whoever was faster is shown instead."""
    asked, text = request.POST, request.POST.get("text", "").strip()
    try:
        rows = [_owned(here, uuid.UUID(asked.get(name, ""))) for name in ("one", "other")]
    except ValueError:
        return HttpResponseBadRequest()
    versions = [_number(asked.get(name, "")) for name in ("version", "other_version")]
    for row, version in zip(rows, versions, strict=True):
        if row.version != version:
            told = _("It was changed meanwhile; this is how it stands now.")
            return _card(request, here, row.id, told=told, way_back=False)
    try:
        if not text or len(text) > TEXT:
            raise correct.Refused(_("It needs a sentence, of at most %(limit)d characters.") % {"limit": TEXT})
        done = correct.merge(here.reader, rows, text)
    except (correct.Refused, correct.Unfit) as refused:
        return _card(request, here, rows[0].id, told=str(refused), way_back=False)
    return _card(request, here, done.memory.id, told=_("Put together."))


@require_POST
@of_member
def undo(request: AskedBy, here: Opened) -> HttpResponse:
    """Take one change back."""
    change: Change | None = None
    try:
        change = correct.undo(here.reader, uuid.UUID(request.POST.get("change", "")), owner=here.member)
    except correct.Stale as stale:
        told = _("It was changed since; nothing was undone.")
        return _card(request, here, stale.current.id, told=told, way_back=False)
    except ValueError:
        pass
    if change is None:
        raise Http404
    if change.memory.status == Status.FORGOTTEN:
        gone = {"memory": {"id": str(change.memory.id)}, "told": _("Undone.")}  # what it made goes
        return render(request, "memory/_forgotten.html", gone)
    return _card(request, here, change.memory.id, told=_("Undone."), way_back=False)


def _seen(here: Opened, memory: uuid.UUID) -> Memory:
    found = Memory.objects.readable_by(here.reader) if here.own else Memory.objects.filter(owner_id=here.member)
    shown = showing.rows(found.filter(id=memory).exclude(status=Status.FORGOTTEN))
    if not shown:
        raise Http404
    return shown[0]


def _owned(here: Opened, memory: uuid.UUID) -> Memory:
    found = correct.own(here.reader, memory, owner=here.member)
    if found is None:
        raise Http404
    return found


def _card(
    request: AskedBy, here: Opened, memory: uuid.UUID, *, told: str = "", way_back: bool = True
) -> HttpResponse:  # fmt: skip
    """The memory anew; what was just done to it can be taken back right there."""
    shown = showing.memory(here, _seen(here, memory))
    change = shown["versions"][-1]["change"] if told and way_back and shown["versions"] else ""
    return render(request, "memory/_memory.html", {"memory": shown, "told": told, "change": change})


def _form(
    request: AskedBy, here: Opened, row: Memory, *, text: str, status: int = 200, **more: Any
) -> HttpResponse:  # fmt: skip
    context = {"memory": showing.memory(here, row), "yours": text, "limit": TEXT, **_days(here, row), **more}
    return render(request, "memory/_edit.html", context, status=status)


def _days(here: Opened, row: Memory) -> dict[str, str]:
    """The dates that it holds from and to, on the reader's calendar."""
    zone = ZoneInfo(here.reader.time_zone)
    dates = {"valid_from": row.valid_from, "valid_to": row.valid_to}
    return {name: moment.astimezone(zone).date().isoformat() if moment else "" for name, moment in dates.items()}


def _fields(request: AskedBy, here: Opened, row: Memory, text: str) -> dict[str, Any]:
    """What differs from what is kept; raises `Refused`."""
    if not text or len(text) > TEXT:
        raise correct.Refused(_("It needs a sentence, of at most %(limit)d characters.") % {"limit": TEXT})
    fields: dict[str, Any] = {"text": text} if text != row.text else {}
    for name, day in _days(here, row).items():
        given = request.POST.get(name, day)
        if given != day:
            fields[name] = _moment(given, here.reader.time_zone)
    return fields


def _moment(day: str, zone: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(day), time(), ZoneInfo(zone)) if day else None
    except ValueError as error:
        raise correct.Refused(_("That is no date.")) from error


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else -1
