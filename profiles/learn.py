"""A stated fact becomes a profile field, with its old value and its turn kept."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from profiles.access import Reader
from profiles.models import Profile, ProfileChange

LISTED = 12
"""Interests and topics kept."""


def profile_of(reader: Reader, member: uuid.UUID | None = None) -> Profile:
    """The profile of the reader here, or of the `member` that staff have opened, made on first use."""
    profile, _ = Profile.objects.get_or_create(
        membership_id=member or reader.member, defaults={"community_id": reader.community}
    )
    return profile


def write(profile: Profile, fields: dict[str, Any]) -> list[str]:
    """Set fields by hand, as they are given; returns the names of those that changed. Nothing is joined."""
    changed = [field for field, new in fields.items() if new != getattr(profile, field)]
    for field in changed:
        ProfileChange.objects.create(
            membership_id=profile.membership_id, community_id=profile.community_id, field=field,
            old=getattr(profile, field), new=fields[field],
        )  # fmt: skip
        setattr(profile, field, fields[field])
    if changed:
        profile.version += 1
        profile.save()
    return changed


def learn(reader: Reader, profile: Profile, turn: uuid.UUID, **fields: Any) -> list[str]:
    """Set the fields that differ; returns their names. Lists are joined, newest first."""
    changed = []
    for field, new in fields.items():
        old = getattr(profile, field)
        if isinstance(old, list):
            new = [*new, *(item for item in old if item not in new)][:LISTED]
        if isinstance(old, dict):
            new = old | new
        if new == old:
            continue
        setattr(profile, field, new)
        ProfileChange.objects.create(
            membership_id=reader.member, community_id=reader.community, field=field, old=old, new=new, turn=turn
        )
        changed.append(field)
    if changed:
        profile.version += 1
    return changed


def unlearn(profile: Profile, value: str) -> None:
    """Take a value out of every field that holds it, and out of their history."""
    if profile.name == value:
        profile.name = ""
    profile.interests = [item for item in profile.interests if item != value]
    profile.last_topics = [item for item in profile.last_topics if item != value]
    profile.preferences = {key: kept for key, kept in profile.preferences.items() if kept != value}
    profile.version += 1
    profile.save()
    for change in ProfileChange.objects.filter(membership_id=profile.membership_id):
        if value in str(change.old) or value in str(change.new):
            change.delete()


def take_back(profile: Profile, turns: Iterable[uuid.UUID]) -> None:
    """Undo what these turns have filled in, newest first, where it still stands, and drop it from the history."""
    changes = ProfileChange.objects.filter(membership_id=profile.membership_id, turn__in=list(turns)).order_by("-id")
    for change in changes:
        now, old, new = getattr(profile, change.field), change.old, change.new
        if isinstance(now, list):
            gone = [item for item in new or [] if item not in (old or [])]
            setattr(profile, change.field, [item for item in now if item not in gone])
        elif isinstance(now, dict):
            gone = [key for key, kept in (new or {}).items() if (old or {}).get(key) != kept]
            setattr(profile, change.field, {key: kept for key, kept in now.items() if key not in gone})
        elif now == new:
            setattr(profile, change.field, old)
        change.delete()
        profile.version += 1
    profile.save()


def count(profile: Profile, at: datetime) -> None:
    """One more interaction."""
    profile.interaction_count += 1
    profile.first_seen = profile.first_seen or at
    profile.last_seen = at
    profile.save()
