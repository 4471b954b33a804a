"""Making the vectors that are missing: texts read in one unit of work, embedded outside of any, kept in another."""

import uuid
from collections.abc import Iterator
from typing import Any

from django.db import connections

from assistant.llm import embedding
from memory import vectors
from memory.models import Embedder
from profiles.access import Reader, reader_for, scoped, worker_in
from profiles.models import Community

AT_ONCE = 64
"""Texts for which vectors are made in one go."""
_TABLES = {
    "memory_memoryvector": ("memory_id", "memory_memory", "id", "status IN ('active', 'superseded', 'under_review')"),
    "memory_episodevector": ("episode_id", "memory_episode", "turn", "NOT masked"),
    "memory_passagevector": ("passage_id", "memory_passage", "id", "removed_at IS NULL"),
    "memory_questionvector": ("passage_id", "memory_passage", "id", "is_question AND removed_at IS NULL"),
}


def maker() -> Embedder:
    """Whoever makes the next vectors; raises `embedding.Unavailable` and `vectors.WrongSize`."""
    probe = embedding.passages(["?"])
    return vectors.embedder(probe.by, len(probe.rows[0]))


def make(by: Embedder) -> Iterator[int]:
    """Batch after batch, until nothing waits, or nothing of what waits can be made; yields how many each one made."""
    while wanted := vectors.waiting(by, AT_ONCE):
        made = sum(_batch(by, part) for part in _by_owner(wanted))
        if not made:
            return
        yield made


def counted(by: Embedder) -> tuple[int, int]:
    """Texts that have a vector of this maker, and all that should."""
    have = wanted = 0
    with connections["owner"].cursor() as cursor:
        for table, (column, source, key, which) in _TABLES.items():
            cursor.execute(
                f"SELECT count(v.id), count(*) FROM {source} t LEFT JOIN {table} v "  # noqa: S608 - our own names
                f"ON v.{column} = t.{key} AND v.embedder_id = %s WHERE {which}", [by.id],
            )  # fmt: skip
            found: tuple[int, int] = cursor.fetchone() or (0, 0)
            have, wanted = have + found[0], wanted + found[1]
    return have, wanted


def drop_others(by: Embedder) -> int:
    """Vectors of every other maker go. Returns how many."""
    count = 0
    with connections["owner"].cursor() as cursor:
        for table in _TABLES:
            cursor.execute(f"DELETE FROM {table} WHERE embedder_id <> %s", [by.id])  # noqa: S608
            count += cursor.rowcount
    return count


def _by_owner(wanted: list[vectors.Waiting]) -> list[list[vectors.Waiting]]:
    parts: dict[tuple[uuid.UUID | None, str, bool], list[vectors.Waiting]] = {}
    for one in wanted:  # a passage and its question have one id
        parts.setdefault((one.person, one.community, one.what == vectors.QUESTION), []).append(one)
    return list(parts.values())


def _batch(by: Embedder, wanted: list[vectors.Waiting]) -> int:
    """One owner's texts."""
    first = wanted[0]
    reader = reader_for(first.person, first.community) if first.person else _worker(first.community)
    if reader is None:
        return 0
    with scoped(reader):
        found = vectors.texts(wanted)
    if not found:
        return 0
    meaning = embedding.passages(list(found.values()))
    if meaning.by != by.key:
        raise embedding.Unavailable("the embedder has changed")
    if any(len(row) != by.size for row in meaning.rows):
        raise vectors.WrongSize(f"{by.key} gave {len(meaning.rows[0])} dimensions, {by.size} are stored")
    with scoped(reader):
        return vectors.store(by, wanted, dict(zip(found, meaning.rows, strict=True)), found)


def _worker(slug: str) -> Reader | None:
    found: Any = Community.objects.filter(slug=slug).values_list("id", flat=True).first()
    return worker_in(found) if found else None
