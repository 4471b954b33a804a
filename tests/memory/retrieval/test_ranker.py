"""The ranker's numbers: what is learned from examples, what is held to, and what is left without vectors."""

import json
from pathlib import Path

import numpy as np
import pytest

from memory.retrieval import ranker
from memory.retrieval.features import NAMES, WORDS_ALONE, Table
from memory.retrieval.ranker import ASKED, EVENTS, Example, Ranker

PRIOR = Ranker({"words": 1.0}, -2.0, {"words": 1.0}, -2.0)


def examples(name: str, count: int = 40) -> list[Example]:
    """Questions whose right answer has the greatest value of one feature, the rest by chance."""
    chance = np.random.default_rng(3)
    made = []
    for _ in range(count):
        values = chance.random((12, len(NAMES)))
        right = np.zeros(12)
        right[int(values[:, NAMES.index(name)].argmax())] = 1.0
        made.append(Example(values, right))
    return made


def test_it_learns_what_tells_the_right_ones_apart() -> None:
    learned = ranker.learn(examples("speaker"), PRIOR)
    assert max(learned.weights, key=lambda name: learned.weights[name]) == "speaker"
    assert ranker.learn([], PRIOR).weights["words"] == 1.0, "what no example speaks of stays"
    better, fixed = ranker.beats(examples("speaker"), [place % 4 for place in range(40)], PRIOR)
    assert better > fixed


def test_its_outputs_add_up_to_what_is_right() -> None:
    shown = examples("meaning")
    learned = ranker.learn(shown, PRIOR)
    whole = sum(float(learned.relevance(Table((), one.values, meant=True)).sum()) for one in shown)
    assert whole == pytest.approx(40, rel=0.02)


def test_without_vectors_only_the_fixed_weights_of_words_count() -> None:
    given = Ranker({"meaning": 9.0}, 0.0, {"words": 1.0, "meaning": 5.0}, 0.0)
    values = np.zeros((2, len(NAMES)))
    values[0, NAMES.index("meaning")] = values[1, NAMES.index("words")] = 1.0
    first, second = given.relevance(Table((), values, meant=False))
    assert first == 0.5 < second
    assert {"meaning", "cosine", "window meaning", "meaning before", "talk best"}.isdisjoint(WORDS_ALONE)


@pytest.mark.parametrize("job", [EVENTS, ASKED])
def test_the_packages_numbers_name_features_that_exist(job: str) -> None:
    shipped = ranker.of(job)
    assert set(shipped.weights) | set(shipped.fixed) <= set(NAMES)


def test_learned_numbers_are_kept_or_taken_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(ranker.FILE.read_text())
    monkeypatch.setattr(ranker, "FILE", file)
    ranker.keep(EVENTS, {"weights": {"words": 7.0}, "bias": -1.0})
    assert ranker.of(EVENTS).weights == {"words": 7.0}
    ranker.keep(EVENTS, None)
    assert ranker.of(EVENTS).weights == json.loads(file.read_text())[EVENTS]["fixed"]["weights"]
    monkeypatch.undo()
    ranker._numbers.cache_clear()
