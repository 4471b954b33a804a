"""What recall is compared with, over the same texts and vectors: BM25 alone, cosine alone, their plain sum."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

from memory.evaluation.figures import DEPTH
from memory.retrieval.text import K1, B, query_terms, terms

Row = npt.NDArray[np.float64]


class Baselines:
    """The texts of one owner, with their unit vectors (or none), asked one question at a time."""

    def __init__(self, keys: Sequence[str], texts: Sequence[str], vectors: Sequence[Sequence[float]] | None) -> None:
        self._keys = keys
        self._vectors = np.asarray(vectors, dtype=np.float32) if vectors is not None else None
        counted = [Counter(terms(text)) for text in texts]
        lengths = np.array([sum(counts.values()) for counts in counted], dtype=np.float64)
        self._norms = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        self._held: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, counts in enumerate(counted):
            for term, often in counts.items():
                self._held[term].append((place, often))

    def ranked(self, question: str, vector: Sequence[float] | None) -> dict[str, list[str]]:
        """The keys by each system, best first."""
        words = self._bm25(query_terms(question))
        near = np.zeros_like(words)
        if self._vectors is not None and vector is not None:
            near = np.asarray(self._vectors @ np.asarray(vector, np.float32), np.float64)
        systems = {"bm25": words, "dense": near, "fusion": _scaled(words) + _scaled(near)}
        return {name: self._best(row) for name, row in systems.items()}

    def _bm25(self, question: Sequence[str]) -> Row:
        weights = np.zeros(len(self._keys))
        for term in question:
            held = self._held.get(term, ())
            rarity = log(1 + (len(self._keys) - len(held) + 0.5) / (len(held) + 0.5))
            for place, often in held:
                weights[place] += rarity * often * (K1 + 1) / (often + self._norms[place])
        return weights

    def _best(self, row: Row) -> list[str]:
        return [self._keys[place] for place in np.argsort(-row, kind="stable")[:DEPTH]]


def _scaled(row: Row) -> Row:
    low, high = row.min(), row.max()
    scaled: Row = (row - low) / (high - low) if high > low else np.zeros_like(row)
    return scaled
