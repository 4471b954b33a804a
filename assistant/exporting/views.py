"""The part of the page “Privacy” by which a member takes everything away."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from assistant.exporting import api, asking
from profiles.access import AskedBy, Reader, in_community
from profiles.models import ExportState


def state(reader: Reader) -> dict[str, Any] | None:
    """The member's export as the page shows it; None: there is none. Inside the reader's unit of work."""
    row = asking.current(reader)
    if row is None:
        return None
    under_way = row.state in (ExportState.QUEUED, ExportState.RUNNING)
    return api.shown(row) | {"under_way": under_way, "until": row.expires_at}


@require_http_methods(["GET", "POST"])
@in_community
def export(request: AskedBy) -> HttpResponse:
    """POST asks for one; GET is what the page asks again while it is made."""
    if request.method == "POST":
        asking.ask(request.reader)
    if not request.headers.get("HX-Request"):
        return redirect("privacy")
    return render(request, "profiles/_export.html", {"export": state(request.reader)})
