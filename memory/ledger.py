"""The only writer of memories: each change is row, version and audit line in one transaction.

Every change returns its `change` id, by which `undo` takes it back. Changes are conditional on the version read.
"""

import hashlib
import hmac
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction

from memory import audit
from memory.extraction.claims import Claim
from memory.models import Memory, Source, Tombstone, Version
from memory.retrieval.text import terms
from memory.terms import Origin, Status
from profiles.access import Reader


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


def add(
    reader: Reader, claim: Claim, said: Said, *, origin: Origin, actor: str, made_by: str = ""
) -> Change | None:  # fmt: skip
    """Remember a claim of the reader's own; None where it is known already from this turn, or was forgotten.

    The same slot and value again is more evidence; the same slot with another value ends the old memory.
    A forgotten claim comes back only on an explicit "remember".
    """
    digest = _digest(reader, claim.slot, claim.value)
    grave = Tombstone.objects.filter(owner_id=reader.member, digest=digest)
    if grave.exists():
        if not claim.explicit:
            return None
        grave.delete()
    current = Memory.objects.select_for_update().filter(owner_id=reader.member, slot=claim.slot).live().first()
    if current is not None and _same(current, claim):
        return _confirm(reader, current, claim, said, actor=actor, made_by=made_by)
    try:
        with transaction.atomic():
            if current is not None:
                _end(reader, current, said.at, said, actor=actor)
            memory = _insert(reader, claim, said, origin)
    except IntegrityError:  # another worker read the same turn a moment earlier
        return None
    if current is not None:
        Memory.objects.filter(id=current.id).update(replaced_by=memory)
    _source(reader, memory, claim.quote, said)
    return _record(reader, memory, "superseded" if current else "added", said.turn, actor=actor, made_by=made_by)


def end(reader: Reader, memory: Memory, said: Said, *, actor: str) -> Change:
    """It was true and no longer is: kept as history, out of what is current."""
    return _end(reader, memory, said.at, said, actor=actor)


def flag(reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "") -> Change:
    """Doubted: leaves recall until it is settled."""
    return _stand(reader, memory, Status.UNDER_REVIEW, "flagged", turn, actor=actor, reason=reason)


def forget(reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "") -> Change:
    """Out of every reading, and kept away by a tombstone without content."""
    Tombstone.objects.get_or_create(
        owner_id=reader.member, digest=_digest(reader, memory.slot, memory.value),
        defaults={"community_id": reader.community, "memory": memory.id},
    )  # fmt: skip
    return _stand(reader, memory, Status.FORGOTTEN, "forgotten", turn, actor=actor, reason=reason)


def undo(reader: Reader, change: uuid.UUID, *, actor: str) -> Change | None:
    """Take one change back; what it had replaced is current again. None where there is no such change."""
    version = Version.objects.filter(change=change, owner_id=reader.member).select_related("memory").first()
    if version is None:
        return None
    memory = Memory.objects.select_for_update().get(id=version.memory_id)
    if version.number != memory.version:
        raise Stale(memory)
    if version.number == 1:
        done = forget(reader, memory, None, actor=actor, reason="undo")
        for old in Memory.objects.filter(replaced_by=memory, status=Status.SUPERSEDED):
            _stand(reader, old, Status.ACTIVE, "restored", None, actor=actor, reason="undo")
        return done
    before = memory.versions.get(number=version.number - 1)
    Tombstone.objects.filter(owner_id=reader.member, memory=memory.id).delete()
    return _stand(reader, memory, Status(before.status), "restored", None, actor=actor, reason="undo")


def _insert(reader: Reader, claim: Claim, said: Said, origin: Origin) -> Memory:
    return Memory.objects.create(
        community_id=reader.community, owner_id=reader.member, kind=claim.kind, category=claim.category,
        subject=claim.subject, attribute=claim.attribute, value=claim.value, text=claim.text, slot=claim.slot,
        terms=terms(f"{claim.text} {claim.quote}"), language=claim.language, origin=origin,
        importance=claim.importance, confidence=claim.confidence,
        valid_from=claim.happened_from or said.at, valid_to=claim.happened_to,
    )  # fmt: skip


def _same(memory: Memory, claim: Claim) -> bool:
    return memory.attribute == claim.attribute and _plain(memory.value) == _plain(claim.value)


def _plain(value: str) -> str:
    return "".join(value.casefold().split())


def _confirm(
    reader: Reader, memory: Memory, claim: Claim, said: Said, *, actor: str, made_by: str
) -> Change | None:  # fmt: skip
    if not _source(reader, memory, claim.quote, said):
        return None
    memory.evidence += 1
    return _record(reader, memory, "confirmed", said.turn, actor=actor, bump=True, made_by=made_by)


def _end(reader: Reader, memory: Memory, at: datetime, said: Said, *, actor: str) -> Change:
    memory.valid_to = at
    return _stand(reader, memory, Status.SUPERSEDED, "ended", said.turn, actor=actor)


def _stand(
    reader: Reader, memory: Memory, status: Status, action: str, turn: uuid.UUID | None, *, actor: str, reason: str = ""
) -> Change:
    memory.status = status
    if status == Status.ACTIVE:
        memory.valid_to = None if action == "restored" and memory.category != "event" else memory.valid_to
    return _record(reader, memory, action, turn, actor=actor, reason=reason, bump=True)


def _record(
    reader: Reader, memory: Memory, action: str, turn: uuid.UUID | None, *, actor: str, reason: str = "",
    bump: bool = False, made_by: str = "",
) -> Change:  # fmt: skip
    if bump:
        _save(memory)
    change = uuid.uuid4()
    Version.objects.create(
        memory=memory, community_id=memory.community_id, owner_id=memory.owner_id, number=memory.version,
        change=change, action=action, text=memory.text, value=memory.value, status=memory.status, actor=actor,
        reason=reason, turn=turn, made_by=made_by,
    )  # fmt: skip
    audit.write(reader, action, memory.id, memory.owner_id, text=memory.text, reason=reason, actor=actor)
    return Change(change, action, memory)


def _save(memory: Memory) -> None:
    changed = Memory.objects.filter(id=memory.id, version=memory.version).update(
        status=memory.status, valid_to=memory.valid_to, evidence=memory.evidence, version=memory.version + 1
    )
    if not changed:
        raise Stale(Memory.objects.get(id=memory.id))
    memory.version += 1


def _source(reader: Reader, memory: Memory, quote: str, said: Said) -> bool:
    _, new = Source.objects.get_or_create(
        memory=memory, turn=said.turn,
        defaults={"community_id": reader.community, "owner_id": reader.member, "quote": quote,
                  "conversation": said.conversation, "at": said.at},
    )  # fmt: skip
    return new


def _digest(reader: Reader, slot: str, value: str) -> str:
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"{reader.member}|{slot}|{_plain(value)}".encode(), hashlib.sha256).hexdigest()
