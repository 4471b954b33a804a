"""The member's own memories, cited passages, and the first read-only pages for staff."""

import uuid
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memory import audit, blocks, correct, entities, labels, policy, remember, sealed
from memory.mask import masker
from memory.models import Block, Memory, Passage
from memory.terms import Status
from profiles.access import AskedBy, Reader, for_staff, in_community, scoped
from profiles.learn import profile_of
from profiles.models import Membership, Profile


@in_community
def mine(request: AskedBy) -> HttpResponse:
    """Everything known about the reader, in their own words and grouped."""
    reader = request.reader
    rows = Memory.objects.filter(owner_id=reader.member).order_by("-created_at").prefetch_related("sources")
    shown = [row for row in rows if row.status in (Status.ACTIVE, Status.UNDER_REVIEW)]
    gone = [row for row in rows if row.status == Status.FORGOTTEN and row.sealed]  # what is emptied has no way back
    groups: dict[str, list[dict[str, Any]]] = {category: [] for category in labels.GROUPS}
    for row in shown:
        groups[row.category].append(_shown(row))
    named = [{"label": labels.group(category), "memories": found} for category, found in groups.items() if found]
    context = {
        "profile": _profile(profile_of(reader)), "count": len(shown), "memory_on": reader.memory_on is not False,
        "groups": named, "notes": _notes(reader), "limit": policy.BLOCK_LIMIT, "looks": audit.looks(),
        "forgotten": [_forgotten(row) for row in gone], "edges": entities.everything(reader.member),
    }  # fmt: skip
    return render(request, "memory/mine.html", context)


@require_POST
@in_community
def notes(request: AskedBy) -> HttpResponse:
    """Write the assistant's notes on the reader anew; what is refused comes back with the reason."""
    reader, text = request.reader, request.POST.get("text", "")
    version = request.POST.get("version", "")
    try:
        block = blocks.human_of(reader, reader.member)
        blocks.write(reader, block, text, actor=remember.ACTOR, version=int(version) if version.isdigit() else -1)
    except blocks.Stale as stale:
        problem = _("They were changed meanwhile; this is how they stand now.")
        shown = _notes(reader) | {"problem": problem, "yours": text, "version": stale.current.version}
    except blocks.Refused as refused:
        shown = _notes(reader) | {"problem": str(refused), "yours": text}
    else:
        shown = _notes(reader) | {"saved": True}
    return render(request, "memory/_notes.html", {"notes": shown, "limit": policy.BLOCK_LIMIT})


@in_community
def one(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """One memory with its sources and versions."""
    row = Memory.objects.readable_by(request.reader).filter(id=memory).exclude(status=Status.FORGOTTEN).first()
    if row is None:
        raise Http404
    sealed.shown([row])
    return render(request, "memory/memory.html", {"memory": _shown(row), **_history(row)})


@require_POST
@in_community
def forget(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """Forget it, with a way back."""
    change = correct.forget(request.reader, memory)
    if change is None:
        raise Http404
    return render(request, "memory/_forgotten.html", {"memory": {"id": str(memory)}, "change": str(change.id)})


@require_POST
@in_community
def wrong(request: AskedBy, memory: uuid.UUID) -> HttpResponse:
    """It is not so: out of recall until it is settled."""
    change = correct.wrong(request.reader, memory)
    if change is None:
        raise Http404
    return render(request, "memory/_memory.html", {"memory": _shown(change.memory)})


@require_POST
@in_community
def undo(request: AskedBy) -> HttpResponse:
    """Take one change back."""
    try:
        change = correct.undo(request.reader, uuid.UUID(request.POST.get("change", "")))
    except (ValueError, correct.Stale):
        change = None
    if change is None:
        raise Http404
    return render(request, "memory/_memory.html", {"memory": _shown(change.memory)})


@in_community
def passage(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """A piece of shared knowledge, as answers cite it."""
    row = Passage.objects.select_related("document").filter(id=passage).first()
    if row is None:
        raise Http404
    shown = {"title": row.title, "text": row.text, "html": "", "section": "", "updated_at": row.updated_at,
             "verified_by": row.verified_by, "document_title": row.document.title}  # fmt: skip
    return render(request, "memory/passage.html", {"passage": shown})


@for_staff
def members(request: AskedBy) -> HttpResponse:
    """The members of the community; their memories open one member at a time, with a reason."""
    rows = Membership.objects.filter(community_id=request.reader.community).select_related("user")
    shown = [
        {"id": str(row.id), "name": row.user.called, "username": row.user.username, "role": row.get_role_display(),
         "joined_at": row.joined_at, "url": f"/staff/members/{row.id}/"}
        for row in rows.order_by("user__username")
    ]  # fmt: skip
    return render(request, "staff/index.html", {"members": shown})


@for_staff
def member(request: AskedBy, member: uuid.UUID) -> HttpResponse:
    """One member's memories, versions and sources: read-only, and every opening is in the audit."""
    reader = request.reader
    row = Membership.objects.filter(id=member, community_id=reader.community).select_related("user").first()
    if row is None:
        raise Http404
    who = {"name": row.user.called, "username": row.user.username, "role": row.get_role_display(),
           "joined_at": row.joined_at, "id": str(row.id)}  # fmt: skip
    reason = " ".join(request.GET.get("reason", "").split())[:200]
    if not reason:
        return render(request, "staff/member.html", {"needs_reason": True, "member": who})
    audit.write(reader, "opened", None, row.id, reason=reason, who=request.user.get_username())
    return render(request, "staff/member.html", {"member": who, "needs_reason": False, **_opened(reader, row.id)})


def _opened(reader: Reader, member: uuid.UUID) -> dict[str, Any]:
    with scoped(reader, subject=member):
        rows = Memory.objects.filter(owner_id=member).exclude(status=Status.FORGOTTEN).order_by("-created_at")
        profile = Profile.objects.filter(membership_id=member).first()
        shown = [_shown(row) | _history(row, own=False) for row in sealed.shown(rows)]
        return {"memories": shown, "profile": _profile(profile), "edges": entities.everything(member)}


def _notes(reader: Reader) -> dict[str, Any]:
    """The assistant's notes on the reader, without what was forgotten."""
    row = Block.objects.filter(owner_id=reader.member).first()
    return {"text": masker(reader)(row.text) if row and row.text else "", "version": row.version if row else 0}


def _forgotten(row: Memory) -> dict[str, Any]:
    last = row.versions.latest("number")
    return {"id": str(row.id), "at": last.at, "change": str(last.change)}


def _shown(row: Memory) -> dict[str, Any]:
    origin = row.sources.order_by("at").first()
    return {
        "id": str(row.id), "text": row.text, "kind": row.get_kind_display(),
        "category": row.get_category_display(), "status": row.status,
        "status_label": row.get_status_display(), "at": row.created_at, "version": row.version, "pinned": row.pinned,
        "source_quote": origin.quote if origin else "", "scope": row.get_scope_display(),
        "origin": row.get_origin_display(),
        "source_url": f"/c/{origin.conversation}/#t-{origin.turn}" if origin else "", "owner": "",
        "confidence": row.confidence, "importance": row.importance,
    }  # fmt: skip


def _history(row: Memory, *, own: bool = True) -> dict[str, Any]:
    """Versions and sources; staff see the quotes, never the conversations, so theirs are no links."""
    versions = [{"number": v.number, "text": v.text, "at": v.at, "actor": labels.actor(v.actor),
                 "reason": labels.reason(v.reason or v.action)} for v in row.versions.all()]  # fmt: skip
    sources = [{"quote": s.quote, "at": s.at, "url": f"/c/{s.conversation}/#t-{s.turn}" if own else ""}
               for s in row.sources.all()]  # fmt: skip
    return {"versions": versions, "sources": sources}


def _profile(profile: Profile | None) -> list[dict[str, Any]]:
    if profile is None:
        return []
    fields = {
        "name": (_("Name"), profile.name), "interests": (_("Interests"), labels.listed(profile.interests)),
        "expertise": (_("Expertise"), labels.level(profile.expertise)),
        "language": (_("Language"), labels.language(profile.language)),
        "preferences": (_("Preferences"), labels.listed(profile.preferences.values())),
        "last_topics": (_("Last topics"), labels.listed(profile.last_topics)),
        "interaction_count": (_("Talks so far"), profile.interaction_count),
        "first_seen": (_("First seen"), profile.first_seen), "last_seen": (_("Last seen"), profile.last_seen),
    }  # fmt: skip
    return [{"field": field, "label": label, "value": value, "source_quote": "", "changed_at": None}
            for field, (label, value) in fields.items() if value]  # fmt: skip
