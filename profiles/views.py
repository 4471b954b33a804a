"""Joining, leaving, and the member's own switches."""

import uuid
import zoneinfo
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from profiles import joining
from profiles.access import AskedBy, Reader, in_community
from profiles.models import Community, Membership


@login_required
def welcome(request: AskedBy) -> HttpResponse:
    """What an account without a community sees: a code, or a community that is open."""
    mine = {reader.community for reader in request.readers}
    rows = [row for row in Community.objects.filter(is_open=True) if row.id not in mine]
    shown = [{"slug": row.slug, "name": row.said("name"), "description": row.said("description")} for row in rows]
    return render(
        request, "conversation/welcome.html", {"open_communities": shown, "problem": request.GET.get("problem")}
    )


@login_required
@require_POST
def join(request: AskedBy) -> HttpResponse:
    """By the code of an invitation, or an open community by its name."""
    person = cast(uuid.UUID, request.user.id)
    community = joining.join(person, code=request.POST.get("code", ""), community=request.POST.get("community", ""))
    if community is None:
        return redirect("/welcome/?problem=code")
    request.session["community"] = community.slug
    return redirect("home")


@require_POST
@in_community
def leave(request: AskedBy) -> HttpResponse:
    """Leave the community; what it remembered about the member goes with the membership."""
    if request.POST.get("community") != request.reader.slug:
        return HttpResponseBadRequest()
    joining.leave(request.reader)
    request.session.pop("community", None)
    return redirect("welcome")


@require_POST
@in_community
def choose(request: AskedBy) -> HttpResponse:
    """The choice about memory: at the first visit, and at any time after."""
    chosen = {"on": True, "off": False}.get(request.POST.get("memory", ""))
    if chosen is None:
        return HttpResponseBadRequest()
    Membership.objects.filter(id=request.reader.member).update(memory_on=chosen)
    return redirect("mine" if request.POST.get("next") == "/me/memory/" else "home")


def switches(reader: Reader) -> dict[str, Any]:
    """For the page “Privacy”: the switches, and what is kept for how long."""
    retention = [
        {"what": _("Conversations and memories"), "how_long": _("until you forget them or leave")},
        {"what": _("Audit skeleton"), "how_long": _("kept; it names nobody")},
    ]
    here = Community.objects.get(id=reader.community)
    return {"memory_on": reader.memory_on is not False, "retention": retention,
            "zones": sorted(zoneinfo.available_timezones()), "time_zone": reader.time_zone, "community": here.slug,
            "community_name": here.said("name")}  # fmt: skip


@require_POST
@in_community
def zone(request: AskedBy) -> HttpResponse:
    """The zone in which the member's "tomorrow" is meant."""
    chosen = request.POST.get("time_zone", "")
    if chosen not in zoneinfo.available_timezones():
        return HttpResponseBadRequest()
    Membership.objects.filter(id=request.reader.member).update(time_zone=chosen)
    return redirect("/me/privacy/")
