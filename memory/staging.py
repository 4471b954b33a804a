"""An import's passages are laid ready file by file, then put in their place all at once; and back.

A `Swap` holds what the passage does not: before, its new words, afterwards, those that they took the place of. So
putting in place and undoing is the same exchange, and what is laid ready is seen by nobody who asks a question.
"""

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from memory import audit, importing, knowledge, passages
from memory.importing import How, Step
from memory.models import Document, Import, ImportState, Passage, Sheet, Swap
from memory.passages import TITLE, Piece
from profiles.access import Reader

AT_ONCE = 500
"""New rows of one statement."""
COUNTS = ("added", "updated", "removed", "unchanged", "kept")
NOTED = "noted"
"""The passage stays; what its file says is noted beside it."""
_HERE = "w.part_of_id = %(import)s AND w.passage = p.id"
_ADD = """
INSERT INTO memory_passage (id, document_id, community_id, space_id, title, text, terms, language, is_question,
    verified_by, kept_by, updated_at)
SELECT w.passage, d.id, w.community_id, d.space_id, w.title, w.text, w.terms, w.language, w.is_question, '', '',
    %(now)s + w.place * interval '1 microsecond'
FROM memory_swap w JOIN memory_sheet s ON s.id = w.sheet_id
JOIN memory_document d ON d.community_id = s.community_id AND d.key = s.key
WHERE w.part_of_id = %(import)s AND w.how = 'added'
"""
_ADDED = """
UPDATE memory_swap SET title = '', text = '', terms = '{}', after_at = %(now)s + place * interval '1 microsecond'
WHERE part_of_id = %(import)s AND how = 'added'
"""
_EXCHANGE = f"""
WITH old AS (
    SELECT p.id, p.title, p.text, p.terms, p.language, p.is_question, p.verified_by, p.imported
    FROM memory_passage p JOIN memory_swap w ON {_HERE} AND w.how = 'updated'
), done AS (
    UPDATE memory_passage p SET title = w.title, text = w.text, terms = w.terms, language = w.language,
        is_question = w.is_question, verified_by = w.verified_by, imported = w.imported,
        updated_at = %(now)s + w.place * interval '1 microsecond'
    FROM memory_swap w
    WHERE {_HERE} AND w.how = 'updated' AND p.removed_at IS NULL AND p.updated_at = w.{{known}}
    RETURNING p.id, p.updated_at
), unfound AS (DELETE FROM memory_passagevector v USING done WHERE v.passage_id = done.id), unasked AS (
    DELETE FROM memory_questionvector v USING done WHERE v.passage_id = done.id)
UPDATE memory_swap w SET title = old.title, text = old.text, terms = old.terms, language = old.language,
    is_question = old.is_question, verified_by = old.verified_by, imported = old.imported, after_at = done.updated_at
FROM old JOIN done USING (id) WHERE w.part_of_id = %(import)s AND w.how = 'updated' AND w.passage = old.id
"""  # noqa: S608 - our own names
_NOTE = f"""
WITH old AS (
    SELECT p.id, p.imported FROM memory_passage p JOIN memory_swap w ON {_HERE} AND w.how = 'noted'
), done AS (
    UPDATE memory_passage p SET imported = w.imported FROM memory_swap w
    WHERE {_HERE} AND w.how = 'noted' AND p.updated_at = w.before_at RETURNING p.id
)
UPDATE memory_swap w SET imported = old.imported FROM old JOIN done USING (id)
WHERE w.part_of_id = %(import)s AND w.how = 'noted' AND w.passage = old.id
"""  # noqa: S608
_REMOVE = f"""
WITH done AS (
    UPDATE memory_passage p SET removed_at = %(now)s, updated_at = %(now)s FROM memory_swap w
    WHERE {_HERE} AND w.how = %(how)s AND p.removed_at IS NULL AND p.updated_at = w.{{known}} RETURNING p.id
), unfound AS (DELETE FROM memory_passagevector v USING done WHERE v.passage_id = done.id), unasked AS (
    DELETE FROM memory_questionvector v USING done WHERE v.passage_id = done.id)
UPDATE memory_swap w SET after_at = %(now)s FROM done
WHERE w.part_of_id = %(import)s AND w.how = %(how)s AND w.passage = done.id
"""  # noqa: S608
_RETURN = f"""
UPDATE memory_passage p SET removed_at = NULL, updated_at = %(now)s + w.place * interval '1 microsecond'
FROM memory_swap w
WHERE {_HERE} AND w.how = 'removed' AND p.removed_at IS NOT NULL AND p.updated_at = w.after_at
"""  # noqa: S608
_TOUCHED = f"""
SELECT count(*) FROM memory_passage p JOIN memory_swap w ON {_HERE}
WHERE w.how <> 'noted' AND p.removed_at IS NULL AND p.updated_at <> w.after_at
"""  # noqa: S608
_EARLIER = """
UPDATE memory_swap e SET after_at = p.updated_at FROM memory_swap w JOIN memory_passage p ON p.id = w.passage
WHERE w.part_of_id = %(import)s AND w.how IN ('updated', 'removed') AND p.updated_at >= %(now)s
    AND e.passage = w.passage AND e.part_of_id <> %(import)s AND e.after_at = w.before_at
"""
"""What an undo has put back is again what the import before it had made: that one can be undone next."""


class Changed(Exception):
    """The knowledge is not any more what the plan was made of."""


def read(reader: Reader, sheet: Sheet) -> list[Step]:
    """What would come of one file as things stand now; raises `Unreadable`. In the unit of work of staff."""
    return importing.plan(reader, sheet.key, passages.pieces(sheet.name, sheet.text))


def lay(reader: Reader, row: Import, sheet: Sheet) -> None:
    """The passages of one file, ready to be put in place; raises `Changed`. In the unit of work of an editor."""
    document = Document.objects.filter(community_id=reader.community, key=sheet.key)
    sheet.document_at = document.values_list("updated_at", flat=True).first()
    steps = read(reader, sheet)
    if importing.digest(steps) != sheet.plan:
        raise Changed
    taken = set(row.take or ())
    counts: Counter[How] = Counter()
    swaps = _swaps(row, sheet, [_decided(step, taken) for step in steps], counts)
    while some := list(islice(swaps, AT_ONCE)):  # the words of a whole file at once would be hundreds of megabytes
        Swap.objects.bulk_create(some)
    count(sheet, counts)
    sheet.staged_at = timezone.now()
    sheet.save(update_fields=[*COUNTS, "document_at", "staged_at"])


def put(reader: Reader, row: Import) -> None:
    """All of it in its place, once every file is laid ready; raises `Changed`. In the unit of work of an editor."""
    documents = []
    for sheet in row.sheets.defer("text").order_by("key"):  # whoever else imports waits here, and can't wait for us
        title = sheet.name.rpartition(".")[0] or sheet.name
        document, new = Document.objects.select_for_update().get_or_create(
            community_id=reader.community, key=sheet.key, defaults={"title": title[:TITLE], "space_id": row.space_id}
        )
        if sheet.document_at != (None if new else document.updated_at):
            raise Changed
        documents.append((sheet, document))
    values = {"import": row.id, "now": timezone.now()}
    expected = Counter(row.swaps.values_list("how", flat=True))
    with _many():
        _run(_ADD, values)
        _run(_ADDED, values)
        done = {
            How.UPDATED: _run(_EXCHANGE.format(known="before_at"), values), NOTED: _run(_NOTE, values),
            How.REMOVED: _run(_REMOVE.format(known="before_at"), values | {"how": How.REMOVED}),
        }  # fmt: skip
    if any(count != expected[how] for how, count in done.items()):
        raise Changed
    row.sheets.update(text="")
    row.state, row.ended_at = ImportState.DONE, timezone.now()
    row.save()
    for sheet, document in documents:
        if sheet.added or sheet.updated or sheet.removed:
            document.save(update_fields=["updated_at"])
            counts = {"added": sheet.added, "updated": sheet.updated, "removed": sheet.removed}
            audit.write(reader, "imported", document.id, None, **counts)


def back(reader: Reader, row: Import) -> None:
    """As it was before; what people have changed, verified or removed since stays. In the unit of work of an editor."""
    keys = list(touched(row.sheets.all()).values_list("key", flat=True))
    found = Document.objects.select_for_update().filter(community_id=reader.community, key__in=keys)
    documents, now = list(found.order_by("key")), timezone.now()
    values = {"import": row.id, "now": now}
    with _many():
        with connection.cursor() as cursor:
            cursor.execute(_TOUCHED, {"import": row.id})
            row.left = cursor.fetchone()[0]
        _run(_REMOVE.format(known="after_at"), values | {"how": How.ADDED})
        _run(_EXCHANGE.format(known="after_at"), values)
        _run(_RETURN, values)
        _run(_NOTE, values)
        _run(_EARLIER, values)
    row.swaps.all().delete()
    row.state, row.undone_at = ImportState.UNDONE, now
    row.save()
    for document in documents:
        document.save(update_fields=["updated_at"])
        audit.write(reader, "import undone", document.id, None, left=row.left)


def count(sheet: Sheet, counts: Counter[How]) -> None:
    """How many passages each thing is done with; a conflict keeps what stands there."""
    sheet.added, sheet.updated, sheet.removed = counts[How.ADDED], counts[How.UPDATED], counts[How.REMOVED]
    sheet.unchanged, sheet.kept = counts[How.UNCHANGED], counts[How.CONFLICT]


def touched(sheets: QuerySet[Sheet]) -> QuerySet[Sheet]:
    """Those of which it is known what they have changed."""
    return sheets.filter(Exists(Swap.objects.filter(sheet=OuterRef("id"))))


def _decided(step: Step, taken: set[uuid.UUID]) -> Step:
    """A conflict that follows the file is none."""
    if step.how != How.CONFLICT or step.passage is None or step.passage.id not in taken:
        return step
    return Step(How.REMOVED if step.piece is None else How.UPDATED, step.piece, step.passage)


def _swaps(row: Import, sheet: Sheet, steps: list[Step], counts: Counter[How]) -> Iterator[Swap]:
    for place, step in enumerate(steps):
        counts[step.how] += 1
        whole = {"part_of": row, "sheet": sheet, "community_id": row.community_id, "space_id": row.space_id,
                 "place": place, "passage": step.passage.id if step.passage else uuid.uuid4(),
                 "before_at": step.passage and step.passage.updated_at}  # fmt: skip
        if step.how in (How.ADDED, How.UPDATED) and step.piece:
            yield Swap(how=step.how, **whole, **_words(step.piece, step.passage))
        elif step.how == How.REMOVED:
            yield Swap(how=step.how, **whole)
        elif step.how == How.CONFLICT and row.take is not None:
            piece = step.piece
            yield Swap(how=NOTED, imported={"title": piece.title, "text": piece.text} if piece else {}, **whole)
        elif step.how == How.UNCHANGED and _caught_up(step):
            yield Swap(how=NOTED, **whole)


def _words(piece: Piece, before: Passage | None) -> dict[str, Any]:
    fresh = knowledge.cut(Passage(title=piece.title, text=piece.text, language=before.language if before else ""))
    return {"title": fresh.title, "text": fresh.text, "terms": fresh.terms, "language": fresh.language,
            "is_question": fresh.is_question}  # fmt: skip


def _caught_up(step: Step) -> bool:
    """Whether the file says by now what somebody had corrected."""
    row = step.passage
    return row is not None and row.by_hand and step.piece == Piece(row.title, row.text)


@contextmanager
def _many() -> Iterator[None]:
    """The planner takes what was laid ready a moment ago for a few rows, and would compare each with each."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        yield
        cursor.execute("SET LOCAL enable_nestloop = on")


def _run(statement: str, values: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)
