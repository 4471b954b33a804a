"""What pages show of memories and profiles; many rows cost no more queries than one."""

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from memory import duplicates, labels, policy, sealed
from memory.extraction.guard import hidden
from memory.models import Memory
from memory.opening import Opened
from memory.terms import Status
from memory.visible import difference, pieces
from profiles.access import EDITORS
from profiles.models import Profile, Role

LIVE = (Status.ACTIVE, Status.UNDER_REVIEW)


def may_change(here: Opened) -> bool:
    """Members change what is theirs, moderators and admins what they have opened, auditors nothing."""
    return here.reader.role in EDITORS or (here.own and here.reader.role != Role.AUDITOR)


def rows(found: QuerySet[Memory], *, history: bool = True) -> list[Memory]:
    """With their sources and, with `history`, versions; and the words of those that lie in the archive file."""
    if history:
        found = found.select_related("replaced_by").prefetch_related("versions", "replaced")
    return sealed.shown(found.prefetch_related("sources"))


def memories(here: Opened, found: Iterable[Memory], *, history: bool = True) -> list[dict[str, Any]]:
    """Each one as a page shows it to this reader."""
    return [memory(here, row, history=history) for row in found]


def twice(here: Opened) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs that seem to say the same, for whoever may put them together."""
    if not may_change(here):
        return []
    active = Memory.objects.filter(owner_id=here.member, status=Status.ACTIVE)
    pairs = duplicates.pairs(active)
    wanted = active.filter(id__in={key for pair in pairs for key in pair}) if pairs else active.none()
    shown = {row.id: memory(here, row, history=False) for row in rows(wanted, history=False)}
    return [(shown[one], shown[other]) for one, other in pairs]


def memory(here: Opened, row: Memory, *, history: bool = True) -> dict[str, Any]:
    """One memory with where it came from and how it changed; staff see the quotes, never the conversations."""
    came = sorted(row.sources.all(), key=lambda source: source.at)
    whose = "/me/memory/" if here.own else f"/staff/members/{here.member}/"
    may = may_change(here)
    sources = [
        {"quote": source.quote, "at": source.at, "pieces": pieces(source.quote),
         "url": reverse("find-turn", args=[source.turn]) if here.own else "",
         "all": f"{whose}forget/?turn={source.turn}" if may and row.owner_id else ""}
        for source in came
    ]  # fmt: skip
    base = whose if here.own else f"{whose}memories/"
    return {
        "id": str(row.id), "text": hidden(row.text), "pieces": pieces(row.text), "kind": row.get_kind_display(),
        "category": row.get_category_display(), "group": row.category, "scope": row.get_scope_display(),
        "origin": row.get_origin_display(), "status": row.status, "status_label": row.get_status_display(),
        "at": row.created_at, "valid_to": row.valid_to, "version": row.version, "pinned": row.pinned,
        "confidence": row.confidence, "importance": row.importance, "sources": sources,
        "first": sources[0] if sources else None, "url": f"{base}{row.id}/",
        "versions": _versions(row) if history else [], "undo": f"{whose}undo/",
        "replaced_by": _other(row.replaced_by) if history and row.replaced_by else None,
        "instead_of": [_other(old) for old in row.replaced.all()] if history else [],
        "own": here.own, "live": row.status in LIVE,
        "may": may and (row.owner_id is not None or here.reader.role in EDITORS),
    }  # fmt: skip


def months(here: Opened, found: Iterable[Memory]) -> list[dict[str, Any]]:
    """A page of them by the month in which each was kept, on the reader's calendar, in the order given."""
    zone, lines = ZoneInfo(here.reader.time_zone), memories(here, found)
    by_month = groupby(lines, key=lambda line: line["at"].astimezone(zone).replace(day=1).date())
    return [{"month": month, "memories": list(group)} for month, group in by_month]


def _other(row: Memory) -> dict[str, Any]:
    """What took its place, or what it took the place of; without words where these are forgotten or archived."""
    return {"id": str(row.id), "pieces": pieces(row.text), "status": row.get_status_display()}


def _versions(row: Memory) -> list[dict[str, Any]]:
    """Oldest first, each with what it changed of the words before; the current one has nothing to go back to."""
    versions = sorted(row.versions.all(), key=lambda version: version.number)
    changed = [pieces(versions[0].text)] if versions else []
    changed += [difference(old.text, new.text) for old, new in pairwise(versions)]
    return [
        {"number": v.number, "text": v.text, "pieces": words, "at": v.at, "actor": labels.actor(v.actor),
         "reason": labels.done(v.action, v.reason), "change": str(v.change),
         "back": bool(v.text) and v.number != row.version and v.status != Status.FORGOTTEN}
        for v, words in zip(versions, changed, strict=True)
    ]  # fmt: skip


def profile(found: Profile | None) -> list[dict[str, Any]]:
    """The fields that say something."""
    if found is None:
        return []
    fields = {
        "name": (_("Name"), found.name), "interests": (_("Interests"), labels.listed(found.interests)),
        "expertise": (_("Expertise"), labels.level(found.expertise)),
        "language": (_("Language"), labels.language(found.language)),
        "preferences": (_("Preferences"), labels.listed(found.preferences.values())),
        "last_topics": (_("Last topics"), labels.listed(found.last_topics)),
        "interaction_count": (_("Talks so far"), found.interaction_count),
        "first_seen": (_("First seen"), found.first_seen), "last_seen": (_("Last seen"), found.last_seen),
    }  # fmt: skip
    return [{"field": field, "label": label, "value": value, "source_quote": "", "changed_at": None}
            for field, (label, value) in fields.items() if value]  # fmt: skip


def counted(found: int) -> str:
    """A count, or that it is more than is counted."""
    if found > policy.FIND_COUNT:
        return _("more than %(count)d") % {"count": policy.FIND_COUNT}
    return str(found)
