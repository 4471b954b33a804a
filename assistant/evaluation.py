"""Door: how well recall finds what a data set asks for, beside three plain systems over the same texts and vectors."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from assistant import throwaway
from assistant.conversation import regions
from assistant.llm import embedding
from memory import policy
from memory.evaluation import figures, playing
from memory.evaluation.baselines import Baselines
from memory.evaluation.datasets import DataSet, Question, Said
from memory.recall import Hit
from memory.retrieval import ranker
from memory.retrieval.ranker import Ranker
from memory.vectors import Meaning
from profiles.access import Reader

SLUG = "evaluate-"
"""How the short name of a throw-away community begins."""
BATCH = 64
"""Texts sent to the embedder at once; questions go one by one, as they are not waited for as long."""
FOLDS = 5
"""Parts, each left out once, of a set with too few owners to leave out one of them."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Owner:
    """One owner's texts and questions, with their vectors where there is an embedder."""

    name: str
    said: tuple[Said, ...]
    questions: tuple[Question, ...]
    kept: Meaning | None
    asked: Meaning | None
    plain: Meaning | None
    """Of the questions as they stand, for the systems that recall is compared with."""

    def vector(self, place: int) -> Meaning | None:
        """Of one question."""
        return Meaning(self.asked.by, (self.asked.rows[place],)) if self.asked else None


def run(
    data: DataSet, *, leave_one_out: bool = False, limit: int = 0, tokens: Sequence[int] = (), say: Say = lambda _: None
) -> dict[str, Any]:
    """`{"dataset", "questions", "vectors", "systems": {"kith", "bm25", "dense", "fusion"}}`; `limit` takes the first
    questions only. `leave_one_out`: `kith` by weights learned from the set's other owners, and `shipped` beside it.
    `tokens`: what of the evidence stands in a region of so many tokens, filled with what `kith` finds.
    """
    owners = list(embedded(data, limit, say))
    rows: dict[str, list[dict[str, float]]] = {}
    within: dict[int, list[dict[str, float]]] = {budget: [] for budget in tokens}
    with throwaway.members(SLUG, ("owner",)) as (reader,):
        seen = {one.name: gathered(reader, one) for one in owners} if leave_one_out else {}
        for one in owners:
            weights = {"kith": ranker.of(data.job)}
            if leave_one_out:
                others = [example for name in seen if name != one.name for example in seen[name]]
                weights = {"kith": ranker.learn(others, weights["kith"]), "shipped": weights["kith"]}
            say(f"{one.name}: {len(one.said)} texts, {len(one.questions)} questions")
            for question, lists, filled in _lists(reader, one, weights, tokens):
                for name, found in lists.items():
                    rows.setdefault(name, []).append(figures.measured(found, question.gold))
                for budget, (put_in, cost) in filled.items():
                    within[budget].append(figures.spent(put_in, question.gold, cost))
    categories = [question.category for one in owners for question in one.questions]
    return {
        "dataset": data.name, "questions": len(categories), "leave_one_out": leave_one_out,
        "vectors": owners[0].asked.by if owners[0].asked else None,
        "systems": {name: figures.summary(rows[name], categories) for name in rows},
        **({"tokens": {budget: figures.per_token(some) for budget, some in within.items()}} if tokens else {}),
    }  # fmt: skip


def train(sets: Sequence[DataSet], say: Say = lambda _: None) -> dict[str, Any]:
    """Weights for recall of events, learned from all of these sets, and whether such weights beat the fixed ones on
    conversations that they never saw: `{"examples", "unseen": {"learned", "fixed"}, "weights", "bias"}`."""
    examples: list[ranker.Example] = []
    folds: list[int] = []
    with throwaway.members(SLUG, ("owner",)) as (reader,):
        for number, data in enumerate(sets):
            owners = list(embedded(data, 0, say))
            for place, one in enumerate(owners):
                found = gathered(reader, one)
                examples += found
                within = [place] * len(found) if len(owners) >= FOLDS else [at % FOLDS for at in range(len(found))]
                folds += [number * 1000 + fold for fold in within]
    prior = ranker.of(ranker.EVENTS)
    learned, fixed = ranker.beats(examples, folds, prior)
    made = ranker.learn(examples, prior)
    unseen = {"learned": round(learned, 4), "fixed": round(fixed, 4)}
    return {"examples": len(examples), "unseen": unseen, "weights": dict(made.weights), "bias": made.bias}


def embedded(data: DataSet, limit: int, say: Say) -> Iterator[Owner]:
    """Owner by owner; where no embedder answers words alone are left. One that falls silent later is an error
    (`embedding.Unavailable`): half a set with vectors would measure nothing."""
    questions = data.questions[: limit or None]
    meant = _answers()
    for name in dict.fromkeys(question.owner for question in questions):
        said = tuple(one for one in data.said if one.owner == name)
        asked = tuple(one for one in questions if one.owner == name)
        if not meant:
            yield Owner(name, said, asked, None, None, None)
            continue
        say(f"{name}: {len(said) + len(asked)} vectors")
        kept = _vectors(embedding.passages, [one.text for one in said], BATCH)
        texts = [one.text for one in asked]
        meanings = (_vectors(partial(embed, seconds=embedding.BATCH_SECONDS), texts, 1)
                    for embed in (embedding.query, embedding.plain))  # fmt: skip
        yield Owner(name, said, asked, kept, *meanings)


def gathered(reader: Reader, owner: Owner) -> list[ranker.Example]:
    """What a ranker learns from: the features of what each question may mean, and which of it is right."""
    with transaction.atomic(), playing.loaded(reader, owner.said, owner.kept) as keys:
        examples = [
            playing.example(reader, keys, question, owner.vector(place))
            for place, question in enumerate(owner.questions)
        ]
        transaction.set_rollback(True)
    return examples


def _lists(
    reader: Reader, owner: Owner, weights: Mapping[str, Ranker], tokens: Sequence[int]
) -> Iterator[tuple[Question, dict[str, list[str]], dict[int, tuple[set[str], int]]]]:
    """Each question with the ranked keys of each system, and the keys in a region of so many tokens with its cost."""
    keys, texts = [one.key for one in owner.said], [one.text for one in owner.said]
    plain = Baselines(keys, texts, owner.kept.rows if owner.kept else None)
    most = policy.CANDIDATES if tokens else figures.DEPTH
    with transaction.atomic(), playing.loaded(reader, owner.said, owner.kept) as known:
        for place, question in enumerate(owner.questions):
            hits = {name: playing.found(reader, question, owner.vector(place), one, most)
                    for name, one in weights.items()}  # fmt: skip
            lists = {name: [known[hit.id] for hit in some] for name, some in hits.items()}
            others = plain.ranked(question.text, owner.plain.rows[place] if owner.plain else None)
            yield question, lists | others, {budget: _region(hits["kith"], budget, known) for budget in tokens}
        transaction.set_rollback(True)


def _region(hits: Sequence[Hit], budget: int, known: Mapping[uuid.UUID, str]) -> tuple[set[str], int]:
    markers: dict[uuid.UUID, str] = {}
    text = regions.lines("m", hits, budget, markers)
    return {known[key] for key in markers}, regions.tokens(text)


def _answers() -> bool:
    try:
        embedding.passages(["?"])
    except embedding.Unavailable:
        return False
    return True


def _vectors(embed: Callable[[Sequence[str]], Meaning], texts: Sequence[str], at_once: int) -> Meaning:
    parts = [embed(texts[start : start + at_once]) for start in range(0, len(texts), at_once)]
    return Meaning(parts[0].by, tuple(row for part in parts for row in part.rows))
