"""The audit as a page: who did what to which memory, when and why; exports of it; and whether the chain is whole."""

import uuid
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory import audit as chain
from memory import labels, policy, showing, trail
from memory.trail import Entry, Wanted
from memory.views_staff import day
from profiles.access import AskedBy, for_staff

FIELDS = ("action", "actor", "about", "target", "since", "until")


@require_safe
@for_staff
def audit(request: AskedBy) -> HttpResponse:
    """A page of lines, newest first; with `check` the whole chain is read and what came of it is said."""
    reader, wanted = request.reader, _wanted(request)
    entries = trail.lines(reader, wanted)
    kept = {name: request.GET[name] for name in FIELDS if request.GET.get(name)}
    context = {
        "entries": [_line(entry) for entry in entries], "count": showing.counted(trail.count(reader, wanted)),
        "asked": kept, "actions": [(action, labels.reason(action)) for action in trail.actions(reader)],
        "before": entries[-1].position if len(entries) == policy.FIND_PAGE else "", "query": _query(request),
        "check": chain.verify(reader.community) if "check" in request.GET else None,
    }  # fmt: skip
    return render(request, "staff/audit.html", context)


@require_safe
@for_staff
def export(request: AskedBy) -> HttpResponse:
    """The same lines as a file; that it was taken is a line too."""
    kind = request.GET.get("as", "")
    if kind not in ("csv", "jsonl"):
        raise Http404
    entries = trail.lines(request.reader, _wanted(request), policy.EXPORT_LINES)
    chain.write(request.reader, "exported", None, None, lines=len(entries), form=kind)
    body = trail.as_csv(entries) if kind == "csv" else "".join(trail.as_jsonl(entries))
    types = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
    name = f"audit-{timezone.now():%Y%m%d-%H%M%S}.{kind}"
    return HttpResponse(body, types[kind], headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _wanted(request: AskedBy) -> Wanted:
    asked = request.GET
    before = asked.get("before", "")
    return Wanted(
        asked.get("action", ""), asked.get("actor", ""), _uuid(asked.get("about", "")), _uuid(asked.get("target", "")),
        day(request.reader, asked.get("since", "")), day(request.reader, asked.get("until", ""), days=1),
        int(before) if before.isdecimal() and len(before) < 19 else None,
    )  # fmt: skip


def _uuid(text: str) -> uuid.UUID | None:
    """An id; what is none finds nothing, rather than everything."""
    if not text:
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        return uuid.UUID(int=0)


def _line(entry: Entry) -> dict[str, Any]:
    return {
        "position": entry.position, "at": entry.at, "who": entry.who, "door": labels.actor(entry.door),
        "action": labels.reason(entry.action), "memory": entry.memory, "member": entry.member, "about": entry.about,
        "reason": labels.reason(entry.reason),
    }  # fmt: skip


def _query(request: AskedBy) -> str:
    kept = request.GET.copy()
    for name in ("before", "check", "as"):
        kept.pop(name, None)
    return kept.urlencode()
