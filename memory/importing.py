"""What a file would do to its document, passage by passage: told before it is done.

The unchanged keeps its id, and what somebody corrected by hand is not written over unless they say so.
"""

import hashlib
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from memory import knowledge
from memory.knowledge import storable
from memory.models import Passage
from memory.passages import TITLE, Piece
from profiles.access import Reader
from profiles.models import Space


class How(StrEnum):
    """What an import does with one passage."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    CONFLICT = "conflict"
    """It was corrected by hand, and the file has changed since, or has it no more."""
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Step:
    """One passage of an import: what the file says (None: nothing any more), and what stands there (None: nothing)."""

    how: How
    piece: Piece | None
    passage: Passage | None


def key_of(name: str, space: Space | None) -> str:
    """By which a file is known when it comes again: its name, with its space's before it."""
    return f"{space.slug}/{name}"[:TITLE] if space else name[:TITLE]


@dataclass(slots=True)
class _Rows:
    """What stands there, in order, found by what it says or was said to say; each one is given once."""

    places: defaultdict[Hashable, deque[Passage]] = field(default_factory=lambda: defaultdict(deque))
    given: set[Passage] = field(default_factory=set)

    def put(self, row: Passage, *names: Hashable) -> None:
        for name in set(names):
            self.places[name].append(row)

    def take(self, name: Hashable) -> Passage | None:
        """The first one of that name that is still there."""
        rows = self.places.get(name, deque())
        while rows:
            row = rows.popleft()
            if row not in self.given:
                self.given.add(row)
                return row
        return None


def plan(reader: Reader, key: str, pieces: Sequence[Piece]) -> list[Step]:
    """What the file would do with each passage, in its order; what is gone from it stands last."""
    found = Passage.objects.filter(document__community_id=reader.community, document__key=key)
    rows = [row for row in found.defer("terms").order_by("updated_at", "id") if row.imported != {}]
    there = _Rows()
    for row in rows:
        said = knowledge.said(row)
        there.put(row, Piece(said["title"], said["text"]), Piece(row.title, row.text), said["title"], row.title)
    pieces = [Piece(storable(piece.title)[:TITLE], storable(piece.text)) for piece in pieces]
    steps = []
    for piece, same in [(piece, there.take(piece)) for piece in pieces]:
        if same is not None:
            steps.append(Step(How.UNCHANGED, piece, same))
            continue
        alike = there.take(piece.title)
        how = How.ADDED if alike is None else How.CONFLICT if alike.by_hand else How.UPDATED
        steps.append(Step(how, piece, alike))
    gone = [row for row in rows if row not in there.given]
    return steps + [Step(How.CONFLICT if row.by_hand else How.REMOVED, None, row) for row in gone]


def digest(steps: Iterable[Step]) -> str:
    """The same for the same plan: who has seen one agrees to no other."""
    found = hashlib.sha256()
    for step in steps:
        row = step.passage
        found.update(repr((step.how, step.piece, row and (row.id, row.updated_at))).encode())
    return found.hexdigest()
