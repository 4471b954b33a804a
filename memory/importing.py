"""Door: a file becomes a document, or brings it up to date; what it would do is told before it is done.

The unchanged keeps its id, the changed loses its vectors, and what somebody corrected by hand is not written over
unless they say so.
"""

import hashlib
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory import audit, knowledge
from memory.knowledge import storable
from memory.models import Document, Passage
from memory.passages import TITLE, Piece
from profiles.access import Reader
from profiles.models import Space

AT_ONCE = 500
"""New passages of one statement."""


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


@dataclass(frozen=True, slots=True)
class Imported:
    """What one import did to a document: counts of passages."""

    key: str
    added: int
    updated: int
    unchanged: int
    removed: int
    kept: int
    """Corrections by hand that the file says otherwise."""


def key_of(name: str, space: Space | None) -> str:
    """By which a file is known when it comes again: its name, with its space's before it."""
    return f"{space.slug}/{name}" if space else name


def plan(reader: Reader, key: str, pieces: Sequence[Piece]) -> list[Step]:
    """What `put` would do with each passage, in the order of the file; what is gone from it stands last."""
    rows = Passage.objects.filter(document__community_id=reader.community, document__key=key[:TITLE])
    left = [row for row in rows.order_by("updated_at", "id") if row.imported != {}]
    pieces = [Piece(storable(piece.title)[:TITLE], storable(piece.text)) for piece in pieces]
    same: dict[int, Step] = {}
    for place, piece in enumerate(pieces):
        row = next((row for row in left if piece in (_said(row), Piece(row.title, row.text))), None)
        if row is not None:
            left.remove(row)
            same[place] = Step(How.UNCHANGED, piece, row)
    steps = []
    for place, piece in enumerate(pieces):
        step = same.get(place)
        if step is None:
            row = next((row for row in left if piece.title in (_said(row).title, row.title)), None)
            if row is not None:
                left.remove(row)
            step = Step(How.ADDED if row is None else How.CONFLICT if row.by_hand else How.UPDATED, piece, row)
        steps.append(step)
    return steps + [Step(How.CONFLICT if row.by_hand else How.REMOVED, None, row) for row in left]


def digest(steps: Iterable[Step]) -> str:
    """The same for the same plan: who has seen one agrees to no other."""
    found = hashlib.sha256()
    for step in steps:
        row = step.passage
        found.update(repr((step.how, step.piece, row and (row.id, row.updated_at))).encode())
    return found.hexdigest()


def put(
    reader: Reader, key: str, title: str, pieces: Sequence[Piece], *, space: uuid.UUID | None = None,
    take: Collection[uuid.UUID] | None = None,
) -> Imported:  # fmt: skip
    """Make the document `key` say what the file does. Written inside the unit of work of an editor.

    The same title and text keeps its row; a changed text with the same title keeps its id and is no longer verified.
    `take`: the corrected passages that follow the file after all; the others are kept, and are no conflict again until
    the file changes. None: nobody has decided, they are kept and stay in conflict.
    """
    document, _ = Document.objects.select_for_update().get_or_create(
        community_id=reader.community, key=key[:TITLE], defaults={"title": title[:TITLE], "space_id": space}
    )
    counts = dict.fromkeys(How, 0)
    steps = plan(reader, key, pieces)
    fresh = [_new(document, step.piece) for step in steps if step.passage is None and step.piece]
    Passage.objects.bulk_create(fresh, batch_size=AT_ONCE)
    counts[How.ADDED] = len(fresh)
    for step in steps:
        if step.passage is not None:
            counts[_apply(step, step.passage, take)] += 1
    done = Imported(key, counts[How.ADDED], counts[How.UPDATED], counts[How.UNCHANGED], counts[How.REMOVED],
                    counts[How.CONFLICT])  # fmt: skip
    if done.added or done.updated or done.removed:
        document.save(update_fields=["updated_at"])
        audit.write(reader, "imported", document.id, None, added=done.added, updated=done.updated, removed=done.removed)
    return done


def _new(document: Document, piece: Piece) -> Passage:
    return knowledge.cut(Passage(document=document, community_id=document.community_id, space_id=document.space_id,
                                 title=piece.title, text=piece.text))  # fmt: skip


def _apply(step: Step, row: Passage, take: Collection[uuid.UUID] | None) -> How:
    """What was done with it in the end."""
    piece = step.piece
    if step.how == How.UNCHANGED:
        if row.by_hand and piece == Piece(row.title, row.text):  # the file has caught up with the correction
            _note(row, None)
        return How.UNCHANGED
    if step.how == How.CONFLICT and row.id not in (take or ()):
        if take is not None:
            _note(row, {"title": piece.title, "text": piece.text} if piece else {})
        return How.CONFLICT
    if piece is None:
        row.delete()
        return How.REMOVED
    row.title, row.text, row.verified_by, row.imported = piece.title, piece.text, "", None
    knowledge.save(row)
    return How.UPDATED


def _note(row: Passage, imported: dict[str, str] | None) -> None:
    Passage.objects.filter(id=row.id).update(imported=imported)


def _said(row: Passage) -> Piece:
    return Piece(**knowledge.said(row))
