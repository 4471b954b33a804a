"""How good ranked lists are: recall, all found, reciprocal rank, nDCG, and how far chance moves them; pure."""

import math
import random
from collections.abc import Mapping, Sequence, Set
from typing import Any

DEPTH = 20
"""Places of a ranked list that are looked at."""
SAMPLES = 1000
"""Resamplings of the questions for an interval."""


def measured(ranked: Sequence[str], gold: Set[str]) -> dict[str, float]:
    """The figures, 0..1 each, of one list without repeats, best first, whose right keys are `gold`."""
    places = [place for place, key in enumerate(ranked[:DEPTH], 1) if key in gold]
    found = {depth: sum(place <= depth for place in places) for depth in (5, 10, 20)}
    gain = sum(1 / math.log2(place + 1) for place in places if place <= 10)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
    return {
        **{f"recall@{depth}": found[depth] / len(gold) for depth in found},
        "all@10": float(found[10] == len(gold)),
        "mrr": 1 / places[0] if places else 0.0,
        "ndcg@10": gain / ideal,
    }


def spent(put_in: Set[str], gold: Set[str], tokens: int) -> dict[str, float]:
    """The share of what is right in what was put in (0..1), whether all of it is, and the tokens that it took."""
    return {"hit": len(put_in & gold) / len(gold), "all": float(gold <= put_in), "tokens": float(tokens)}


def per_token(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The means, and what is right for each thousand tokens spent."""
    means = _means(rows)
    return means | {"hit_per_1000": round(1000 * means["hit"] / means["tokens"], 3) if means["tokens"] else 0.0}


def summary(rows: Sequence[Mapping[str, float]], categories: Sequence[str]) -> dict[str, Any]:
    """The means of all rows and of each category, and the 95 % interval of recall@10 over resampled questions."""
    by_category = {
        name: {"questions": categories.count(name)}
        | _means([row for row, category in zip(rows, categories, strict=True) if category == name])
        for name in dict.fromkeys(categories)
    }
    interval = {"recall@10": interval_of([row["recall@10"] for row in rows])}
    return _means(rows) | {"interval": interval, "by_category": by_category}


def interval_of(values: Sequence[float]) -> list[float]:
    """Bootstrap, the same for the same values: between these two lies the mean of 95 of 100 resamplings."""
    chance = random.Random(len(values))  # noqa: S311 no secret
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(SAMPLES))
    return [round(means[int(SAMPLES * share)], 4) for share in (0.025, 0.975)]


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}
