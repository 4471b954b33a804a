"""A small linear ranker over `features`: its numbers lie in `ranker.json`, one set a job, and are read as they stand.

Learned ones are there only where they beat the fixed weights on conversations that they never saw (`manage.py
train_ranker`); where a feature is missing (no vectors) the fixed weights of the same file count.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memory.retrieval.features import NAMES, WORDS_ALONE, Rows, Table

FILE = Path(__file__).parent / "ranker.json"
EVENTS, ASKED = "events", "asked"
"""The jobs: recall of what was said or happened, and of the same question asked before."""
STEPS = 25
"""Newton steps at most; about ten are enough."""
TIGHT = 3.0
"""How strongly learned weights are held to the fixed ones: what no example speaks of stays as it was set by hand."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights by the names of features, and what is added to their sum before it is squeezed into 0..1."""

    weights: Mapping[str, float]
    bias: float
    fixed: Mapping[str, float]
    fixed_bias: float

    def relevance(self, table: Table) -> Rows:
        """How likely each exchange is what the question means, 0..1."""
        if table.meant:
            return _squeezed(table.values @ _row(self.weights) + self.bias)
        words = {name: weight for name, weight in self.fixed.items() if name in WORDS_ALONE}
        return _squeezed(table.values @ _row(words) + self.fixed_bias)


@dataclass(frozen=True, slots=True)
class Example:
    """One question's candidates (a line each, columns `NAMES`), and which are right (1.0)."""

    values: Rows
    right: Rows


def of(job: str) -> Ranker:
    """The product's numbers for one job: the learned ones where they are on, else the fixed ones."""
    held = _numbers()[job]
    fixed = held["fixed"]
    used = held["learned"] or fixed
    return Ranker(used["weights"], used["bias"], fixed["weights"], fixed["bias"])


def learn(examples: Sequence[Example], prior: Ranker, tight: float = TIGHT) -> Ranker:
    """Conditional logistic regression by Newton's method: of each question's candidates the right ones are to be
    likelier than the rest. A ridge of strength `tight` holds the weights to the fixed ones."""
    before = _row(prior.fixed)
    weights = before.copy()
    shown = [example for example in examples if example.right.any()]
    for _ in range(STEPS):
        slope, bend = tight * (weights - before), np.eye(len(NAMES)) * tight
        for example in shown:
            logits = example.values @ weights
            guess = np.exp(logits - logits.max())
            guess /= guess.sum()
            expected = guess @ example.values
            slope += expected - example.right @ example.values / example.right.sum()
            bend += (example.values * guess[:, None]).T @ example.values - np.outer(expected, expected)
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-6:
            break
    named = {name: round(float(weight), 3) for name, weight in zip(NAMES, weights, strict=True)}
    return Ranker(named, _bias(shown, weights), prior.fixed, prior.fixed_bias)


def beats(examples: Sequence[Example], folds: Sequence[int], prior: Ranker) -> tuple[float, float]:
    """The share, 0..1, of right ones among the first ten of questions that were left out of the learning: by weights
    learned from all other folds, and by the fixed weights."""
    learned, fixed = [], []
    for fold in sorted(set(folds)):
        others = [example for example, where in zip(examples, folds, strict=True) if where != fold]
        weights = _row(learn(others, prior).weights)
        for example in (one for one, where in zip(examples, folds, strict=True) if where == fold and one.right.any()):
            learned.append(_found(example, weights))
            fixed.append(_found(example, _row(prior.fixed)))
    return sum(learned) / len(learned), sum(fixed) / len(fixed)


def keep(job: str, learned: Mapping[str, Any] | None) -> None:
    """Write the learned numbers of one job into the package, or none, so that the fixed ones count."""
    held = json.loads(FILE.read_text(encoding="utf-8"))
    held[job]["learned"] = learned
    FILE.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")
    _numbers.cache_clear()


def _found(example: Example, weights: Rows) -> float:
    first = np.argsort(-(example.values @ weights), kind="stable")[:10]
    return float(example.right[first].sum() / example.right.sum())


def _bias(examples: Sequence[Example], weights: Rows) -> float:
    """With it the outputs add up to as many as are right; found by halving."""
    low, high = -30.0, 30.0
    wanted = sum(float(example.right.sum()) for example in examples)
    while high - low > 1e-3:
        middle = (low + high) / 2
        if sum(float(_squeezed(example.values @ weights + middle).sum()) for example in examples) < wanted:
            low = middle
        else:
            high = middle
    return round(low, 3)


def _row(weights: Mapping[str, float]) -> Rows:
    return np.array([weights.get(name, 0.0) for name in NAMES])


def _squeezed(column: Rows) -> Rows:
    squeezed: Rows = 1 / (1 + np.exp(-np.clip(column, -30, 30)))
    return squeezed


@cache
def _numbers() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return held
