"""Door: a question that was asked before: by the member, with what the answer told then, or by the community, which
keeps its answer as shared knowledge. What other members ask is not looked at."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils import timezone

from memory import vectors
from memory.models import Recalled, Version
from memory.passages import question
from memory.recall import Found, Hit, asked_before
from memory.retrieval.score import Asked, Row, scored
from memory.retrieval.text import query_terms, terms
from memory.vectors import Meaning


@dataclass(frozen=True, slots=True)
class Before:
    """The newest time, and the sources which the answer cited then and which nobody has changed since."""

    hit: Hit
    told: frozenset[uuid.UUID]

    def told_already(self, hit: Hit) -> bool:
        """Whether that answer rested on it, and it has not changed since."""
        return hit.id in self.told and hit.at <= self.hit.at


def before(asked: Sequence[Hit]) -> Before | None:
    """What an answer may be short because of: `asked` are the times that it was asked, newest first."""
    if not asked:
        return None
    cited = set(Recalled.objects.filter(turn=asked[0].id, cited=True).values_list("target", flat=True))
    since = Version.objects.filter(memory__in=cited, at__gt=asked[0].at).exclude(action="confirmed")
    return Before(asked[0], frozenset(cited.difference(since.values_list("memory", flat=True))))


def answered(found: Found, asked: str, meaning: Meaning | None) -> Hit | None:
    """The shared knowledge that answers this very question, verified before not, by the rule for a member's own ones;
    inside the reader's unit of work."""
    questions = {hit.id: words for hit in found.knowledge if (words := question(hit.title))}
    if not questions:
        return None
    rows = [
        Row(replace(hit, text=questions[hit.id]), terms(questions[hit.id]), 0.0)
        for hit in found.knowledge if hit.id in questions
    ]  # fmt: skip
    same = alike(asked, vectors.near_questions(meaning, list(questions)), rows)
    return next((hit for hit in sorted(found.knowledge, key=lambda hit: not hit.verified) if hit.id in same), None)


def alike(asked: str, near: Mapping[uuid.UUID, float], rows: Sequence[Row]) -> set[uuid.UUID]:
    """Which of these questions ask the same, by the rule for a member's own; `near`: the cosine of each."""
    judged = scored(Asked(query_terms(asked), near, frozenset(), timezone.now()), rows, 0.0)
    return {hit.id for hit in asked_before(Found(episodes=judged), asked)}
