"""What a change of a memory is: the words it rests on, whose it is, what was done; or that somebody was faster."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from memory.models import Memory, Version
from memory.terms import Scope

CONTENT = ("text", "kind", "category", "subject", "attribute", "value", "slot", "language", "valid_from", "valid_to",
           "pinned", "importance")  # fmt: skip
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


def version_of(
    memory: Memory, action: str, change: uuid.UUID, turn: uuid.UUID | None, *, actor: str, reason: str,
    made_by: str = "",
) -> Version:  # fmt: skip
    """What it says by now, as the version that it has by now."""
    content = {name: getattr(memory, name) for name in CONTENT if name not in ("text", "value")}
    return Version(
        memory=memory, community_id=memory.community_id, owner_id=memory.owner_id, number=memory.version,
        change=change, action=action, text=memory.text, value=memory.value, status=memory.status, actor=actor,
        reason=reason, turn=turn, made_by=made_by, content=content,
    )  # fmt: skip
