"""Door: a question that was asked before: which answer it was given then, and what that answer told."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from memory.models import Recalled
from memory.recall import Hit


@dataclass(frozen=True, slots=True)
class Before:
    """The newest time, and the sources which the answer cited then."""

    hit: Hit
    told: frozenset[uuid.UUID]

    def told_already(self, hit: Hit) -> bool:
        """Whether that answer rested on it, and it has not changed since."""
        return hit.id in self.told and hit.at <= self.hit.at


def before(asked: Sequence[Hit]) -> Before | None:
    """What an answer may be short because of: `asked` are the times that it was asked, newest first."""
    if not asked:
        return None
    cited = Recalled.objects.filter(turn=asked[0].id, cited=True).values_list("target", flat=True)
    return Before(asked[0], frozenset(cited))
