"""Door: finds that staff save under a name, apply, and remove; each one sees their own."""

import uuid
from urllib.parse import parse_qsl, urlencode

from memory import policy
from memory.models import Search
from profiles.access import Reader

FIELDS = ("q", "kind", "category", "status", "scope", "origin", "assistant", "since", "until", "used")
"""What is kept of the form; never the reason, by which words are opened."""


def kept(reader: Reader) -> list[Search]:
    """The reader's, by their names."""
    return list(Search.objects.filter(owner_id=reader.member))


def save(reader: Reader, name: str, query: str) -> bool:
    """Keep it, in the place of one of the same name; False where there is no name or there are too many."""
    name = " ".join(name.split())[: Search._meta.get_field("name").max_length]
    mine = Search.objects.filter(owner_id=reader.member)
    if not name or mine.exclude(name=name).count() >= policy.SEARCHES_KEPT:
        return False
    asked = [(field, value) for field, value in parse_qsl(query[: policy.SEARCH_CHARACTERS]) if field in FIELDS]
    fields = {"community_id": reader.community, "query": urlencode([("find", "1"), *asked])}
    Search.objects.update_or_create(owner_id=reader.member, name=name, defaults=fields)
    return True


def remove(reader: Reader, search: uuid.UUID) -> bool:
    """Whether there was one."""
    return bool(Search.objects.filter(owner_id=reader.member, id=search).delete()[0])
