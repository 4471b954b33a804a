"""Everything from one turn or one day, forgotten as one: first how far it reaches, then one press, then one undo."""

import uuid
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from memory import forget_many, sealed
from memory.correct import Stale
from memory.forget_many import From
from memory.opening import Opened
from memory.showing import may_change
from memory.views_change import of_member, reason
from memory.views_staff import day
from memory.visible import pieces
from profiles.access import AskedBy


@of_member
def many(request: AskedBy, here: Opened) -> HttpResponse:
    """What would go; with POST it goes, or with `change` comes back."""
    given = request.POST if request.method == "POST" else request.GET
    base = "/me/memory/" if here.own else f"/staff/members/{here.member}/"
    shown: dict[str, Any] = {
        "turn": given.get("turn", ""), "day": given.get("day", ""), "url": f"{base}forget/", "may": may_change(here),
        "reason": "" if here.own else reason(request),
        "back": "/me/memory/" if here.own else f"/staff/members/{here.member}/",
    }  # fmt: skip
    if request.method == "POST" and request.POST.get("change"):
        shown["told"] = _undone(here, request.POST["change"])
        return _page(request, shown)
    which = _which(here, shown["turn"], shown["day"])
    if which is None:
        return _page(request, shown, 200 if not given.get("day") else 422)
    if request.method == "POST":
        shown["done"] = forget_many.forget(here.reader, here.member, which, reason=shown["reason"])
    else:
        meant = forget_many.meant(here.member, which)
        words = sealed.rows_shown(here.member, meant.memories)
        shown |= {"meant": meant, "lines": [(pieces(row.text), row.get_status_display()) for row in words]}
    return _page(request, shown)


def _undone(here: Opened, change: str) -> str:
    try:
        if forget_many.undo(here.reader, here.member, uuid.UUID(change)):
            return _("All of it is back.")
    except Stale:
        return _("Something of it was changed since; nothing was undone.")
    except ValueError:
        pass
    raise Http404


def _which(here: Opened, turn: str, asked: str) -> From | None:
    try:
        if turn:
            return From(turn=uuid.UUID(turn))
    except ValueError as error:
        raise Http404 from error
    since = day(here.reader, asked)
    until = day(here.reader, asked, days=1)
    return From(since=since, until=until) if since and until else None


def _page(request: AskedBy, shown: dict[str, Any], status: int = 200) -> HttpResponse:
    """The whole page, or the part alone for who is on one already."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return render(request, "memory/_many.html" if htmx else "memory/many.html", shown, status=status)
