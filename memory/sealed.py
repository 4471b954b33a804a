"""What a memory says, taken out of its row, versions and sources, and kept encrypted where only an undo reaches it.

Called by the ledger alone; whoever needs the words of what is forgotten, to hide them elsewhere, asks `words`.
"""

import json
import uuid
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import QuerySet

from memory import keys
from memory.models import Key, Memory, Source, Version

ROW = ("text", "value", "subject", "slot", "terms")
EMPTY: dict[str, Any] = {"text": "", "value": "", "subject": "", "slot": "", "terms": []}


@dataclass(frozen=True, slots=True)
class Words:
    """The row's own, those of its versions by number, and the quotes by turn."""

    row: dict[str, Any]
    versions: dict[str, dict[str, Any]]
    quotes: dict[str, str]

    def said(self) -> set[str]:
        """Sentence, value and quotes."""
        return {self.row["text"], self.row["value"], *self.quotes.values()}

    def values(self) -> set[str]:
        """What was said of its slot, at any time."""
        return {self.row["value"], *(version["value"] for version in self.versions.values())}

    def ever(self) -> set[str]:
        """These, and what its versions said."""
        return self.said() | {version[name] for version in self.versions.values() for name in ("text", "value")}


def seal(memory: Memory) -> None:
    """Its words leave the tables; the instance in hand still says them, so that a caller can undo what they led to."""
    if memory.sealed is None:
        found = _read(memory)
        content = json.dumps(asdict(found), ensure_ascii=False).encode()
        memory.sealed = keys.shut(_key(memory, make=True), content, str(memory.id))
        empty(memory, sealed=memory.sealed)


def unseal(memory: Memory) -> None:
    """Its words are back where they were, in the instance in hand too."""
    if memory.sealed is None:
        return
    found, memory.sealed = words(memory), None
    for name, value in found.row.items():
        setattr(memory, name, value)
    Memory.objects.filter(id=memory.id).update(sealed=None, **found.row)
    for number, version in found.versions.items():
        Version.objects.filter(memory=memory, number=int(number)).update(**version)
    for turn, quote in found.quotes.items():
        Source.objects.filter(memory=memory, turn=turn).update(quote=quote)


def words(memory: Memory) -> Words:
    """What it says, or said before it was sealed; raises `keys.Unopened` rather than to take lost words for none."""
    return _read(memory) if memory.sealed is None else _opened(memory.id, bytes(memory.sealed), _key(memory))


def all_words(owner: uuid.UUID, memories: QuerySet[Memory]) -> list[Words]:
    """As `words`, for many sealed ones of one owner."""
    rows = list(memories.exclude(sealed=None).values_list("id", "sealed"))
    key = _owners_key(owner) if rows else b""
    return [_opened(about, bytes(kept or b""), key) for about, kept in rows]


def empty(memory: Memory, *, sealed: bytes | None = None) -> None:
    """Nothing of its words is left in the tables but `sealed`."""
    Source.objects.filter(memory=memory).update(quote="")
    Version.objects.filter(memory=memory).update(text="", value="", content={})
    Memory.objects.filter(id=memory.id).update(sealed=sealed, **EMPTY)


def _read(memory: Memory) -> Words:
    row = Memory.objects.values(*ROW).get(id=memory.id)
    versions = memory.versions.values_list("number", "text", "value", "content")
    return Words(
        dict(row),
        {str(number): {"text": text, "value": value, "content": content} for number, text, value, content in versions},
        {str(turn): quote for turn, quote in memory.sources.values_list("turn", "quote")},
    )  # fmt: skip


def _opened(memory: uuid.UUID, kept: bytes, key: bytes) -> Words:
    return Words(**json.loads(keys.opened(key, kept, str(memory))))


def _key(memory: Memory, *, make: bool = False) -> bytes:
    """The owner's; of what is shared the community's, which hangs on no person."""
    if memory.owner_id is None:
        return keys.of_community(memory.community_id)
    if make and not Key.objects.filter(owner_id=memory.owner_id).exists():
        fresh = {"community_id": memory.community_id, "wrapped": keys.wrapped(str(memory.owner_id))}
        Key.objects.get_or_create(owner_id=memory.owner_id, defaults=fresh)
    return _owners_key(memory.owner_id)


def _owners_key(owner: uuid.UUID) -> bytes:
    return keys.unwrapped(bytes(Key.objects.get(owner_id=owner).wrapped), str(owner))
