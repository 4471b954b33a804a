"""What a memory says, taken out of its row, versions and sources and kept encrypted: what is forgotten in a column of
the row, where only an undo reaches it, what is archived in the file of its member.

The ledger's verbs move them; others read: `words` to hide them elsewhere, `shown` to list what is archived.
"""

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, prefetch_related_objects

from memory import entities, keys, shelf
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


def shelve(owner: uuid.UUID, memories: Sequence[Memory]) -> None:
    """What they say moves into the owner's file; their rows stay."""
    with _shelf(owner, memories[0].community_id) as entries:
        for memory in memories:
            entries[str(memory.id)] = asdict(_read(memory))
            empty(memory, shelved=True)


def shown(memories: Iterable[Memory]) -> list[Memory]:
    """The same ones, of one owner; the shelved ones say in hand what they said, with their versions and quotes."""
    found = list(memories)
    there = [memory for memory in found if memory.shelved]
    prefetch_related_objects(there, "versions", "sources")
    entries = _entries(there[0].owner_id) if there and there[0].owner_id else {}
    for memory in there:
        kept = Words(**entries[str(memory.id)])
        for name, value in kept.row.items():
            setattr(memory, name, value)
        for version in memory.versions.all():
            for name, value in kept.versions[str(version.number)].items():
                setattr(version, name, value)
        for source in memory.sources.all():
            source.quote = kept.quotes[str(source.turn)]
    return found


def rows_shown(owner: uuid.UUID, memories: Iterable[Memory]) -> list[Memory]:
    """As `shown`, with nothing but the rows' own words."""
    found = list(memories)
    entries = _entries(owner) if any(memory.shelved for memory in found) else {}
    for memory in found:
        for name, value in entries[str(memory.id)]["row"].items() if memory.shelved else ():
            setattr(memory, name, value)
    return found


def unseal(memory: Memory) -> None:
    """Its words are back where they were, in the instance in hand too."""
    unseal_all([memory])


def unseal_all(memories: Sequence[Memory]) -> None:
    """As `unseal`, for many of one owner: their file is written anew once."""
    hidden = [memory for memory in memories if memory.sealed is not None or memory.shelved]
    found = {memory.id: words(memory) for memory in hidden if not memory.shelved}
    there = [memory for memory in hidden if memory.shelved]
    if there and there[0].owner_id is not None:
        with _shelf(there[0].owner_id, there[0].community_id) as entries:
            found |= {memory.id: Words(**entries.pop(str(memory.id))) for memory in there}
    for memory in hidden:
        _put_back(memory, found[memory.id])


def _put_back(memory: Memory, found: Words) -> None:
    memory.sealed, memory.shelved = None, False
    for name, value in found.row.items():
        setattr(memory, name, value)
    Memory.objects.filter(id=memory.id).update(sealed=None, shelved=False, **found.row)
    for number, version in found.versions.items():
        Version.objects.filter(memory=memory, number=int(number)).update(**version)
    for turn, quote in found.quotes.items():
        Source.objects.filter(memory=memory, turn=turn).update(quote=quote)
    entities.link(memory)


def words(memory: Memory) -> Words:
    """What it says, or said before it was sealed; raises `keys.Unopened` rather than to take lost words for none."""
    if memory.shelved and memory.owner_id is not None:
        return Words(**_entries(memory.owner_id)[str(memory.id)])
    if memory.sealed is None:
        return _read(memory)
    if memory.owner_id is None:
        return Words(**json.loads(keys.opened_here(memory.community_id, bytes(memory.sealed), str(memory.id))))
    return _opened(memory.id, bytes(memory.sealed), _key(memory))


def all_words(owner: uuid.UUID, memories: QuerySet[Memory]) -> list[Words]:
    """As `words`, for many sealed ones of one owner."""
    rows = list(memories.exclude(sealed=None).values_list("id", "sealed"))
    key = _owners_key(owner) if rows else b""
    return [_opened(about, bytes(kept or b""), key) for about, kept in rows]


def emptied(version: Version) -> bool:
    """Whether its words are gone for good, so that there is nothing to go back to."""
    memory = version.memory
    if version.text or not (memory.sealed or memory.shelved):
        return not version.text
    return not words(memory).versions[str(version.number)]["text"]


def empty(memory: Memory, *, sealed: bytes | None = None, shelved: bool = False) -> None:
    """Nothing of its words is left in the tables but `sealed`."""
    entities.unlink(memory)
    Source.objects.filter(memory=memory).update(quote="")
    Version.objects.filter(memory=memory).update(text="", value="", content={})
    Memory.objects.filter(id=memory.id).update(sealed=sealed, shelved=shelved, **EMPTY)


@contextmanager
def _shelf(owner: uuid.UUID, community: uuid.UUID) -> Iterator[shelf.Entries]:
    """What is in the owner's file, to be changed: a new version of it counts with the caller's commit."""
    secret = _owners_key(owner, community)
    key = Key.objects.select_for_update().get(owner_id=owner)  # of two at once neither would know the other's
    entries = shelf.read(owner, key.shelf, secret) if key.shelf else {}
    yield entries
    fresh = key.shelf + 1
    shelf.write(owner, fresh, secret, entries)
    Key.objects.filter(owner_id=owner).update(shelf=fresh)
    transaction.on_commit(lambda: shelf.tidy(owner, before=fresh), robust=True)  # what it leaves goes the next time


def _entries(owner: uuid.UUID) -> shelf.Entries:
    """The version that counts may be replaced between hearing of it and reading it."""
    secret, key = _owners_key(owner), Key.objects.get(owner_id=owner)
    try:
        return shelf.read(owner, key.shelf, secret)
    except FileNotFoundError:
        key.refresh_from_db()
        return shelf.read(owner, key.shelf, secret)


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
    return _owners_key(memory.owner_id, memory.community_id if make else None)


def _owners_key(owner: uuid.UUID, make_in: uuid.UUID | None = None) -> bytes:
    """With `make_in`, the community, made where there is none yet."""
    about = str(owner)
    if make_in and not Key.objects.filter(owner_id=owner).exists():
        fresh = {"community_id": make_in, "wrapped": keys.wrapped(about)}
        Key.objects.get_or_create(owner_id=owner, defaults=fresh)
    return keys.unwrapped(bytes(Key.objects.get(owner_id=owner).wrapped), about)
