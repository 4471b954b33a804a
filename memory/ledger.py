"""The only writer of memories: each change is row, version and audit line in one transaction.

Every change returns its `change` id, by which `undo` takes it back. Changes are conditional on the version read.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from memory import audit, sealed, tombs
from memory.extraction.claims import Claim
from memory.models import Memory, MemoryVector, Source, Version
from memory.retrieval.text import terms
from memory.terms import Category, Kind, Origin, Scope, Status
from memory.tombs import plain
from profiles.access import Reader

UPKEEP = "upkeep"
"""The actor that keeps house."""
MACHINES = frozenset({"reader", "system", UPKEEP})
"""Actors that never win over what a member or a moderator has done by hand."""
CORRECTED = "corrected by the member"
"""Why a memory was ended or doubted, where forgetting the new one brings the old one back."""
CONTENT = ("text", "kind", "category", "subject", "attribute", "value", "slot", "language", "valid_from", "valid_to",
           "pinned")  # fmt: skip
"""What a version can bring back; words to find it by follow from the text."""


class Stale(Exception):
    """The memory was changed since it was read; `current` is what it says now."""

    def __init__(self, current: Memory) -> None:
        super().__init__("the memory has a newer version")
        self.current = current


@dataclass(frozen=True, slots=True)
class Said:
    """The words that a change rests on: the turn, its conversation, and when they were said."""

    turn: uuid.UUID
    conversation: uuid.UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to which memory."""

    id: uuid.UUID
    action: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose a memory is: one member, one space, or the community."""

    owner: uuid.UUID | None
    scope: Scope = Scope.PERSONAL
    space: uuid.UUID | None = None


def add(
    reader: Reader, claim: Claim, said: Said, *, origin: Origin, actor: str, made_by: str = "", reason: str = ""
) -> Change | None:  # fmt: skip
    """Remember a claim of the reader's own; None where it is known already from this turn, or was forgotten.

    The same slot and value again is more evidence; the same slot with another value ends the old memory (`reason` says
    why). A forgotten claim comes back only on an explicit "remember", and what was settled by hand stays as it is.
    """
    owner = reader.member
    grave = tombs.over(owner, claim.slot, claim.value)
    if grave.exists():
        if not claim.explicit:
            return None
        grave.delete()
    current = Memory.objects.select_for_update().filter(owner_id=owner, slot=claim.slot).standing().first()
    if current is not None and _same(current, claim):
        return _confirm(reader, current, claim, said, actor=actor, made_by=made_by)
    if _settled(owner, current, claim, said, actor):
        return None
    try:
        with transaction.atomic():
            if current is not None:
                _end(reader, current, said.at, said.turn, actor=actor, reason=reason)
            memory = _insert(reader, claim, said.at, origin, Holder(owner))
    except IntegrityError:  # another worker read the same turn a moment earlier
        return None
    if current is not None:
        Memory.objects.filter(id=current.id).update(replaced_by=memory)
    _source(reader, memory, claim.quote, said)
    return _record(reader, memory, "superseded" if current else "added", said.turn, actor=actor, made_by=made_by)


def state(
    reader: Reader, claim: Claim, holder: Holder, *, origin: Origin, actor: str, reason: str = "",
    instead: Sequence[Memory] = (),
) -> Change:  # fmt: skip
    """Write a claim by hand: it wins over what stands in its slot, over a tombstone, and over `instead`."""
    now = timezone.now()
    current: Memory | None = None
    if holder.owner is not None:
        tombs.over(holder.owner, claim.slot, claim.value).delete()
        current = Memory.objects.select_for_update().filter(owner_id=holder.owner, slot=claim.slot).standing().first()
    if current is not None and _same(current, claim) and not instead:
        current.text, current.evidence = claim.text, current.evidence + 1
        return _record(reader, current, "confirmed", None, actor=actor, reason=reason, bump=True)
    taken = {memory.id: memory for memory in [*instead, *([current] if current else [])]}
    for old in taken.values():
        _end(reader, old, now, None, actor=actor, reason=reason or CORRECTED)
    memory = _insert(reader, claim, now, origin, holder)
    Memory.objects.filter(id__in=taken).update(replaced_by=memory)
    return _record(reader, memory, "superseded" if taken else "added", None, actor=actor, reason=reason)


def merge(reader: Reader, memories: Sequence[Memory], claim: Claim, *, actor: str, reason: str = "") -> Change:
    """Several of one holder become one that has all their sources; the old ones are kept as history."""
    first = memories[0]
    holder = Holder(first.owner_id, Scope(first.scope), first.space_id)
    done = state(reader, claim, holder, origin=Origin(first.origin), actor=actor, reason=reason or "merged",
                 instead=memories)  # fmt: skip
    for source in Source.objects.filter(memory__in=memories).order_by("at"):
        Source.objects.get_or_create(
            memory=done.memory, turn=source.turn,
            defaults={"community_id": source.community_id, "owner_id": source.owner_id, "quote": source.quote,
                      "conversation": source.conversation, "at": source.at},
        )  # fmt: skip
    done.memory.evidence = sum(memory.evidence for memory in memories)
    Memory.objects.filter(id=done.memory.id).update(evidence=done.memory.evidence)
    return done


def revise(reader: Reader, memory: Memory, fields: dict[str, Any], *, actor: str, reason: str = "") -> Change:
    """Set fields of `CONTENT` by hand; what stood in the slot that it has now is ended."""
    for name, value in fields.items():
        setattr(memory, name, value)
    if {"subject", "attribute", "value"} & set(fields):
        memory.slot = claim_of(memory).slot
    if memory.status == Status.ACTIVE:
        _make_room(reader, memory, actor=actor)
    return _record(reader, memory, "revised", None, actor=actor, reason=reason, bump=True)


def end(reader: Reader, memory: Memory, said: Said, *, actor: str) -> Change:
    """It was true and no longer is: kept as history, out of what is current."""
    return _end(reader, memory, said.at, said.turn, actor=actor)


def flag(reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "") -> Change:
    """Doubted: leaves recall until it is settled."""
    return _stand(reader, memory, Status.UNDER_REVIEW, "flagged", turn, actor=actor, reason=reason)


def approve(reader: Reader, memory: Memory, *, actor: str, reason: str = "") -> Change:
    """What was doubted is right: current again, in the place of what took its slot meanwhile."""
    _make_room(reader, memory, actor=actor)
    memory.replaced_by = None
    return _stand(reader, memory, Status.ACTIVE, "approved", None, actor=actor, reason=reason)


def reject(reader: Reader, memory: Memory, *, actor: str, reason: str = "") -> Change:
    """What was doubted is wrong: kept as history only."""
    memory.valid_to = memory.valid_to or timezone.now()
    return _stand(reader, memory, Status.SUPERSEDED, "rejected", None, actor=actor, reason=reason)


def forget(reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "") -> Change:
    """Out of every reading, and kept away by a tombstone without content; what it had corrected is current again."""
    sealed.unseal(memory)
    tombs.lay(memory)
    memory.left_at, corrected = timezone.now(), _corrected(memory)
    done = _stand(reader, memory, Status.FORGOTTEN, "forgotten", turn, actor=actor, reason=reason)
    _return(reader, corrected, actor=actor, reason="undo", change=done.id)
    return done


def lapse(reader: Reader, memory: Memory, *, reason: str) -> Change:
    """Its time is over: kept as history."""
    return _stand(reader, memory, Status.SUPERSEDED, "ended", None, actor=UPKEEP, reason=reason)


def archive(reader: Reader, memory: Memory, *, at: datetime, reason: str, gone: bool = False) -> Change:
    """Out of recall, to be brought back by hand. `gone`: forgotten, but no person did it: no tombstone, so that it may
    be said again, and nothing comes back in its place."""
    memory.left_at = at
    status, action = (Status.FORGOTTEN, "forgotten") if gone else (Status.ARCHIVED, "archived")
    return _stand(reader, memory, status, action, None, actor=UPKEEP, reason=reason)


def shelve(reader: Reader, memories: Sequence[Memory]) -> None:
    """The words of the reader's archived memories move into their file; bringing one back takes it out of there."""
    sealed.shelve(reader.member, memories)
    for memory in memories:
        audit.write(reader, "shelved", memory.id, memory.owner_id, actor=UPKEEP)


def empty(reader: Reader, memory: Memory) -> None:
    """The words of what is forgotten go for good; ids and tombstone stay."""
    sealed.empty(memory)
    audit.write(reader, "emptied", memory.id, memory.owner_id, actor=UPKEEP)


def recalled(reader: Reader, memories: Iterable[uuid.UUID]) -> None:
    """These of the reader's own were put into a context: no new version, as they say what they said.

    One that is being changed at this moment goes uncounted: an answer waits for no count.
    """
    mine = Memory.objects.filter(id__in=list(memories), owner_id=reader.member).order_by("id")
    locked = list(mine.select_for_update(skip_locked=True).values_list("id", flat=True))
    Memory.objects.filter(id__in=locked).update(recalled_at=timezone.now(), recall_count=F("recall_count") + 1)


def restore(reader: Reader, memory: Memory, version: Version, *, actor: str, reason: str = "") -> Change:
    """Back to what one of its versions said and to how it stood then; what took its slot since is ended."""
    sealed.unseal(memory)
    version.refresh_from_db()
    memory.text, memory.value = version.text, version.value
    for name, kept in version.content.items():
        moment = kept and name in ("valid_from", "valid_to")
        setattr(memory, name, parse_datetime(kept) if moment else kept)
    tombs.lift(memory)
    if version.status == Status.ACTIVE:
        _make_room(reader, memory, actor=actor)
        memory.replaced_by = None
        if not version.content and memory.category != Category.EVENT:  # written before versions kept their dates
            memory.valid_to = None
    memory.status = version.status
    return _record(reader, memory, "restored", None, actor=actor, reason=reason, bump=True)


def undo(reader: Reader, change: uuid.UUID, *, actor: str, owner: uuid.UUID | None = None) -> Change | None:
    """Take one change back; what it had replaced is current again. None where there is no such change.

    `owner`: the member whose memory it is, where that is not the reader.
    """
    whose = Q(owner_id=owner or reader.member) | Q(owner_id=None)
    found = Version.objects.filter(whose, change=change, community_id=reader.community)
    made = [version for version in found.order_by("id") if not sealed.emptied(version)]
    if not made:
        return None
    done = []
    for version in reversed(made):  # what a forgetting brought back leaves again before the forgotten one returns
        memory = Memory.objects.select_for_update().get(id=version.memory_id)
        if version.number != memory.version:
            raise Stale(memory)
        done.append(take_back(reader, memory, version, actor=actor))
    return done[-1]


def take_back(reader: Reader, memory: Memory, version: Version, *, actor: str, reason: str = "undo") -> Change:
    """To how it stood before `version`: forgotten where it was not there, and what it had replaced is current again."""
    before = memory.versions.filter(number=version.number - 1).first()
    if before is not None and before.status != Status.FORGOTTEN:
        return restore(reader, memory, before, actor=actor, reason=reason)
    done = forget(reader, memory, None, actor=actor, reason=reason)
    if before is None:
        _return(reader, memory.replaced.filter(status=Status.SUPERSEDED), actor=actor, reason=reason)
    return done


def claim_of(memory: Memory) -> Claim:
    """What a memory says, as a claim; its slot follows from it."""
    return Claim(
        Kind(memory.kind), Category(memory.category), memory.subject, memory.attribute, memory.value, memory.text,
        memory.text, memory.language, memory.importance, memory.confidence, memory.valid_from, memory.valid_to, True,
    )  # fmt: skip


def _settled(owner: uuid.UUID, current: Memory | None, claim: Claim, said: Said, actor: str) -> bool:
    """Whether a person has decided by hand, after these words, against what a reading of them says."""
    by_hand = Version.objects.filter(owner_id=owner, turn=None, at__gt=said.at).exclude(actor__in=MACHINES)
    if current is not None and actor in MACHINES and by_hand.filter(memory=current).exists():
        return True
    touched = by_hand.filter(memory__sources__turn=said.turn).values("memory")
    values = (sealed.words(memory).values() for memory in Memory.objects.filter(id__in=touched))
    return any(plain(claim.value) in map(plain, several) for several in values)


def _corrected(memory: Memory) -> list[Memory]:
    """The memories that left because this one corrected them: its predecessors, and what its words put in doubt."""
    turns = memory.sources.values("turn")
    left = Version.objects.filter(reason=CORRECTED, owner_id=memory.owner_id)
    doubted = left.filter(action="flagged", turn__in=turns).values("memory")
    ended = left.filter(action="ended").values("memory")
    found = [*memory.replaced.filter(status=Status.SUPERSEDED, id__in=ended),
             *Memory.objects.filter(id__in=doubted, status=Status.UNDER_REVIEW)]  # fmt: skip
    return [row for row in found if row.versions.latest("number").reason == CORRECTED]


def _return(
    reader: Reader, gone: Iterable[Memory], *, actor: str, reason: str, change: uuid.UUID | None = None
) -> None:  # fmt: skip
    """Current again, unless something else stands in their slot by now."""
    for old in gone:
        if not Memory.objects.standing().filter(owner_id=old.owner_id, slot=old.slot).exclude(owner=None).exists():
            _stand(reader, old, Status.ACTIVE, "restored", None, actor=actor, reason=reason, change=change)


def _make_room(reader: Reader, memory: Memory, *, actor: str) -> None:
    """One current memory a slot: another one ends."""
    if memory.owner_id is None:
        return
    others = Memory.objects.select_for_update().filter(owner_id=memory.owner_id, slot=memory.slot).standing()
    for other in others.exclude(id=memory.id):
        other.replaced_by = memory
        _end(reader, other, timezone.now(), None, actor=actor)


def _insert(reader: Reader, claim: Claim, at: datetime, origin: Origin, holder: Holder) -> Memory:
    return Memory.objects.create(
        community_id=reader.community, owner_id=holder.owner, scope=holder.scope, space_id=holder.space,
        kind=claim.kind, category=claim.category, subject=claim.subject, attribute=claim.attribute, value=claim.value,
        text=claim.text, slot=claim.slot, terms=terms(f"{claim.text} {claim.quote}"), language=claim.language,
        origin=origin, importance=claim.importance, confidence=claim.confidence,
        valid_from=claim.happened_from or at, valid_to=claim.happened_to,
    )  # fmt: skip


def _same(memory: Memory, claim: Claim) -> bool:
    return memory.attribute == claim.attribute and (claim.is_opinion or plain(memory.value) == plain(claim.value))


def _confirm(
    reader: Reader, memory: Memory, claim: Claim, said: Said, *, actor: str, made_by: str
) -> Change | None:  # fmt: skip
    if not _source(reader, memory, claim.quote, said):
        return None
    memory.evidence += 1
    return _record(reader, memory, "confirmed", said.turn, actor=actor, bump=True, made_by=made_by)


def _end(
    reader: Reader, memory: Memory, at: datetime, turn: uuid.UUID | None, *, actor: str, reason: str = ""
) -> Change:  # fmt: skip
    memory.valid_to = at
    return _stand(reader, memory, Status.SUPERSEDED, "ended", turn, actor=actor, reason=reason)


def _stand(
    reader: Reader, memory: Memory, status: Status, action: str, turn: uuid.UUID | None, *, actor: str,
    reason: str = "", change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    sealed.unseal(memory)
    memory.status = status
    if status == Status.ACTIVE:
        memory.valid_to = None if action == "restored" and memory.category != "event" else memory.valid_to
    return _record(reader, memory, action, turn, actor=actor, reason=reason, bump=True, change=change)


def _record(
    reader: Reader, memory: Memory, action: str, turn: uuid.UUID | None, *, actor: str, reason: str = "",
    bump: bool = False, made_by: str = "", change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    if bump:
        _save(memory)
    change = change or uuid.uuid4()
    content = {name: getattr(memory, name) for name in CONTENT if name not in ("text", "value")}
    Version.objects.create(
        memory=memory, community_id=memory.community_id, owner_id=memory.owner_id, number=memory.version,
        change=change, action=action, text=memory.text, value=memory.value, status=memory.status, actor=actor,
        reason=reason, turn=turn, made_by=made_by, content=content,
    )  # fmt: skip
    audit.write(reader, action, memory.id, memory.owner_id, text=memory.text, reason=reason, actor=actor)
    if memory.status == Status.FORGOTTEN:
        sealed.seal(memory)
    return Change(change, action, memory)


def _save(memory: Memory) -> None:
    """Everything that can change, if nobody was faster; other words need other terms and another vector."""
    before = Memory.objects.filter(id=memory.id).values_list("text", flat=True).first()
    if before is not None and before != memory.text:
        quotes = memory.sources.values_list("quote", flat=True)
        memory.terms = terms(" ".join([memory.text, *quotes]))
        MemoryVector.objects.filter(memory_id=memory.id).delete()
    left = memory.status in (Status.ARCHIVED, Status.FORGOTTEN)
    memory.left_at = (memory.left_at or timezone.now()) if left else None
    names = (*CONTENT, "terms", "status", "evidence", "replaced_by", "left_at")
    fields = {name: getattr(memory, name) for name in names}
    fresh = Memory.objects.filter(id=memory.id, version=memory.version)
    if not fresh.update(version=memory.version + 1, **fields):
        raise Stale(Memory.objects.get(id=memory.id))
    memory.version += 1


def _source(reader: Reader, memory: Memory, quote: str, said: Said) -> bool:
    _, new = Source.objects.get_or_create(
        memory=memory, turn=said.turn,
        defaults={"community_id": reader.community, "owner_id": reader.member, "quote": quote,
                  "conversation": said.conversation, "at": said.at},
    )  # fmt: skip
    return new
