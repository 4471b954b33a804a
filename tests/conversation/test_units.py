"""Who gets a thread for the database when many want one."""

import asyncio

from assistant.conversation.units import BEGINS, ENDS, GOES_ON, THREADS, _Gate


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
