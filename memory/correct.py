"""Door: what a member or a moderator does to a memory by hand; it wins over whatever a machine writes.

`owner` is the member whose memories are meant: the reader, or whom staff have opened. Memories that the community or a
space shares are changed by moderators and admins only.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from memory import audit, derived, ledger, remember, replacing, sealed, standing
from memory.extraction import guard, rules
from memory.extraction.claims import Claim
from memory.ledger import Change, Holder, Stale
from memory.models import Episode, Memory, Source, Version
from memory.terms import Category, Kind, Origin, Scope, Status
from memory.wording import language
from profiles.access import EDITORS, Reader
from profiles.learn import profile_of, unlearn
from profiles.models import Profile

__all__ = ["Denied", "Refused", "Stale", "Unfit", "approve", "forget", "merge", "own", "reject", "restore", "revise",
           "state", "supersede", "undo"]  # fmt: skip
IMPORTANCE = 0.6
"""Of what somebody took the trouble to write by hand."""


class Denied(PermissionDenied):
    """The reader may see it, and may not change it."""


class Refused(Exception):
    """The text may not be kept; the message says why in one sentence."""


class Unfit(Exception):
    """As the memory stands, this can't be done to it; the message is one sentence."""


def own(
    reader: Reader, memory: uuid.UUID, *, owner: uuid.UUID | None = None, version: int | None = None,
    forgotten: bool = False,
) -> Memory | None:  # fmt: skip
    """The memory, locked for the change; None for everybody else's and, unless `forgotten`, for forgotten ones.

    Raises `Denied` for a shared one that the reader may only read, and `Stale` unless it is at `version` (if given).
    """
    audit.hold(reader.community)
    rows = Memory.objects.select_for_update(of=("self",)).filter(id=memory, community_id=reader.community)
    found = rows.first() if forgotten else rows.exclude(status=Status.FORGOTTEN).first()
    if found is None or (found.scope == Scope.PERSONAL and found.owner_id != (owner or reader.member)):
        return None
    if found.scope != Scope.PERSONAL and reader.role not in EDITORS:
        raise Denied
    if withdrawn(reader, found):
        return None
    if version is not None and found.version != version:
        raise Stale(found)
    if found.shelved:
        sealed.unseal(found)
    return found


def state(
    reader: Reader, text: str, *, owner: uuid.UUID | None = None, scope: Scope = Scope.PERSONAL,
    space: uuid.UUID | None = None, **fields: Any,
) -> Change:  # fmt: skip
    """Write a new memory by hand; fields that are not given are read from the text where rules can read it."""
    if scope != Scope.PERSONAL and reader.role not in EDITORS:
        raise Denied
    audit.hold(reader.community)
    holder = Holder(owner or reader.member) if scope == Scope.PERSONAL else Holder(None, scope, space)
    origin = Origin.TOLD if holder.owner == reader.member else Origin.CONFIRMED
    claim = replace(_claim(reader, text, personal=scope == Scope.PERSONAL), **fields)
    return ledger.state(reader, claim, holder, origin=origin, actor=actor(reader, holder.owner))


def revise(
    reader: Reader, memory: Memory, fields: dict[str, Any], *, reason: str = "", change: uuid.UUID | None = None
) -> Change:  # fmt: skip
    """Set what is given; a sentence in new words is checked like any other. `change`: of what else is done with it."""
    for name in ("text", "subject", "value"):
        check(fields.get(name, ""))
    if "text" in fields and "value" not in fields and memory.value == memory.text:  # a note says what its text says
        fields = fields | {"value": fields["text"]}
    if "text" in fields:
        fields = fields | {"language": language(fields["text"]) or memory.language}
    start, end = (fields.get(name, getattr(memory, name)) for name in ("valid_from", "valid_to"))
    if start and end and end < start:
        raise Refused("It can't end before it begins.")
    profile = _profile(reader, memory)
    if profile is not None and fields.get("value", memory.value) != memory.value:
        unlearn(profile, memory.value)
    return ledger.revise(reader, memory, fields, actor=actor(reader, memory.owner_id), reason=reason, change=change)


def forget(reader: Reader, memory: uuid.UUID, *, reason: str = "", owner: uuid.UUID | None = None,
           version: int | None = None) -> Change | None:  # fmt: skip
    """Forget it everywhere; None where there is no such memory."""
    found = own(reader, memory, owner=owner, version=version)
    if found is None:
        return None
    profile = _profile(reader, found)
    return remember.forget(reader, profile, found, None, reason=reason, actor=actor(reader, found.owner_id))


def flag(reader: Reader, memory: Memory, *, reason: str = "") -> Change:
    """It leaves recall until it is settled."""
    if memory.status != Status.ACTIVE:
        raise Unfit("Only what is current can be doubted.")
    return ledger.flag(reader, memory, None, actor=actor(reader, memory.owner_id), reason=reason)


def approve(reader: Reader, memory: Memory, *, reason: str = "", change: uuid.UUID | None = None) -> Change:
    """What was doubted is right."""
    _waits(memory)
    return ledger.approve(reader, memory, actor=actor(reader, memory.owner_id), reason=reason, change=change)


def reject(reader: Reader, memory: Memory, *, reason: str = "") -> Change:
    """What was doubted is wrong."""
    _waits(memory)
    profile = _profile(reader, memory)
    if profile is not None:
        unlearn(profile, memory.value)
    return ledger.reject(reader, memory, actor=actor(reader, memory.owner_id), reason=reason)


def supersede(reader: Reader, memory: Memory, text: str) -> Change:
    """Another sentence takes its place; the old one is kept as history."""
    if memory.status not in (Status.ACTIVE, Status.UNDER_REVIEW):
        raise Unfit("Only what is current or doubted can be replaced.")
    read = _claim(reader, text, personal=memory.owner_id is not None)
    if read.attribute != memory.attribute:
        read = replace(read, kind=Kind(memory.kind), category=Category(memory.category), subject=memory.subject,
                       attribute=memory.attribute, value=text)  # fmt: skip
    holder = Holder(memory.owner_id, Scope(memory.scope), memory.space_id)
    profile = _profile(reader, memory)
    if profile is not None:
        unlearn(profile, memory.value)
    return ledger.state(reader, read, holder, origin=Origin(memory.origin), actor=actor(reader, memory.owner_id),
                        instead=[memory])  # fmt: skip


def merge(reader: Reader, memories: Sequence[Memory], text: str) -> Change:
    """Several become one; they must be of one holder, and current or doubted."""
    if len({(row.owner_id, row.scope, row.space_id) for row in memories}) != 1 or len(memories) < 2:
        raise Unfit("At least two memories of one holder can be merged.")
    if any(row.status not in (Status.ACTIVE, Status.UNDER_REVIEW) for row in memories):
        raise Unfit("Only what is current or doubted can be merged.")
    first = memories[0]
    claim = _claim(reader, text, personal=False)
    if len({row.slot for row in memories}) == 1:
        claim = replace(claim, subject=first.subject, attribute=first.attribute, value=first.value)
    claim = replace(claim, kind=Kind(first.kind), category=Category(first.category))
    return ledger.merge(reader, memories, claim, actor=actor(reader, first.owner_id))


def restore(reader: Reader, memory: Memory, number: int, *, reason: str = "") -> Change | None:
    """Back to one of its versions; None where there is no such version."""
    version = memory.versions.filter(number=number).first()
    if version is None or sealed.emptied(version):
        return None
    if version.status == Status.FORGOTTEN:
        raise Unfit("That version was forgotten.")
    done = ledger.restore(reader, memory, version, actor=actor(reader, memory.owner_id), reason=reason)
    settle(reader, [memory.id])
    return done


def undo(reader: Reader, change: uuid.UUID, *, owner: uuid.UUID | None = None) -> Change | None:
    """Take one change back; raises `Stale` if the memory was changed since. What is gone leaves the profile too."""
    audit.hold(reader.community)
    shared = Version.objects.filter(change=change, owner_id=None).exists()
    if shared and reader.role not in EDITORS:
        raise Denied
    rows = Memory.objects.filter(versions__change=change).distinct()
    if any(withdrawn(reader, row) for row in rows):
        return None
    with transaction.atomic():  # of several either all go back or none
        done = ledger.undo(reader, change, actor=actor(reader, owner or reader.member), owner=owner)
    if done is not None:
        turns = _unhide(change, owner or reader.member)
        settle(reader, [row.id for row in rows])
        _find_again(reader, owner or reader.member, turns)
    return done


def _unhide(change: uuid.UUID, owner: uuid.UUID) -> list[uuid.UUID]:
    """The exchanges that this change forgot as a whole."""
    hidden = Episode.objects.filter(owner_id=owner, hidden_by=change)
    turns = list(hidden.values_list("turn", flat=True))
    hidden.update(hidden_by=None)
    return turns


def show(reader: Reader, owner: uuid.UUID, change: uuid.UUID) -> bool:
    """Take back a change that forgot exchanges alone; whether there was one."""
    turns = _unhide(change, owner)
    _find_again(reader, owner, turns)
    return bool(turns)


def _find_again(reader: Reader, owner: uuid.UUID, turns: Sequence[uuid.UUID]) -> None:
    """These exchanges, unless replaced or with something in them forgotten; what was made of them follows."""
    if not turns:
        return
    _shown(owner, turns)
    derived.follow(reader, derived.made_from(owner, [], turns))


def _claim(reader: Reader, text: str, *, personal: bool) -> Claim:
    """What rules read in a member's own sentence, if it is one thing; else the sentence as a note."""
    check(text)
    reading = rules.read(text, at=timezone.now(), zone=ZoneInfo(reader.time_zone))
    if personal and len(reading.claims) == 1:
        return replace(reading.claims[0], text=text, quote=text, explicit=True)
    return Claim(Kind.SEMANTIC, Category.FACT, "me" if personal else "community", "note", text, text, text,
                 language(text) or "en", IMPORTANCE, 1.0, explicit=True)  # fmt: skip


def check(text: str) -> None:
    """Raises `Refused` for what is never kept: secrets, and orders to the assistant."""
    if guard.secrets(text):
        raise Refused("Passwords, keys and numbers of cards or papers are never kept.")
    if guard.is_instruction(text):
        raise Refused("A text that gives orders to the assistant is not kept.")


def withdrawn(reader: Reader, memory: Memory) -> bool:
    """What a member has forgotten can be brought back by the member alone."""
    if memory.status != Status.FORGOTTEN or memory.owner_id in (None, reader.member):
        return False
    return memory.versions.latest("number").actor == remember.ACTOR


def _waits(memory: Memory) -> None:
    """Doubted; or of the least use, which waits as well once it has aged."""
    if memory.status != Status.UNDER_REVIEW and not (memory.weak and memory.status == Status.ACTIVE):
        raise Unfit("It is not under review.")


def settle(reader: Reader, taken_back: Iterable[uuid.UUID]) -> None:
    """What else says these follows how they stand now: hidden with what is forgotten, found again with the rest."""
    rows = list(Memory.objects.filter(id__in=list(taken_back)).order_by("id"))
    unwished = set(standing.unwished().filter(memory__in=rows).values_list("memory", flat=True))
    gone = [row for row in rows if row.status == Status.FORGOTTEN]
    for memory in gone:
        if memory.id in unwished:
            derived.drop(memory)
        elif memory.owner_id is not None:
            remember.withdraw(reader, _profile(reader, memory), [memory])
    for memory in rows:
        if memory not in gone:
            _unmask(memory)
        turns = memory.sources.values_list("turn", flat=True)
        made = derived.made_from(memory.owner_id, [memory.id], turns)
        derived.follow(reader, [*made, memory.id] if derived.outdated(memory) else made)


def _unmask(memory: Memory) -> None:
    """The exchanges that it came from are found again, unless replaced or with something else in them forgotten."""
    _shown(memory.owner_id, replacing.answered_anew(memory.owner_id, memory.sources.values_list("turn", flat=True)))


def _shown(owner: uuid.UUID | None, turns: Sequence[uuid.UUID]) -> None:
    said = Source.objects.filter(owner_id=owner, turn__in=turns, memory__status=Status.FORGOTTEN)
    said = said.exclude(memory__in=standing.unwished())
    gone = replacing.answered_anew(owner, said.values_list("turn", flat=True))
    back = Episode.objects.filter(owner_id=owner, turn__in=turns, hidden_by=None, replaced=False)
    back.exclude(turn__in=gone).update(masked=False)


def _profile(reader: Reader, memory: Memory) -> Profile | None:
    return profile_of(reader, memory.owner_id) if memory.owner_id else None


def actor(reader: Reader, owner: uuid.UUID | None) -> str:
    """Who changes it by hand, as its version says."""
    return remember.ACTOR if owner == reader.member else "moderator"
