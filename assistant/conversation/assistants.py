"""Which assistant a conversation is with, and what it may read and write: its role, stated on every read and write."""

from dataclasses import replace

from django.db.models import Q

from assistant.conversation.frames import Refusal
from assistant.conversation.models import Assistant
from profiles.access import Agent, Reader


def offered(reader: Reader) -> list[Assistant]:
    """Those that the reader can talk to here, the default one first."""
    here = Q(spaces=None) | Q(spaces__in=reader.spaces)
    return list(Assistant.objects.filter(here, community_id=reader.community, active=True).distinct())


def named(reader: Reader) -> list[tuple[str, str]]:
    """All of the community, also those that are no longer active: id and name."""
    rows = Assistant.objects.filter(community_id=reader.community)
    return [(str(key), name) for key, name in rows.values_list("id", "name")]


def chosen(reader: Reader, slug: str | None) -> Assistant | None:
    """The one that is asked for, or the default; None where the community has none. Raises `Refusal`."""
    rows = Assistant.objects.filter(community_id=reader.community, active=True)
    row = (rows.filter(is_default=True) if slug is None else rows.filter(slug=slug)).first()
    if row is not None and (not (its := set(row.spaces.values_list("id", flat=True))) or its & set(reader.spaces)):
        return row
    if slug is None:
        return None
    raise Refusal("not_found", "no such assistant")


def acting(reader: Reader, assistant: Assistant | None) -> Reader:
    """The reader with the assistant acting for them: no more than both may see."""
    if assistant is None:
        return reader
    agent = Agent(assistant.id, frozenset(assistant.reads), frozenset(assistant.writes))
    its = set(assistant.spaces.values_list("id", flat=True)) if reader.spaces else set()
    spaces = tuple(space for space in reader.spaces if space in its) if its else reader.spaces
    return replace(reader, agent=agent, spaces=spaces)
