"""Door: a member says that a memory is wrong, forgets it, or takes a change back."""

import uuid

from memory import ledger, remember
from memory.ledger import Change, Stale
from memory.models import Memory
from memory.terms import Status
from profiles.access import Reader
from profiles.learn import profile_of, unlearn

__all__ = ["Stale", "forget", "undo", "wrong"]


def own(reader: Reader, memory: uuid.UUID) -> Memory | None:
    """The reader's own memory, locked for the change; None for everybody else's and for forgotten ones."""
    rows = Memory.objects.select_for_update().filter(id=memory, owner_id=reader.member)
    return rows.exclude(status=Status.FORGOTTEN).first()


def forget(reader: Reader, memory: uuid.UUID, *, reason: str = "") -> Change | None:
    """Forget it everywhere; None where there is no such memory of the reader's."""
    found = own(reader, memory)
    return None if found is None else remember.forget(reader, profile_of(reader), found, None, reason=reason)


def wrong(reader: Reader, memory: uuid.UUID) -> Change | None:
    """It leaves recall until it is settled."""
    found = own(reader, memory)
    return None if found is None else ledger.flag(reader, found, None, actor=remember.ACTOR, reason="marked wrong")


def undo(reader: Reader, change: uuid.UUID) -> Change | None:
    """Take one change back; raises `Stale` if the memory was changed since. What is gone leaves the profile too."""
    done = ledger.undo(reader, change, actor=remember.ACTOR)
    if done is not None and done.memory.status == Status.FORGOTTEN:
        unlearn(reader, profile_of(reader), done.memory.value)
    return done
