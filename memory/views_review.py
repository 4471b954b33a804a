"""The review queue: what waits for a decision, oldest first, one key for each verb; every verb can be undone."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from memory import audit, correct, labels, paging, policy, queue, recurring, showing
from memory.ledger import Change
from memory.models import Memory
from memory.opening import Opened
from memory.queue import Waiting
from memory.shapes import TEXT
from memory.terms import Category, Kind, Origin, Scope, Status
from memory.visible import difference, pieces
from profiles.access import EDITORS, AskedBy, Frozen, Reader, for_editors, for_staff, scoped

REASON = "review"
"""Why staff open what waits, as the audit and the member have it."""


@require_safe
@for_staff
def review(request: AskedBy, handed: Callable[[], int]) -> HttpResponse:
    """The queue from a place on, and the first that waits there; `handed`: how many members wait for a person."""
    at = _uuid(request.GET.get("at", ""))
    return _page(request, "staff/review.html", again=False, at=at, asked_a_person=handed(),
                 asked_again=recurring.waiting())  # fmt: skip


@require_safe
@for_staff
def thing(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """One that waits, with its sources and what else its slot says."""
    waiting = queue.one(memory)
    if waiting is None:
        return render(request, "staff/_thing.html", {"thing": None})
    shown = _thing(request.reader, waiting)
    members = [waiting.owner] if waiting.owner else []
    audit.looked(request.reader, members, reason=REASON, again=True)
    return render(request, "staff/_thing.html", {"thing": shown})


@require_POST
@for_editors
def decide(request: AskedBy) -> HttpResponse:
    """Approve or reject one, or all that are selected; each as it was when it was read."""
    verb = {"approve": correct.approve, "reject": correct.reject}.get(request.POST.get("verb", ""))
    if verb is None:
        raise Http404
    done: list[tuple[Change, uuid.UUID | None]] = []
    left, chosen = 0, list(_chosen(request))
    for owner in {waiting.owner for memory, _version in chosen if (waiting := queue.one(memory))}:
        with suppress(Frozen), scoped(request.reader, subject=owner):  # all before the audit's lock is taken
            pass
    for memory, version in chosen:
        try:
            with _opened(request.reader, memory, version) as row:
                done.append((verb(request.reader, row, reason=REASON), row.owner_id))
        except (correct.Stale, correct.Unfit, Http404):
            left += 1
    said = (ngettext("%(count)d approved.", "%(count)d approved.", len(done)) if verb is correct.approve
            else ngettext("%(count)d rejected.", "%(count)d rejected.", len(done))) % {"count": len(done)}  # fmt: skip
    if left:
        said += " " + ngettext("%(count)d was changed meanwhile and stays.",
                               "%(count)d were changed meanwhile and stay.", left) % {"count": left}  # fmt: skip
    return _page(request, "staff/_queue.html", told=said, undo=[_back(change, owner) for change, owner in done])


@require_POST
@for_editors
def edit(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """Other words, and approved with them; where somebody was faster both texts are shown and nothing is lost."""
    text, change = request.POST.get("text", "").strip(), uuid.uuid4()
    try:
        with _opened(request.reader, memory, _number(request)) as row:
            if not text or len(text) > TEXT:
                raise correct.Refused(_("It needs a sentence, of at most %(limit)d characters.") % {"limit": TEXT})
            if text != row.text:
                correct.revise(request.reader, row, {"text": text}, reason=REASON, change=change)
            done = correct.approve(request.reader, row, reason=REASON, change=change)
    except correct.Stale as stale:
        return _again(request, stale.current, text, 409)
    except correct.Refused as refused:
        return _page(request, "staff/_queue.html", at=memory, problem=str(refused), yours=text, status=422)
    return _page(request, "staff/_queue.html", told=_("Corrected and approved."), undo=[_back(done, row.owner_id)])


@require_POST
@for_editors
def merge(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """It and the chosen neighbours become one sentence."""
    text = request.POST.get("text", "").strip()
    try:
        with _opened(request.reader, memory, _number(request)) as row:
            wanted = [uuid.UUID(one) for one in dict.fromkeys(request.POST.getlist("with"))]
            others = [correct.own(request.reader, one, owner=row.owner_id) for one in sorted(wanted)]
            if not text or len(text) > TEXT:
                raise correct.Refused(_("It needs a sentence, of at most %(limit)d characters.") % {"limit": TEXT})
            done = correct.merge(request.reader, [row, *(one for one in others if one)], text)
    except correct.Stale as stale:
        return _again(request, stale.current, text, 409)
    except correct.Unfit:
        problem = _("Choose what to merge it with: current or doubted memories of the same member.")
        return _page(request, "staff/_queue.html", at=memory, problem=problem, yours=text, status=422)
    except (correct.Refused, ValueError) as refused:
        return _page(request, "staff/_queue.html", at=memory, problem=str(refused), yours=text, status=422)
    return _page(request, "staff/_queue.html", told=_("Merged."), undo=[_back(done, row.owner_id)])


@require_POST
@for_editors
def undo(request: AskedBy) -> HttpResponse:
    """Take the last act back; what was changed since stays."""
    reader, back, left, first = request.reader, 0, 0, None
    for pair in request.POST.getlist("change"):
        change, _sep, owner = pair.partition(":")
        try:
            whose = uuid.UUID(owner) if owner else None
            with scoped(reader, subject=whose):
                done = correct.undo(reader, uuid.UUID(change), owner=whose)
        except (correct.Stale, ValueError):
            done = None
        back, left = (back + 1, left) if done else (back, left + 1)
        first = first or (done.memory.id if done else None)
    said = ngettext("%(count)d undone.", "%(count)d undone.", back) % {"count": back}
    if left:
        said += " " + _("What was changed since stays as it is.")
    return _page(request, "staff/_queue.html", told=said, at=first)


def _page(
    request: AskedBy, template: str, *, again: bool = True, at: uuid.UUID | None = None, status: int = 200,
    **more: Any,
) -> HttpResponse:  # fmt: skip
    """The queue as it stands now; `at`: the one to show, else the first after the place that the reader is at."""
    given = request.POST if request.method == "POST" else request.GET
    after, here = paging.place(given.get("after", "")), paging.place(given.get("place", ""))
    rows, count = queue.page(after)
    if not rows and after:
        rows, after = queue.page()[0], None
    chosen = next((row for row in rows if row.id == at), None) or (queue.one(at) if at else None)
    chosen = chosen or next((row for row in rows if here and row.place > here), None) or (rows[0] if rows else None)
    seen = [*rows, *([chosen] if chosen else [])]
    reader, members = request.reader, {row.owner for row in seen if row.owner}
    shown = _thing(reader, chosen) if chosen else None  # enters before the audit's lock is taken, as an erasure does
    audit.looked(reader, members, reason=REASON, again=again)
    context = {
        "items": [_item(row, chosen) for row in rows], "count": count, "after": given.get("after", "") if after else "",
        "thing": shown, "may": reader.role in EDITORS,
        "more": _key(rows[-1]) if len(rows) == policy.REVIEW_PAGE and count > len(rows) else "", **more,
    }  # fmt: skip
    return render(request, template, context, status=status)


def _again(request: AskedBy, now: Memory, text: str, status: int) -> HttpResponse:
    """Somebody was faster: what it says now, and what was meant."""
    if now.status != Status.UNDER_REVIEW:
        problem = _("It was settled meanwhile and says now: %(text)s") % {"text": now.text}
    else:
        problem = _("It was changed meanwhile. It says now what stands above; your words are kept below.")
    apart = difference(now.text, text) if text else []
    return _page(request, "staff/_queue.html", at=now.id, status=status, problem=problem, yours=text, apart=apart)


@contextmanager
def _opened(reader: Reader, memory: uuid.UUID, version: int) -> Iterator[Memory]:
    """One that waits, locked, in a unit of work that may see it."""
    waiting = queue.one(memory)
    if waiting is None:
        raise Http404
    try:
        with scoped(reader, subject=waiting.owner):
            row = correct.own(reader, memory, owner=waiting.owner, version=version)
            if row is None:
                raise Http404
            yield row
    except Frozen as frozen:  # its member began to be erased a moment ago
        raise Http404 from frozen


def _item(row: Waiting, chosen: Waiting | None) -> dict[str, Any]:
    return {"id": str(row.id), "version": row.version, "pieces": pieces(row.text), "since": row.since, "key": _key(row),
            "name": row.name or Scope(row.scope).label, "why": labels.reason(row.why), "confidence": row.confidence,
            "current": chosen is not None and row.id == chosen.id}  # fmt: skip


def _thing(reader: Reader, row: Waiting) -> dict[str, Any]:
    here = Opened(reader, row.owner or reader.member)
    with scoped(reader, subject=row.owner):
        found = showing.rows(Memory.objects.filter(id=row.id))
        beside = queue.neighbours(found[0]) if found else []
        shown = showing.memory(here, found[0]) if found else {}
    return shown | {
        "version": row.version, "name": row.name, "owner": str(row.owner or ""), "since": row.since, "key": _key(row),
        "why": labels.reason(row.why), "actor": labels.actor(row.actor), "confidence": row.confidence,
        "kind": Kind(row.kind).label, "category": Category(row.category).label, "origin": Origin(row.origin).label,
        "beside": [_neighbour(row, one) for one in beside], "may": reader.role in EDITORS,
    }  # fmt: skip


def _neighbour(row: Waiting, one: Memory) -> dict[str, Any]:
    """What stands beside it, and what it says otherwise."""
    return {"id": str(one.id), "pieces": difference(row.text, one.text), "status": one.get_status_display(),
            "at": one.created_at, "origin": one.get_origin_display(),
            "fits": one.status in (Status.ACTIVE, Status.UNDER_REVIEW)}  # fmt: skip


def _back(change: Change, owner: uuid.UUID | None) -> str:
    return f"{change.id}:{owner or ''}"


def _key(row: Waiting) -> str:
    return paging.key(*row.place)


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _chosen(request: HttpRequest) -> Iterator[tuple[uuid.UUID, int]]:
    """The ids with the versions that were read, at most a page of them."""
    for pair in request.POST.getlist("memory")[: policy.REVIEW_PAGE]:
        memory, _sep, version = pair.partition(":")
        try:
            yield uuid.UUID(memory), int(version)
        except ValueError as error:
            raise Http404 from error


def _number(request: HttpRequest) -> int:
    text = request.POST.get("version", "")
    return int(text) if text.isdecimal() and len(text) < 9 else -1
