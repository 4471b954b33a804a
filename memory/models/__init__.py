"""The tables of what is kept."""

from memory.models.document import Document, Passage
from memory.models.episode import Episode
from memory.models.event import AuditEvent, AuditText, Pseudonym
from memory.models.memory import Memory, Source, Tombstone, Version
from memory.models.recalled import Recalled

__all__ = ["AuditEvent", "AuditText", "Document", "Episode", "Memory", "Passage", "Pseudonym", "Recalled", "Source",
           "Tombstone", "Version"]  # fmt: skip
