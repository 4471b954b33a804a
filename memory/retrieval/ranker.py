"""A small linear ranker over `features`: its numbers lie in `ranker.json`, one set a job, and are read as they stand.

Trained by `manage.py train_ranker`; where a feature is missing (no vectors) the fixed weights of the same file count.
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
"""Newton steps at most; five to ten are enough."""
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
    used = held["learned"] if held["on"] else fixed
    return Ranker(used["weights"], used["bias"], fixed["weights"], fixed["bias"])


def learn(examples: Sequence[Example], prior: Ranker, tight: float = TIGHT) -> Ranker:
    """Logistic regression by Newton's method, held to the fixed weights by a ridge of strength `tight`."""
    before = np.append(_row(prior.fixed), prior.fixed_bias)
    held = np.append(np.full(len(NAMES), tight), 1e-3)
    weights = before.copy()
    shown = [example for example in examples if example.right.any()]
    for _ in range(STEPS):
        slope, bend = held * (weights - before), np.diag(held)
        for example in shown:
            lines = np.column_stack([example.values, np.ones(len(example.values))])
            guess = _squeezed(lines @ weights)
            slope += lines.T @ (guess - example.right)
            bend += (lines * (guess * (1 - guess))[:, None]).T @ lines
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-6:
            break
    named = {name: round(float(weight), 4) for name, weight in zip(NAMES, weights, strict=False)}
    return Ranker(named, round(float(weights[-1]), 4), prior.fixed, prior.fixed_bias)


def _row(weights: Mapping[str, float]) -> Rows:
    return np.array([weights.get(name, 0.0) for name in NAMES])


def _squeezed(column: Rows) -> Rows:
    squeezed: Rows = 1 / (1 + np.exp(-np.clip(column, -30, 30)))
    return squeezed


@cache
def _numbers() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return held
