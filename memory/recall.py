"""Door: what is known that helps with this question, for this reader and nobody else."""

import heapq
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Q
from django.utils import timezone

from memory import policy
from memory.models import Episode, Memory, Passage, Recalled
from memory.retrieval import route
from memory.retrieval.text import bm25, coverage, query_terms
from memory.vectors import Meaning, nearness
from profiles.access import Reader


@dataclass(frozen=True, slots=True)
class Hit:
    """One find: `what` is memory, episode or knowledge; the parts of the score are in 0..1."""

    what: str
    id: uuid.UUID
    text: str
    score: float
    parts: dict[str, float]
    at: datetime
    title: str = ""
    turn: uuid.UUID | None = None
    verified: bool = False
    category: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """All finds of one question, best first, and what was noted on the way."""

    memories: tuple[Hit, ...] = ()
    episodes: tuple[Hit, ...] = ()
    knowledge: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def all(self) -> tuple[Hit, ...]:
        return self.memories + self.episodes + self.knowledge


def recall(
    reader: Reader,
    text: str,
    *,
    meaning: Meaning | None = None,
    now: datetime | None = None,
    but: uuid.UUID | None = None,
    before: Sequence[str] = (),
) -> Found:
    """Search the reader's memories, episodes and the shared knowledge, by words and by `meaning` (the question's
    vectors; without them by words alone, which is noted). `but` is the running turn, `before` are the messages of
    its conversation: one that only goes on ("find cheaper ones") is looked up by what it goes on from."""
    now = now or timezone.now()
    way = route.plan(text, before)
    words = query_terms(way.text)
    near = {} if way.goes_on else nearness(reader, meaning)
    if not words and not near:
        return Found()
    memories = _scored(words, _memories(reader), near, now)
    episodes = () if way.goes_on else _scored(words, _episodes(reader, but), near, now)
    knowledge = _scored(words, _passages(reader, words, near), near, now)
    notes = ("follow-up",) if way.goes_on else () if near else ("words alone",)
    return Found(memories[: policy.PUT_IN], episodes[:2], knowledge[: policy.PASSAGES], notes)


def everything(reader: Reader) -> list[Memory]:
    """All live memories of the reader, newest first."""
    return list(Memory.objects.readable_by(reader).live().filter(owner_id=reader.member).order_by("-created_at"))


def record(reader: Reader, turn: uuid.UUID, found: Found, markers: dict[uuid.UUID, str]) -> None:
    """Keep what was found and what was put in; only the latter counts as recalled."""
    Recalled.objects.bulk_create(
        [
            Recalled(turn=turn, owner_id=reader.member, community_id=reader.community, what=hit.what, target=hit.id,
                     score=hit.score, parts=hit.parts, marker=markers.get(hit.id, ""))
            for hit in found.all
        ],
        ignore_conflicts=True,
    )  # fmt: skip


Row = tuple[Hit, Sequence[str], float]
Near = dict[uuid.UUID, float]


def _memories(reader: Reader) -> list[Row]:
    rows = Memory.objects.readable_by(reader).live()
    return [
        (Hit("memory", row.id, row.text, 0, {}, row.recalled_at or row.created_at, category=row.category),
         row.terms, row.importance)
        for row in rows
    ]  # fmt: skip


def _episodes(reader: Reader, but: uuid.UUID | None) -> list[Row]:
    rows = Episode.objects.filter(owner_id=reader.member, community_id=reader.community, masked=False)
    others = rows.exclude(turn=but) if but else rows
    return [
        (Hit("episode", row.turn, row.question, 0, {}, row.at, turn=row.turn), row.terms, 0.3)
        for row in others.order_by("-at")[:500]
    ]


def _passages(reader: Reader, words: list[str], near: Near) -> list[Row]:
    closest = heapq.nlargest(3 * policy.PASSAGES, near, key=lambda key: near[key])
    either = Q(terms__overlap=words) | Q(id__in=closest)
    rows: Any = Passage.objects.filter(either, community_id=reader.community)
    return [
        (Hit("knowledge", row.id, row.text, 0, {}, row.updated_at, row.title, verified=bool(row.verified_by)),
         row.terms, 0.5)
        for row in rows
    ]  # fmt: skip


def _scored(words: list[str], rows: list[Row], near: Near, now: datetime) -> tuple[Hit, ...]:
    """Min-max sum of both ways to find; the scales end where a find is sure, so that a weak best stays weak."""
    if not rows:
        return ()
    weights = bm25(words, [terms for _, terms, _ in rows])
    top = max(weights) or 1.0
    cosines = [near.get(hit.id, 0.0) for hit, _, _ in rows]
    base = max(policy.COSINE_OF_NOTHING, median(cosines)) if len(rows) >= 5 else policy.COSINE_OF_NOTHING
    sure = max(max(cosines), policy.COSINE_OF_SURE)
    hits = []
    for (hit, terms, importance), weight, cosine in zip(rows, weights, cosines, strict=True):
        covered = coverage(words, terms)
        by_words = weight / top * min(1.0, 2 * covered) if covered >= policy.MIN_COVERAGE else 0.0
        by_meaning = max(0.0, (cosine - base) / (sure - base)) if sure > base else 0.0
        if by_words < policy.MIN_RELEVANCE and cosine - base < policy.MIN_GAP:
            continue
        hours = max(0.0, (now - hit.at).total_seconds() / 3600)
        parts = {
            "recency": policy.RECENCY_PER_HOUR**hours,
            "relevance": (by_words + by_meaning) / 2 if near else by_words,
            "importance": importance,
            "words": by_words,
            "meaning": by_meaning,
        }
        score = sum(weight * parts[name] for name, weight in policy.WEIGHTS.items())
        rounded = {name: round(part, 4) for name, part in parts.items()}
        hits.append(Hit(hit.what, hit.id, hit.text, round(score, 4), rounded, hit.at, hit.title, hit.turn,
                        hit.verified, hit.category))  # fmt: skip
    return tuple(sorted(hits, key=lambda hit: (-hit.parts["relevance"], -hit.score)))
