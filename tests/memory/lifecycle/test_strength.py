"""How a memory's strength falls with the days and rises with its use."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.lifecycle.strength import strength

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("importance", "days", "recalls", "expected"),
    [(0.5, 0, 0, 0.5), (0.5, 1, 0, 0.495), (1.0, 90, 0, 0.99**90), (0.5, 30, 3, 0.5 * 0.99**30 * 1.3),
     (0.5, 0, 10, 1.0), (0.5, 0, 500, 1.0), (0.0, 5, 9, 0.0), (0.5, 0.5, 0, 0.5 * 0.99**0.5)],
)  # fmt: skip
def test_strength_is_importance_less_each_day_and_more_with_use(
    importance: float, days: float, recalls: int, expected: float
) -> None:
    assert strength(importance, NOW - timedelta(days=days), recalls, NOW) == pytest.approx(expected)


def test_what_was_made_after_that_moment_is_as_strong_as_new() -> None:
    assert strength(0.7, NOW + timedelta(days=400), 0, NOW) == 0.7


def test_a_recall_starts_the_days_anew() -> None:
    old, recalled = NOW - timedelta(days=200), NOW - timedelta(days=1)
    assert strength(0.5, recalled, 1, NOW) > 0.5 > strength(0.5, old, 1, NOW)
