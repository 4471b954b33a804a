"""A stated fact becomes a profile field, with its old value and its turn kept."""

import uuid
from datetime import datetime
from typing import Any

from profiles.access import Reader
from profiles.models import Profile, ProfileChange

LISTED = 12
"""Interests and topics kept."""


def profile_of(reader: Reader) -> Profile:
    """The reader's profile here, made on first use."""
    profile, _ = Profile.objects.get_or_create(membership_id=reader.member, defaults={"community_id": reader.community})
    return profile


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


def unlearn(reader: Reader, profile: Profile, value: str) -> None:
    """Take a value out of every field that holds it, and out of their history."""
    if profile.name == value:
        profile.name = ""
    profile.interests = [item for item in profile.interests if item != value]
    profile.last_topics = [item for item in profile.last_topics if item != value]
    profile.preferences = {key: kept for key, kept in profile.preferences.items() if kept != value}
    profile.version += 1
    profile.save()
    for change in ProfileChange.objects.filter(membership_id=reader.member):
        if value in str(change.old) or value in str(change.new):
            change.delete()


def count(profile: Profile, at: datetime) -> None:
    """One more interaction."""
    profile.interaction_count += 1
    profile.first_seen = profile.first_seen or at
    profile.last_seen = at
    profile.save()
