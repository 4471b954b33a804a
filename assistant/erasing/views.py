"""Pages around the deletion of one's own data: the request, how it stands, and the receipt for who holds its link."""

import json
import uuid
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assistant.erasing import doors, receipt, requests
from assistant.erasing.requests import ENDED, Refused
from assistant.exporting import views as exporting
from memory import policy
from profiles.access import AskedBy, Reader, in_community
from profiles.views import switches


@in_community
def privacy(request: AskedBy) -> HttpResponse:
    """The switches, what is kept for how long, the export, and the end of it all."""
    return _page(request)


@require_POST
@in_community
def ask(request: AskedBy) -> HttpResponse:
    """Ask for one's own deletion; nothing happens before it is confirmed."""
    try:
        requests.ask(request.reader)
    except Refused as refused:
        return _page(request, problem=str(refused))
    return _page(request)


@require_POST
@never_cache
@in_community
def confirm(request: AskedBy, wanted: uuid.UUID) -> HttpResponse:
    """With the password and the phrase; the link to the receipt is shown this once."""
    said = {name: request.POST.get(name, "") for name in ("password", "phrase")}
    try:
        row, secret = doors.confirm(request, request.reader, wanted, **said)
    except Refused as refused:
        return _page(request, problem=str(refused))
    where = reverse("receipt", args=[row.id, secret]) if secret else ""
    return _page(request, link=request.build_absolute_uri(where) if where else "")


@require_POST
@in_community
def cancel(request: AskedBy, wanted: uuid.UUID) -> HttpResponse:
    """Until it has begun."""
    try:
        requests.cancel(request.reader, wanted)
    except Refused as refused:
        return _page(request, problem=str(refused))
    return _page(request)


@require_http_methods(["GET", "POST"])
@never_cache
def the_receipt(request: HttpRequest, wanted: uuid.UUID, secret: str) -> HttpResponse:
    """For who holds the link, signed in or not: how it stands; POST takes the receipt, once."""
    row = requests.by_link(secret)
    if row is None or row.id != wanted:
        raise Http404
    if request.method == "POST":
        found = requests.receipt_for(wanted, secret)
        if found is not None:
            answer = HttpResponse(json.dumps(found, indent=2) + "\n", content_type="application/json")
            answer["Content-Disposition"] = f'attachment; filename="receipt-{wanted}.json"'
            return answer
    context = {"row": row, "ended": row.state in ENDED, "salt": bool(row.salt)}
    return render(request, "profiles/receipt.html", context)


@require_safe
def key(request: HttpRequest) -> HttpResponse:
    """The public key that receipts are signed with, as PEM."""
    return HttpResponse(receipt.public_key(), content_type="text/plain; charset=utf-8")


def _page(request: AskedBy, *, problem: str = "", link: str = "") -> HttpResponse:
    """The whole page; or, where htmx asked, the part of it that speaks of deletion."""
    deletion = {"deletion": _current(request.reader), "problem": problem, "link": link}
    if request.headers.get("HX-Request"):
        return render(request, "profiles/_deletion.html", deletion)
    context = {**switches(request.reader), "export": exporting.state(request.reader), **deletion}
    context["retention"] += [{"what": _("Files of an export"), "how_long": _days(policy.EXPORT_DAYS)},
                             {"what": _("Backups"), "how_long": _days(settings.BACKUP_DAYS)}]  # fmt: skip
    return render(request, "profiles/privacy.html", context)


def _days(number: int) -> str:
    return ngettext("%(n)s day", "%(n)s days", number) % {"n": number}


def _current(reader: Reader) -> dict[str, Any] | None:
    """The request that is open or under way, and what the person can do with it."""
    row = requests.about(reader.person, reader.community).first()
    return {"row": row, "may": doors.verbs(reader, row), "waits": row.state in requests.OPEN} if row else None
