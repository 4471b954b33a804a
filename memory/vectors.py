"""Door: which texts wait for a vector, writing their vectors, and how near each one is to a question."""

import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, connection, transaction
from pgvector.django import CosineDistance

from memory import policy
from memory.models import Embedder, Episode, EpisodeVector, Memory, MemoryVector, Passage, PassageVector, QuestionVector
from memory.passages import question
from memory.terms import Scope, Status
from profiles.access import Reader

SIZES = range(8, 4001)
"""Dimensions that pgvector can index, as `vector` or `halfvec`."""
MEMORY, EPISODE, PASSAGE, QUESTION = "memory", "episode", "knowledge", "question"
LIVE = (Status.ACTIVE, Status.SUPERSEDED, Status.UNDER_REVIEW)


class WrongSize(Exception):
    """Vectors of this maker had another size before."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Unit vectors of one maker: `by` names it, each row has its size."""

    by: str
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """One text without a vector: `what` is memory, episode, knowledge or question (a passage's title, by the passage's
    id); `person` is None for shared knowledge."""

    what: str
    id: uuid.UUID
    person: uuid.UUID | None
    community: str


def embedder(by: str, size: int) -> Embedder:
    """The row of one maker, made when it first speaks; raises `WrongSize`."""
    found = Embedder.objects.filter(key=by).first()
    if found is None:
        if size not in SIZES:
            raise WrongSize(f"{size} dimensions can't be indexed")
        try:
            with transaction.atomic():
                found = Embedder.objects.create(key=by, size=size)
        except IntegrityError:  # another process was first
            found = Embedder.objects.get(key=by)
    if found.size != size:
        raise WrongSize(f"{by} gave {size} dimensions, {found.size} are stored")
    return found


def waiting(maker: Embedder, at_most: int) -> list[Waiting]:
    """Texts of every community that have no vector of this maker; ids only."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT what, target, person, community FROM kith_waiting_vectors(%s, %s)", [maker.id, at_most])
        return [Waiting(*row) for row in cursor.fetchall()]


def texts(wanted: Iterable[Waiting]) -> dict[uuid.UUID, str]:
    """What is to be embedded, read inside the owner's unit of work; what has gone since is left out. A passage and its
    question are not to be `wanted` together."""
    ids: dict[str, list[uuid.UUID]] = {MEMORY: [], EPISODE: [], PASSAGE: [], QUESTION: []}
    for one in wanted:
        ids[one.what].append(one.id)
    found = {row.id: row.text for row in Memory.objects.filter(id__in=ids[MEMORY], status__in=LIVE)}
    found |= {row.turn: row.question for row in Episode.objects.filter(turn__in=ids[EPISODE], masked=False)}
    found |= {row.id: question(row.title) for row in Passage.objects.filter(id__in=ids[QUESTION], is_question=True)}
    return found | {row.id: f"{row.title}\n{row.text}" for row in Passage.objects.filter(id__in=ids[PASSAGE])}


def store(
    maker: Embedder, wanted: Sequence[Waiting], rows: dict[uuid.UUID, tuple[float, ...]],
    said: Mapping[uuid.UUID, str] | None = None,
) -> int:  # fmt: skip
    """Keep the vectors of texts that are still there, inside the owner's unit of work; returns how many. `said`: what
    they were made of; a text that says something else by now waits for another one."""
    still = texts(one for one in wanted if one.id in rows)
    if said is not None:
        still = {key: text for key, text in still.items() if said.get(key) == text}
    places: dict[str, tuple[Any, Any, str]] = {
        MEMORY: (Memory, MemoryVector, "memory_id"),
        EPISODE: (Episode, EpisodeVector, "episode_id"),
        PASSAGE: (Passage, PassageVector, "passage_id"),
        QUESTION: (Passage, QuestionVector, "passage_id"),
    }
    count = 0
    for what, (source, vector, column) in places.items():
        kept = source.objects.in_bulk([one.id for one in wanted if one.what == what and one.id in still])
        made = [
            vector(embedder=maker, community_id=row.community_id, owner_id=_owner(row),
                   space_id=getattr(row, "space_id", None), embedding=list(rows[key]), **{column: key})
            for key, row in kept.items()
        ]  # fmt: skip
        vector.objects.bulk_create(made, ignore_conflicts=True)
        count += len(made)
    return count


def drop(memory: uuid.UUID, turns: Sequence[uuid.UUID] = ()) -> None:
    """What is forgotten leaves no vector behind, nor do the exchanges that it came from."""
    MemoryVector.objects.filter(memory_id=memory).delete()
    EpisodeVector.objects.filter(episode_id__in=turns).delete()


@dataclass(frozen=True, slots=True)
class Near:
    """How near texts lie to a question: the cosine (-1..1) of each, and the median of all shared passages."""

    cosines: dict[uuid.UUID, float] = field(default_factory=dict)
    shared_median: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.cosines)


_NEAR = """
WITH passage AS (
    SELECT passage_id AS id, embedding <=> %(asked)s::vector AS far FROM memory_passagevector
    WHERE embedder_id = %(maker)s AND community_id = %(community)s
    AND owner_id IS NULL AND (space_id IS NULL OR space_id = ANY(%(spaces)s))
)
SELECT memory_id, embedding <=> %(asked)s::vector FROM memory_memoryvector
WHERE embedder_id = %(maker)s AND community_id = %(community)s
AND (owner_id = %(member)s OR owner_id IS NULL AND (space_id IS NULL OR space_id = ANY(%(spaces)s)))
UNION ALL
(SELECT id, far FROM passage ORDER BY far LIMIT %(passages)s)
UNION ALL
SELECT NULL, percentile_cont(0.5) WITHIN GROUP (ORDER BY far) FROM (SELECT far FROM passage LIMIT %(some)s) AS sample
"""
_makers: dict[str, tuple[int, int]] = {}


def nearness(reader: Reader, meaning: Meaning | None) -> Near:
    """The reader's memories and the nearest shared texts, compared exactly; empty without vectors.

    With several rows the best one counts.
    """
    maker = maker_of(meaning)
    found: dict[uuid.UUID, float] = {}
    median = 0.0
    for row in meaning.rows if meaning and maker else ():
        values: dict[str, Any] = {
            "asked": written(row), "maker": maker, "community": reader.community,
            "member": reader.member, "spaces": list(reader.spaces), "passages": 4 * policy.PASSAGES,
            "some": policy.USUAL_OF,
        }  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(_NEAR, values)
            for key, far in cursor.fetchall():
                if key is not None:
                    found[key] = max(found.get(key, -1.0), 1.0 - float(far))
                elif far is not None:
                    median = 1.0 - float(far)
    return Near(found, median)


def near_questions(meaning: Meaning | None, passages: Sequence[uuid.UUID]) -> dict[uuid.UUID, float]:
    """How near the titles of these passages lie to a question: the cosine of each, -1..1, of several rows the best."""
    maker = maker_of(meaning)
    found: dict[uuid.UUID, float] = {}
    if meaning is None or maker is None or not passages:
        return found
    for row in meaning.rows:
        here = QuestionVector.objects.filter(embedder_id=maker, passage_id__in=passages)
        for key, far in here.values_list("passage_id", CosineDistance("embedding", list(row))):
            found[key] = max(found.get(key, -1.0), 1.0 - far)
    return found


def maker_of(meaning: Meaning | None) -> int | None:
    """The id of who made a question's vectors, where vectors of theirs, of this size, can be stored here; None for
    what compares with nothing: zeros, or what is no number."""
    known = _known(meaning.by) if meaning else None
    usable = known and meaning and all(len(row) == known[1] and _is_vector(row) for row in meaning.rows)
    return known[0] if known and usable else None


def _is_vector(row: Sequence[float]) -> bool:
    length = sum(part * part for part in row)
    return length > 0 and math.isfinite(length)


def written(row: Sequence[float]) -> str:
    """A vector as the database reads it."""
    return f"[{','.join(map(str, row))}]"


def _known(by: str) -> tuple[int, int] | None:
    """Id and size of a maker; rows of makers never change, once the transaction that reads them has ended well."""
    if by in _makers:
        return _makers[by]
    row = Embedder.objects.filter(key=by).values_list("id", "size").first()
    if row is not None:
        transaction.on_commit(lambda: _makers.update({by: row}))
    return row


def _owner(row: Any) -> uuid.UUID | None:
    """A memory that is shared belongs to nobody alone."""
    owner: uuid.UUID | None = getattr(row, "owner_id", None)
    return owner if getattr(row, "scope", Scope.PERSONAL) == Scope.PERSONAL else None
