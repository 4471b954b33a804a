"""Who gets a thread for the database when many want one."""

import asyncio
import threading

import pytest

from assistant.conversation.units import BEGINS, ENDS, GOES_ON, THREADS, _Gate, db


def test_what_ends_a_turn_goes_before_what_begins_one() -> None:
    async def order() -> list[int]:
        gate, entered = _Gate(), []

        async def want(rank: int) -> None:
            await gate.enter(rank)
            entered.append(rank)
            gate.leave()

        for _ in range(THREADS):
            await gate.enter(GOES_ON)
        waiting = [asyncio.create_task(want(rank)) for rank in (BEGINS, GOES_ON, BEGINS, ENDS)]
        await asyncio.sleep(0)
        gate.leave()
        await asyncio.gather(*waiting)
        return entered

    assert asyncio.run(order()) == [ENDS, GOES_ON, BEGINS, BEGINS]


def test_one_that_is_given_up_takes_no_thread_with_it() -> None:
    async def left() -> int:
        gate = _Gate()
        for _ in range(THREADS):
            await gate.enter(GOES_ON)
        early, late = (asyncio.create_task(gate.enter(BEGINS)) for _ in range(2))
        await asyncio.sleep(0)
        early.cancel()
        await asyncio.sleep(0)
        gate.leave()  # `late` has the thread now
        late.cancel()
        await asyncio.gather(early, late, return_exceptions=True)
        for _ in range(THREADS - 1):
            gate.leave()
        return gate.free

    assert asyncio.run(left()) == THREADS


def test_who_is_stopped_waits_for_the_unit_of_work_that_can_t_be() -> None:
    order: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(10)
        order.append("work")

    async def stopped() -> None:
        task = asyncio.create_task(db(work))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        order.append("after")

    asyncio.run(stopped())
    assert order == ["work", "after"]
