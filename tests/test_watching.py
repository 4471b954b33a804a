"""A worker that has lost its place in the queue ends; one that works, or for which nothing waits, does not."""

import pytest

from assistant.watching import Watch
from memory import policy

LIMIT = policy.WORKER_IDLE_SECONDS


@pytest.mark.parametrize(("waiting", "busy", "lost"), [(3, False, True), (0, False, False), (3, True, False)])
def test_idle_beside_a_full_queue_for_too_long(waiting: int, busy: bool, lost: bool) -> None:
    watch = Watch(0)
    looks = [watch.lost(at, waiting=waiting, busy=busy) for at in range(0, LIMIT * 2, 10)]
    assert any(looks) is lost
    assert not any(looks[: LIMIT // 10 + 1])


def test_the_time_in_which_the_machine_was_stopped_is_no_idling() -> None:
    watch = Watch(0)
    assert not watch.lost(10, waiting=3, busy=False)
    assert not watch.lost(10 + 2 * LIMIT, waiting=3, busy=False)
    looks = [watch.lost(10 + 2 * LIMIT + at, waiting=3, busy=False) for at in range(10, 2 * LIMIT, 10)]
    assert any(looks), "and then it is lost all the same"


def test_whatever_it_takes_shows_that_it_is_well() -> None:
    watch = Watch(0)
    for at in range(10, LIMIT * 3, 10):
        if at % 50 == 0:
            watch.took(at)
        assert not watch.lost(at, waiting=100, busy=False)
