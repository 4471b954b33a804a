"""Door: shared knowledge written, changed and removed; the unchanged keeps its id, the changed loses its vectors."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from memory import audit
from memory.models import Document, Passage, PassageVector
from memory.passages import TITLE, Piece
from memory.retrieval.text import terms
from memory.wording import language
from profiles.access import Reader


@dataclass(frozen=True, slots=True)
class Imported:
    """What one import did to a document: counts of passages."""

    key: str
    added: int
    updated: int
    unchanged: int
    removed: int


def put(reader: Reader, key: str, title: str, pieces: Sequence[Piece], *, space: uuid.UUID | None = None) -> Imported:
    """Make the document `key` hold just these passages. Written inside the unit of work of an editor.

    The same title and text keeps its row; a changed text with the same title keeps its id and is no longer verified.
    """
    document, _ = Document.objects.select_for_update().get_or_create(
        community_id=reader.community, key=key[:TITLE], defaults={"title": title[:TITLE], "space_id": space}
    )
    pieces = [Piece(_storable(piece.title)[:TITLE], _storable(piece.text)) for piece in pieces]
    left = list(document.passages.order_by("updated_at", "id"))
    fresh: list[Piece] = []
    for piece in pieces:
        same = next((row for row in left if (row.title, row.text) == (piece.title, piece.text)), None)
        if same is None:
            fresh.append(piece)
        else:
            left.remove(same)
    unchanged = len(pieces) - len(fresh)
    updated = 0
    for piece in list(fresh):
        row = next((row for row in left if row.title == piece.title), None)
        if row is not None:
            left.remove(row)
            fresh.remove(piece)
            row.text, row.verified_by = piece.text, ""
            save(row)
            updated += 1
    for piece in fresh:
        save(Passage(document=document, community_id=reader.community, space_id=document.space_id, title=piece.title,
                     text=piece.text))  # fmt: skip
    Passage.objects.filter(id__in=[row.id for row in left]).delete()
    done = Imported(key, len(fresh), updated, unchanged, len(left))
    if done.added or done.updated or done.removed:
        document.save(update_fields=["updated_at"])
        audit.write(reader, "imported", document.id, None, added=done.added, updated=done.updated, removed=done.removed)
    return done


def save(passage: Passage) -> None:
    """Keep a passage: its words are cut anew, and its vectors go, so that the worker makes new ones."""
    passage.title, passage.text = _storable(passage.title)[:TITLE], _storable(passage.text)
    passage.terms = terms(f"{passage.title} {passage.title} {passage.text}")
    passage.language = language(f"{passage.title} {passage.text}") or passage.language or "en"
    passage.save()
    PassageVector.objects.filter(passage_id=passage.id).delete()


def _storable(text: str) -> str:
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()
