"""How well each text answers a question: words, meaning, what it is about; recency and importance beside it. Pure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from memory import policy
from memory.retrieval.text import bm25, coverage, terms


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
class Row:
    """What may be found: the hit that it would become, its index terms, importance 0..1, its attribute, and whether it
    is marked as weak."""

    hit: Hit
    terms: Sequence[str]
    importance: float
    attribute: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its terms, the cosine of each text with it (empty without vectors), its attributes, its time."""

    words: Sequence[str]
    near: Mapping[uuid.UUID, float]
    attributes: frozenset[str]
    now: datetime
    also: Sequence[str] = ()
    """Terms of other wordings of it."""


def scored(asked: Asked, rows: Sequence[Row], base: float | None = None) -> tuple[Hit, ...]:
    """The rows that answer, best first. Words and meaning are added on scales that end where a find is sure, so that
    a weak best stays weak; a memory of the very attribute that is asked for is sure. `base` is the cosine of what has
    nothing to do with it; where `rows` are all there is, their median."""
    weights = bm25([*asked.words, *asked.also], [row.terms for row in rows])
    top = max(weights, default=0.0) or 1.0
    return thinned(judged(asked, rows, [weight / top for weight in weights], base))


def judged(
    asked: Asked, rows: Sequence[Row], by_words: Sequence[float], base: float | None = None, *, weak_too: bool = False
) -> tuple[Hit, ...]:
    """As `scored`, where the weight of each row's words, 0..1 of the best, is known already; what is weak beside the
    best is not left out yet, and with `weak_too` nothing is."""
    if not rows:
        return ()
    cosines = [asked.near.get(row.hit.id, 0.0) for row in rows]
    if base is None:
        base = median(cosines) if len(rows) >= 5 else 0.0
    base = max(policy.COSINE_OF_NOTHING, base)
    sure = max(*cosines, policy.COSINE_OF_SURE)
    hits = []
    asked_for: set[uuid.UUID] = set()
    for row, weight, cosine in zip(rows, by_words, cosines, strict=True):
        covered = max(coverage(asked.words, row.terms), coverage(asked.also, row.terms))
        words = weight * min(1.0, 2 * covered) if covered >= policy.MIN_COVERAGE else 0.0
        meaning = max(0.0, (cosine - base) / (sure - base)) if sure > base else 0.0
        slot = row.attribute in asked.attributes
        if not weak_too and words < policy.MIN_RELEVANCE and cosine - base < policy.MIN_GAP and not slot:
            continue
        relevance = (words + meaning) / 2 if asked.near else words
        hits.append(_weighed(asked, row, words, meaning, cosine, 0.9 + 0.1 * relevance if slot else relevance))
        asked_for |= {row.hit.id} if slot else set()
    if asked_for and not weak_too:  # is there: what was only said beside it, and does not lie near, answers nothing
        all_words = [*asked.words, *asked.also]
        hits = [hit for hit in hits if hit.id in asked_for or coverage(all_words, terms(hit.text))
                or hit.parts["cosine"] - base >= policy.MIN_GAP]  # fmt: skip
    hits.sort(key=lambda hit: (-hit.parts["relevance"], -hit.score))
    return tuple(hits)


def thinned(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Without what is weak beside the best, which comes first."""
    best = hits[0].parts["relevance"] if hits else 0.0
    return tuple(hit for hit in hits if hit.parts["relevance"] >= policy.NEXT_TO_BEST * best)


def reranked(hits: Sequence[Hit], relevance: Mapping[uuid.UUID, float]) -> list[Hit]:
    """The same hits in the order of another relevance (0..1). It compares them with each other; how sure the best one
    is stays as it was judged, so that a weak best stays weak."""
    sure = max((hit.parts["relevance"] for hit in hits), default=0.0)
    changed = []
    for hit in sorted(hits, key=lambda hit: -relevance[hit.id]):
        now = round(sure * relevance[hit.id], 4)
        score = hit.score + policy.WEIGHTS["relevance"] * (now - hit.parts["relevance"])
        changed.append(replace(hit, parts=hit.parts | {"relevance": now}, score=round(max(0.0, score), 4)))
    return changed


def _weighed(asked: Asked, row: Row, words: float, meaning: float, cosine: float, relevance: float) -> Hit:
    hours = max(0.0, (asked.now - row.hit.at).total_seconds() / 3600)
    parts = {
        "recency": policy.RECENCY_PER_HOUR**hours, "relevance": relevance, "importance": row.importance,
        "words": words, "meaning": meaning, "cosine": max(0.0, cosine),
    }  # fmt: skip
    score = sum(weight * parts[name] for name, weight in policy.WEIGHTS.items()) - policy.WEAK_MINUS * row.weak
    kept = {name: round(part, 4) for name, part in parts.items()}
    return replace(row.hit, score=round(max(0.0, score), 4), parts=kept)
