"""The figures of ranked lists, worked out by hand."""

import pytest

from memory.evaluation.baselines import Baselines
from memory.evaluation.figures import interval_of, measured, summary


def test_a_list_is_measured_by_where_the_right_ones_stand() -> None:
    row = measured(["x", "a", *"qrstuvw", "y", "b"], {"a", "b"})
    assert row["recall@5"] == 0.5 and row["recall@10"] == 0.5 and row["recall@20"] == 1.0
    assert row["all@10"] == 0.0 and row["mrr"] == 0.5
    assert row["ndcg@10"] == pytest.approx(0.6309 / 1.6309, abs=1e-4)
    assert set(measured([], {"a"}).values()) == {0.0}
    assert set(measured(["a"], {"a"}).values()) == {1.0}


def test_a_summary_has_each_category_and_how_far_chance_moves_it() -> None:
    good, bad = measured(["a"], {"a"}), measured(["b"], {"a"})
    whole = summary([good, bad, bad, bad], ["one", "two", "two", "two"])
    assert whole["recall@10"] == 0.25
    assert whole["by_category"]["one"]["recall@10"] == 1.0 and whole["by_category"]["two"]["questions"] == 3
    low, high = whole["interval"]["recall@10"]
    assert 0.0 <= low < 0.25 < high <= 1.0
    assert interval_of([0.5] * 9) == [0.5, 0.5]


def test_the_plain_systems_rank_by_words_by_vectors_and_by_both() -> None:
    plain = Baselines(["dog", "cat", "sea"], ["my dog barks", "a cat sleeps", "the sea"], [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
    ranked = plain.ranked("does the dog bark?", (0.0, 1.0))
    assert ranked["bm25"][0] == "dog"
    assert ranked["dense"] == ["cat", "sea", "dog"]
    assert set(ranked["fusion"][:2]) == {"dog", "cat"}
    assert plain.ranked("dog", None)["fusion"][0] == "dog", "without vectors words are left"
