"""What each step takes and leaves, and that they see each other's work; no database."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import policy
from memory.lifecycle.archive import Row, plan
from memory.terms import Category, Kind, Status

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def fact(days: float = 0, **changes: Any) -> Row:
    row = Row(uuid.uuid4(), 1, Status.ACTIVE, Kind.SEMANTIC, Category.FACT, 0.5, False, ago(days), ago(days))
    return replace(row, **changes)


def event(days: float = 0, **changes: Any) -> Row:
    return fact(days, **{"kind": Kind.EPISODIC, "category": Category.EVENT, **changes})


def does(*rows: Row) -> list[tuple[str, int]]:
    """Step and place of the row, in the order of the acts."""
    places = [row.id for row in rows]
    return [(act.step, places.index(act.id)) for act in plan(rows, NOW)]


def test_two_values_in_a_slot_of_one_are_both_doubted_and_the_same_value_twice_is_none() -> None:
    job: dict[str, Any] = {"single": "me|employer"}
    assert does(fact(value="acme", **job), fact(value="zeta", **job), fact(value="oslo", single="me|residence")) == [
        ("conflicts", 0), ("conflicts", 1)]  # fmt: skip
    assert does(fact(value="acme", **job), fact(value="acme", **job)) == []
    assert does(fact(value="acme", settled=True, **job), fact(value="zeta", **job)) == [("conflicts", 1)]
    assert does(fact(value="tea"), fact(value="coffee")) == [], "of likes there may be many"


def test_a_task_whose_time_is_over_ends_and_a_fact_or_a_pinned_one_does_not() -> None:
    task: dict[str, Any] = {"category": Category.TASK, "valid_to": ago(1)}
    rows = [fact(**task), fact(valid_to=ago(1)), fact(pinned=True, **task), fact(**{**task, "valid_to": ago(-1)}),
            fact(category=Category.TASK)]  # fmt: skip
    assert does(*rows) == [("expired", 0)]


@pytest.mark.parametrize(
    ("row", "goes"),
    [(event(30), True), (event(29.9), False), (event(400, importance=0.95), True), (event(400, pinned=True), False),
     (event(400, touched=ago(2)), False), (fact(400), False), (fact(400, category=Category.PREFERENCE), False),
     (fact(400, kind=Kind.PROCEDURAL), False)],
)  # fmt: skip
def test_only_untouched_events_go_cold(row: Row, goes: bool) -> None:
    assert [act.step for act in plan([row], NOW)][:1] == (["archive"] if goes else [])


def test_the_newest_events_stay_and_the_pinned_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "LIVE_EVENTS", 2)
    assert does(event(4), event(1), event(3, pinned=True), event(2), fact(9)) == [("window", 0)]


def test_over_the_cap_events_go_first_then_the_weakest_and_never_what_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "LIVE_MEMORIES", 3)
    rows = [fact(importance=0.1, pinned=True), fact(300, importance=0.8), fact(importance=0.2), fact(importance=0.3),
            event(importance=0.79), fact(200, importance=0.7, recalled=ago(1), recalls=4)]  # fmt: skip
    assert does(*rows) == [("cap", 4), ("cap", 2), ("cap", 3)]
    rows[2] = replace(rows[2], single="me|residence")
    assert does(*rows) == [("cap", 4), ("cap", 3), ("cap", 5)], "where one lives goes last"
    assert does(*rows[:2], fact(importance=0.9), fact(importance=1.0)) == [], "all of them are safe: over the cap it is"


@pytest.mark.parametrize(
    ("changes", "goes"),
    [({}, True), ({"importance": 0.8}, False), ({"pinned": True}, False), ({"touched": ago(89)}, False),
     ({"importance": 0.79, "created": ago(100)}, False), ({"recalls": 9, "recalled": ago(91), "touched": ago(91)}, False),
     ({"status": Status.SUPERSEDED}, False)],
)  # fmt: skip
def test_only_what_is_archived_faded_unused_and_of_no_weight_is_deleted(changes: dict[str, Any], goes: bool) -> None:
    row = replace(fact(200, importance=0.3, status=Status.ARCHIVED, left=ago(100)), **changes)
    assert does(row) == ([("delete", 0)] if goes else [])


def test_a_step_sees_what_those_before_it_have_done() -> None:
    assert does(event(400, importance=0.2)) == [("archive", 0), ("delete", 0)], "gone, but not yet its words"


def test_words_go_only_after_the_days_of_undo() -> None:
    gone: dict[str, Any] = {"status": Status.FORGOTTEN}
    assert does(fact(left=ago(30), **gone), fact(left=ago(29.9), **gone), fact(**gone)) == [("purge", 0)]
