"""What speaks for or against a claim, read from what is kept: what stands, what was forgotten or decided by hand."""

import hashlib
import hmac
import uuid
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from memory.extraction.claims import Claim
from memory.models import Memory, Tombstone, Version
from memory.terms import Origin, Status

UPKEEP = "upkeep"
"""The actor that keeps house."""
MACHINES = frozenset({"reader", "system", UPKEEP})
"""Actors that never win over what a member or a moderator has done by hand."""
CORRECTED = "corrected by the member"
"""Why a memory was ended or doubted, where forgetting the new one brings the old one back."""


def graves(owner: uuid.UUID | None, claim: Claim) -> QuerySet[Tombstone]:
    """What keeps this claim away, if it was forgotten."""
    return Tombstone.objects.filter(owner_id=owner, digest=digest(owner, claim.slot, claim.value))


def settled(
    owner: uuid.UUID, current: Memory | None, claim: Claim, turn: uuid.UUID, at: datetime, actor: str
) -> bool:
    """Whether a person has decided by hand, after these words, against what a reading of them says."""
    by_hand = Version.objects.filter(owner_id=owner, turn=None, at__gt=at).exclude(actor__in=MACHINES)
    if current is not None and actor in MACHINES and by_hand.filter(memory=current).exists():
        return True
    touched = by_hand.filter(memory__sources__turn=turn).values("memory")
    values = Version.objects.filter(memory__in=touched).values_list("value", flat=True)
    return any(plain(value) == plain(claim.value) for value in values)


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
    return Version.objects.filter(memory=version.memory_id, number=version.number - 1).exclude(text="").first()


def same(memory: Memory, claim: Claim) -> bool:
    """Whether the memory says what the claim says."""
    return memory.attribute == claim.attribute and plain(memory.value) == plain(claim.value)


def plain(value: str) -> str:
    """A value without case and spaces."""
    return "".join(value.casefold().split())


def digest(owner: uuid.UUID | None, slot: str, value: str) -> str:
    """The keyed hash by which a forgotten claim is known again without its content."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"{owner}|{slot}|{plain(value)}".encode(), hashlib.sha256).hexdigest()
