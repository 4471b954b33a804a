"""What speaks for or against a claim, read from what is kept: what stands, what was forgotten or decided by hand."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet

from memory import sealed
from memory.extraction.claims import Claim
from memory.models import Memory, Version
from memory.terms import Category, Kind, Origin, Status
from memory.tombs import plain

MERGED = "merged"
"""Why a memory was archived that says the same as another one."""
UPKEEP = "upkeep"
"""The actor that keeps house."""
MACHINES = frozenset({"reader", "system", UPKEEP})
"""Actors that never win over what a member or a moderator has done by hand."""
CORRECTED = "corrected by the member"
"""Why a memory was ended or doubted, where forgetting the new one brings the old one back."""
UNDONE, ROLLED_BACK = TAKEN_BACK = ("undo", "rolled back")
"""Why a memory was taken back."""


def unwished() -> QuerySet[Version, Any]:
    """The memories that are forgotten by nobody's wish to hide their words: those that have faded, and those that a
    machine had made of others and that were taken back while these stay."""
    last = Version.objects.filter(action="forgotten", number=F("memory__version"))
    return last.filter(Q(actor=UPKEEP) | Q(reason__in=TAKEN_BACK, memory__origin=Origin.CONSOLIDATED)).values("memory")


def settled(
    owner: uuid.UUID, current: Memory | None, claim: Claim, turn: uuid.UUID, at: datetime, actor: str
) -> bool:
    """Whether a person has decided by hand, after these words, against what a reading of them says."""
    by_hand = Version.objects.filter(owner_id=owner, turn=None, at__gt=at).exclude(actor__in=MACHINES)
    if current is not None and actor in MACHINES and by_hand.filter(memory=current).exists():
        return True
    touched = by_hand.filter(memory__sources__turn=turn).values("memory")
    values = (sealed.words(memory).values() for memory in Memory.objects.filter(id__in=touched))
    return any(plain(claim.value) in map(plain, several) for several in values)


def corrected(memory: Memory) -> list[Memory]:
    """The memories that left because this one corrected them: its predecessors, and what its words put in doubt."""
    if memory.origin == Origin.CONSOLIDATED:  # made of these turns' words, it corrected nothing
        return []
    turns = memory.sources.values("turn")
    left = Version.objects.filter(reason=CORRECTED, owner_id=memory.owner_id)
    doubted = left.filter(action="flagged", turn__in=turns).values("memory")
    ended = left.filter(action="ended").values("memory")
    found = [*memory.replaced.filter(status=Status.SUPERSEDED, id__in=ended),
             *Memory.objects.filter(id__in=doubted, status=Status.UNDER_REVIEW)]  # fmt: skip
    return [row for row in found if row.versions.latest("number").reason == CORRECTED]


def before(version: Version) -> Version | None:
    """What to go back to; None where its words have gone."""
    found = Version.objects.filter(memory=version.memory_id, number=version.number - 1).first()
    return None if found is None or sealed.emptied(found) else found


def same(memory: Memory, claim: Claim) -> bool:
    """Whether the memory says what the claim says."""
    return memory.attribute == claim.attribute and (claim.is_opinion or plain(memory.value) == plain(claim.value))


def claim_of(memory: Memory) -> Claim:
    """What a memory says, as a claim; its slot follows from it."""
    return Claim(
        Kind(memory.kind), Category(memory.category), memory.subject, memory.attribute, memory.value, memory.text,
        memory.text, memory.language, memory.importance, memory.confidence, memory.valid_from, memory.valid_to, True,
    )  # fmt: skip
