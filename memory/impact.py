"""Door: what hangs on a memory: the answers that had it in their context, and the memories that came of it."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from memory.models import Memory, Overview, Recalled, Source
from memory.terms import Status


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a forgetting reaches: answers, derived memories, and the overviews that are made anew."""

    answers: int
    cited: int
    derived: int
    overviews: int


def answers(owner: uuid.UUID, memories: Sequence[Memory]) -> QuerySet[Recalled]:
    """The answers to this member that had any of them before them, newest first."""
    used = Recalled.objects.filter(what="memory", target__in=[row.id for row in memories], owner_id=owner)
    return used.exclude(marker="").order_by("-id")


def derived(readable: QuerySet[Memory], memories: Sequence[Memory]) -> QuerySet[Memory]:
    """Of the readable ones those that took the place of any of them or were made of any."""
    came = readable.exclude(status=Status.FORGOTTEN).exclude(id__in=[row.id for row in memories])
    return came.filter(Q(replaced__in=memories) | Q(parts__of__in=memories)).distinct()


def reach(owner: uuid.UUID, memory: Memory) -> Reach:
    """As numbers."""
    return reach_of(owner, [memory])


def reach_of(owner: uuid.UUID, memories: Sequence[Memory], talks: Iterable[uuid.UUID] = ()) -> Reach:
    """As numbers, of several together; `talks`: conversations whose overviews go as well."""
    used = answers(owner, memories).order_by()
    said = {*talks, *Source.objects.filter(memory__in=memories).values_list("conversation", flat=True)}
    return Reach(
        used.values("turn").distinct().count(), used.filter(cited=True).values("turn").distinct().count(),
        derived(Memory.objects.filter(owner_id=owner), memories).count(),
        Overview.objects.filter(owner_id=owner, conversation__in=said).count(),
    )  # fmt: skip
