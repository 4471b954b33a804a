"""Door: what hangs on a memory: the answers that had it in their context, and the memories that came of it."""

import uuid
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from memory.models import Memory, Overview, Recalled
from memory.terms import Status


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a forgetting reaches: answers, derived memories, and the overviews that are made anew."""

    answers: int
    cited: int
    derived: int
    overviews: int


def answers(owner: uuid.UUID, memory: Memory) -> QuerySet[Recalled]:
    """The answers to this member that had it before them, newest first."""
    used = Recalled.objects.filter(what="memory", target=memory.id, owner_id=owner).exclude(marker="")
    return used.order_by("-id")


def derived(readable: QuerySet[Memory], memory: Memory) -> QuerySet[Memory]:
    """Of the readable ones those that took its place or were made of it."""
    came = readable.exclude(status=Status.FORGOTTEN).filter(Q(replaced=memory) | Q(parts__of=memory))
    return came.distinct()


def reach(owner: uuid.UUID, memory: Memory) -> Reach:
    """As numbers."""
    used = answers(owner, memory)
    talks = memory.sources.values("conversation")
    return Reach(
        used.count(), used.filter(cited=True).count(), derived(Memory.objects.filter(owner_id=owner), memory).count(),
        Overview.objects.filter(owner_id=owner, conversation__in=talks).count(),
    )  # fmt: skip
