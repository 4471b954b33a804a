"""The tables of what is kept."""

from memory.models.document import Document, Passage
from memory.models.episode import Episode
from memory.models.event import AuditEvent, AuditText, Pseudonym
from memory.models.memory import Memory, Part, Source, Tombstone, Version
from memory.models.overview import Overview
from memory.models.recalled import Recalled
from memory.models.vector import Embedder, EpisodeVector, MemoryVector, PassageVector

__all__ = [
    "AuditEvent", "AuditText", "Document", "Embedder", "Episode", "EpisodeVector", "Memory", "MemoryVector", "Overview",
    "Part", "Passage", "PassageVector", "Pseudonym", "Recalled", "Source", "Tombstone", "Version",
]  # fmt: skip
