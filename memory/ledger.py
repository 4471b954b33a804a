"""The only writer of memories: each change is row, version and audit line in one transaction.

Every change returns its `change` id, by which `undo` takes it back. Changes are conditional on the version read.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from memory import audit, entities, sealed, tombs
from memory.change import CONTENT, version_of
from memory.change import Change as Change
from memory.change import Holder as Holder
from memory.change import Said as Said
from memory.change import Stale as Stale
from memory.extraction.claims import Claim
from memory.models import Memory, MemoryVector, Source, Version
from memory.retrieval.text import terms
from memory.standing import CORRECTED as CORRECTED
from memory.standing import MACHINES as MACHINES
from memory.standing import UNDONE, before, claim_of, corrected, same, settled
from memory.standing import UPKEEP as UPKEEP
from memory.terms import Category, Origin, Scope, Status
from profiles.access import Reader


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
    if current is not None and same(current, claim):
        return _confirm(reader, current, claim, said, actor=actor, made_by=made_by)
    if current is not None and actor in MACHINES and origin.yields_to(current.origin):
        return None
    if settled(owner, current, claim, said.turn, said.at, actor):
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
    _source(memory, claim.quote, said)
    return _record(reader, memory, "superseded" if current else "added", said.turn, actor=actor, made_by=made_by)


def state(
    reader: Reader, claim: Claim, holder: Holder, *, origin: Origin, actor: str, reason: str = "",
    instead: Sequence[Memory] = (), made_by: str = "",
) -> Change:  # fmt: skip
    """Write a claim by hand: it wins over what stands in its slot, over a tombstone, and over `instead`."""
    now, change = timezone.now(), uuid.uuid4()
    current: Memory | None = None
    if holder.owner is not None:
        tombs.over(holder.owner, claim.slot, claim.value).delete()
        current = Memory.objects.select_for_update().filter(owner_id=holder.owner, slot=claim.slot).standing().first()
    if current is not None and same(current, claim) and not instead:
        current.text, current.evidence = claim.text, current.evidence + 1
        return _record(reader, current, "confirmed", None, actor=actor, reason=reason, bump=True)
    taken = {memory.id: memory for memory in [*instead, *([current] if current else [])]}
    for old in taken.values():
        _end(reader, old, now, None, actor=actor, reason=reason or CORRECTED, change=change)
    memory = _insert(reader, claim, now, origin, holder)
    Memory.objects.filter(id__in=taken).update(replaced_by=memory)
    action = "superseded" if taken else "added"
    return _record(reader, memory, action, None, actor=actor, reason=reason, made_by=made_by, change=change)


def merge(reader: Reader, memories: Sequence[Memory], claim: Claim, *, actor: str, reason: str = "") -> Change:
    """Several of one holder become one that has all their sources; the old ones are kept as history."""
    first = memories[0]
    holder = Holder(first.owner_id, Scope(first.scope), first.space_id)
    done = state(reader, claim, holder, origin=Origin(first.origin), actor=actor, reason=reason or "merged",
                 instead=memories)  # fmt: skip
    _inherit(done.memory, memories)
    done.memory.evidence = sum(memory.evidence for memory in memories)
    Memory.objects.filter(id=done.memory.id).update(evidence=done.memory.evidence)
    return done


def absorb(reader: Reader, memory: Memory, other: Memory) -> None:
    """What the other came from is evidence of this one too, which says what it said: no new version."""
    _inherit(memory, [other])
    Memory.objects.filter(id=memory.id).update(evidence=F("evidence") + other.evidence)


def revise(
    reader: Reader, memory: Memory, fields: dict[str, Any], *, actor: str, reason: str = "", made_by: str = "",
    change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    """Set fields of `CONTENT` by hand; what stood in the slot that it has now is ended."""
    sealed.unseal(memory)
    change = change or uuid.uuid4()
    for name, value in fields.items():
        setattr(memory, name, value)
    if {"subject", "attribute", "value"} & set(fields):
        memory.slot = claim_of(memory).slot
    if memory.status == Status.ACTIVE:
        _make_room(reader, memory, actor=actor, change=change)
    return _record(reader, memory, "revised", None, actor=actor, reason=reason, bump=True, made_by=made_by,
                   change=change)  # fmt: skip


def end(reader: Reader, memory: Memory, said: Said, *, actor: str) -> Change:
    """It was true and no longer is: kept as history, out of what is current."""
    return _end(reader, memory, said.at, said.turn, actor=actor)


def flag(reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "") -> Change:
    """Doubted: leaves recall until it is settled."""
    return _stand(reader, memory, Status.UNDER_REVIEW, "flagged", turn, actor=actor, reason=reason)


def approve(
    reader: Reader, memory: Memory, *, actor: str, reason: str = "", change: uuid.UUID | None = None
) -> Change:  # fmt: skip
    """What was doubted is right: current again, in the place of what took its slot meanwhile, and weak no more."""
    change = change or uuid.uuid4()
    Memory.objects.filter(id=memory.id).update(weak=False)
    _make_room(reader, memory, actor=actor, change=change)
    memory.replaced_by = None
    return _stand(reader, memory, Status.ACTIVE, "approved", None, actor=actor, reason=reason, change=change)


def reject(reader: Reader, memory: Memory, *, actor: str, reason: str = "") -> Change:
    """What was doubted is wrong: kept as history only."""
    memory.valid_to = memory.valid_to or timezone.now()
    return _stand(reader, memory, Status.SUPERSEDED, "rejected", None, actor=actor, reason=reason)


def forget(
    reader: Reader, memory: Memory, turn: uuid.UUID | None, *, actor: str, reason: str = "",
    change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    """Out of every reading, and kept away by a tombstone without content; what it had corrected is current again.
    `change`: that of what it was a part of, so that both are taken back together."""
    sealed.unseal(memory)
    tombs.lay(memory)
    memory.left_at, wrong = timezone.now(), corrected(memory)
    done = _stand(reader, memory, Status.FORGOTTEN, "forgotten", turn, actor=actor, reason=reason, change=change)
    _return(reader, wrong, actor=actor, reason=UNDONE, change=done.id)
    return done


def lapse(reader: Reader, memory: Memory, *, reason: str) -> Change:
    """Its time is over: kept as history."""
    return _stand(reader, memory, Status.SUPERSEDED, "ended", None, actor=UPKEEP, reason=reason)


def archive(
    reader: Reader, memory: Memory, *, at: datetime, reason: str, gone: bool = False, change: uuid.UUID | None = None
) -> Change:  # fmt: skip
    """Out of recall, to be brought back by hand. `gone`: forgotten, but no person did it: no tombstone, so that it may
    be said again, and nothing comes back in its place. `change`: that of what was made of it."""
    memory.left_at = at
    status, action = (Status.FORGOTTEN, "forgotten") if gone else (Status.ARCHIVED, "archived")
    return _stand(reader, memory, status, action, None, actor=UPKEEP, reason=reason, change=change)


def archive_all(
    reader: Reader, memories: Sequence[Memory], *, at: datetime, why: Mapping[uuid.UUID, str],
    change: uuid.UUID | None = None,
) -> None:  # fmt: skip
    """As `archive`, for many live ones: one statement for their rows, one for their versions, one for the audit, and
    their vectors go with them. `change`: that of what was made of them; without it each has its own."""
    rows = Memory.objects.filter(id__in=[memory.id for memory in memories])
    fresh = dict(rows.order_by("id").select_for_update().values_list("id", "version"))
    for memory in memories:
        if fresh.get(memory.id) != memory.version:
            raise Stale(Memory.objects.get(id=memory.id))
        memory.version, memory.status, memory.left_at = memory.version + 1, Status.ARCHIVED, at
    rows.update(version=F("version") + 1, status=Status.ARCHIVED, left_at=at)
    Version.objects.bulk_create(
        version_of(memory, "archived", change or uuid.uuid4(), None, actor=UPKEEP, reason=why[memory.id])
        for memory in memories
    )
    lines = [(memory, {"text": memory.text, "reason": why[memory.id], "actor": UPKEEP}) for memory in memories]
    audit.write_all(reader, "archived", [audit.Line(row.id, row.owner_id, words) for row, words in lines])
    MemoryVector.objects.filter(memory__in=fresh).delete()


def shelve(reader: Reader, memories: Sequence[Memory]) -> None:
    """The words of the reader's archived memories move into their file; bringing one back takes it out of there."""
    sealed.shelve(reader.member, memories)
    for memory in memories:
        audit.write(reader, "shelved", memory.id, memory.owner_id, actor=UPKEEP)


def rewrite(reader: Reader, memory: Memory, text: str, status: Status, *, reason: str) -> Change:
    """What is left of what it was made of says only this; none of its versions says more, so none can come back."""
    done = revise(reader, memory, {"text": text, "status": status}, actor=UPKEEP, reason=reason)
    memory.versions.exclude(number=memory.version).update(text="", value="", content={})
    return done


def weigh(reader: Reader, memory: Memory, importance: float, *, at: datetime, reason: str) -> Change:
    """It is worth more or less than before, as of then."""
    done = revise(reader, memory, {"importance": importance}, actor=UPKEEP, reason=reason)
    memory.versions.filter(number=memory.version).update(at=at)
    return done


def mark(reader: Reader, weak: Iterable[uuid.UUID]) -> None:
    """These of the reader's own are of the least use, no others: no new version, as they say what they said."""
    mine = Memory.objects.filter(owner_id=reader.member, scope=Scope.PERSONAL)
    mine.filter(weak=True).exclude(id__in=list(weak)).update(weak=False)
    mine.filter(id__in=list(weak)).update(weak=True)


def empty(reader: Reader, memory: Memory) -> None:
    """The words of what is forgotten go for good; ids and tombstone stay."""
    sealed.empty(memory)
    audit.write(reader, "emptied", memory.id, memory.owner_id, actor=UPKEEP)


def recalled(reader: Reader, memories: Iterable[uuid.UUID]) -> None:
    """These of the reader's own were put into a context: no new version, as they say what they said.
    One that is being changed at this moment goes uncounted: an answer waits for no count."""
    mine = Memory.objects.filter(id__in=list(memories), owner_id=reader.member).order_by("id")
    locked = list(mine.select_for_update(skip_locked=True).values_list("id", flat=True))
    Memory.objects.filter(id__in=locked).update(recalled_at=timezone.now(), recall_count=F("recall_count") + 1)


def restore(reader: Reader, memory: Memory, version: Version, *, actor: str, reason: str = "") -> Change:
    """Back to what one of its versions said and to how it stood then; what took its slot since is ended."""
    sealed.unseal(memory)
    version.refresh_from_db()
    memory.text, memory.value = version.text, version.value
    for name, kept in version.content.items():
        setattr(memory, name, parse_datetime(kept) if kept and name in ("valid_from", "valid_to") else kept)
    tombs.lift(memory)
    change = uuid.uuid4()
    if version.status == Status.ACTIVE:
        _make_room(reader, memory, actor=actor, change=change)
        memory.replaced_by = None
        if not version.content and memory.category != Category.EVENT:  # written before versions kept their dates
            memory.valid_to = None
    memory.status = version.status
    return _record(reader, memory, "restored", None, actor=actor, reason=reason, bump=True, change=change)


def undo(reader: Reader, change: uuid.UUID, *, actor: str, owner: uuid.UUID | None = None) -> Change | None:
    """Take one change back; what it had replaced is current again. None where there is no such change.

    `owner`: the member whose memory it is, where that is not the reader.
    """
    whose = Q(owner_id=owner or reader.member) | Q(owner_id=None)
    found = Version.objects.filter(whose, change=change, community_id=reader.community)
    made = [version for version in found.order_by("id") if not sealed.emptied(version)]
    if not made or any(version.number > 1 and before(version) is None for version in made):
        return None
    first = {version.memory_id: version for version in reversed(made)}
    last, done = {version.memory_id: version.number for version in made}, {}
    for version in first.values():  # what a forgetting brought back leaves again before the forgotten one returns
        memory = Memory.objects.select_for_update().get(id=version.memory_id)
        if last[memory.id] != memory.version:
            raise Stale(memory)
        done[memory.id] = take_back(reader, memory, version, actor=actor)
    meant = next((version for version in made if version.action not in ("ended", "restored")), made[-1])
    return done[meant.memory_id]


def take_back(reader: Reader, memory: Memory, version: Version, *, actor: str, reason: str = UNDONE) -> Change:
    """To how it stood before `version`: forgotten where it was not there, and what it had replaced is current again."""
    last = memory.versions.filter(number=version.number - 1).first()
    if last is not None and last.status != Status.FORGOTTEN:
        return restore(reader, memory, last, actor=actor, reason=reason)
    done = forget(reader, memory, None, actor=actor, reason=reason)
    if last is None:
        gone = memory.replaced.filter(status=Status.SUPERSEDED).exclude(versions__change=version.change)
        _return(reader, gone, actor=actor, reason=reason)
    return done


def _return(
    reader: Reader, gone: Iterable[Memory], *, actor: str, reason: str, change: uuid.UUID | None = None
) -> None:  # fmt: skip
    """Current again, unless something else stands in their slot by now."""
    for old in gone:
        if not Memory.objects.standing().filter(owner_id=old.owner_id, slot=old.slot).exclude(owner=None).exists():
            _stand(reader, old, Status.ACTIVE, "restored", None, actor=actor, reason=reason, change=change)


def _make_room(reader: Reader, memory: Memory, *, actor: str, change: uuid.UUID) -> None:
    """One current memory a slot: another one ends."""
    if memory.owner_id is None:
        return
    others = Memory.objects.select_for_update().filter(owner_id=memory.owner_id, slot=memory.slot).standing()
    for other in others.exclude(id=memory.id):
        other.replaced_by = memory
        _end(reader, other, timezone.now(), None, actor=actor, change=change)


def _insert(reader: Reader, claim: Claim, at: datetime, origin: Origin, holder: Holder) -> Memory:
    return Memory.objects.create(
        community_id=reader.community, owner_id=holder.owner, scope=holder.scope, space_id=holder.space,
        kind=claim.kind, category=claim.category, subject=claim.subject, attribute=claim.attribute, value=claim.value,
        text=claim.text, slot=claim.slot, terms=terms(f"{claim.text} {claim.quote}"), language=claim.language,
        origin=origin, importance=claim.importance, confidence=claim.confidence,
        valid_from=claim.happened_from or at, valid_to=claim.happened_to,
    )  # fmt: skip


def _confirm(reader: Reader, memory: Memory, claim: Claim, said: Said, *, actor: str, made_by: str) -> Change | None:
    if not _source(memory, claim.quote, said):
        return None
    memory.evidence += 1
    return _record(reader, memory, "confirmed", said.turn, actor=actor, bump=True, made_by=made_by)


def _inherit(memory: Memory, others: Sequence[Memory]) -> None:
    """The sources of the others, each turn once."""
    for source in Source.objects.filter(memory__in=others).order_by("at"):
        _source(memory, source.quote, Said(source.turn, source.conversation, source.at))


def _end(
    reader: Reader, memory: Memory, at: datetime, turn: uuid.UUID | None, *, actor: str, reason: str = "",
    change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    memory.valid_to = at
    return _stand(reader, memory, Status.SUPERSEDED, "ended", turn, actor=actor, reason=reason, change=change)


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
    if action in entities.WORDED:
        entities.link(memory)
    change = change or uuid.uuid4()
    version_of(memory, action, change, turn, actor=actor, reason=reason, made_by=made_by).save(force_insert=True)
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


def _source(memory: Memory, quote: str, said: Said) -> bool:
    return Source.objects.get_or_create(
        memory=memory, turn=said.turn,
        defaults={"community_id": memory.community_id, "owner_id": memory.owner_id, "quote": quote,
                  "conversation": said.conversation, "at": said.at},
    )[1]  # fmt: skip
