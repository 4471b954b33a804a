"""The tables of what is kept."""

from memory.models.block import Block, BlockVersion
from memory.models.document import Document, Passage
from memory.models.entity import Edge, Entity
from memory.models.episode import Episode
from memory.models.event import AuditEvent, AuditText, Pseudonym
from memory.models.imports import Import, ImportState, Sheet, Swap
from memory.models.key import Key
from memory.models.memory import Memory, Part, Source, Tombstone, Version
from memory.models.overview import Overview
from memory.models.proposal import Proposal, Wording
from memory.models.recalled import Recalled
from memory.models.search import Search
from memory.models.vector import Embedder, EpisodeVector, MemoryVector, PassageVector, QuestionVector

__all__ = [
    "AuditEvent", "AuditText", "Block", "BlockVersion", "Document", "Edge", "Embedder", "Entity", "Episode",
    "EpisodeVector", "Import", "ImportState", "Key", "Memory", "MemoryVector", "Overview", "Part", "Passage",
    "PassageVector", "Proposal", "Pseudonym", "QuestionVector", "Recalled", "Search", "Sheet", "Source", "Swap",
    "Tombstone", "Version", "Wording",
]  # fmt: skip
