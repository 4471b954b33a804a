"""What a change of a memory is: the words it rests on, whose it is, what was done; or that somebody was faster."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from memory.models import Memory
from memory.terms import Scope


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
