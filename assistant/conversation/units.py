"""Units of work on the database, in a few threads that hold a connection each; what ends a turn goes before what begins
one, so that of many turns at once the first are done early instead of all of them late."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection

from assistant import logs

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 4
"""Units of work at the same time in one process; far fewer than turns, as none of them waits for a model."""
STALE_SECONDS = 1.0
"""A thread's connection that rested for longer is asked whether it still lives."""
ENDS, GOES_ON, BEGINS = range(3)
_threads = ThreadPoolExecutor(THREADS, "unit")
_used = threading.local()
_numbers = count()


class _Gate:
    """The threads that are free in one event loop, and who waits for one, by rank and arrival."""

    def __init__(self) -> None:
        self.free = THREADS
        self.waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    async def enter(self, rank: int) -> None:
        if self.free:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self.waiting, (rank, next(_numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had just been given the thread
                self.leave()
            raise

    def leave(self) -> None:
        while self.waiting:
            turn = heappop(self.waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, _Gate] = WeakKeyDictionary()


async def db(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a unit of work; raises what it raises."""
    return await _run(GOES_ON, partial(work, *args, **kwargs))


async def ending(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """One that a turn under way ends with, or goes out with: before all others."""
    return await _run(ENDS, partial(work, *args, **kwargs))


async def beginning(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """One that something begins with: after all others."""
    return await _run(BEGINS, partial(work, *args, **kwargs))


async def _run(rank: int, work: Callable[[], T]) -> T:
    loop = asyncio.get_running_loop()
    gate = _gates.setdefault(loop, _Gate())
    await gate.enter(rank)
    try:
        running = loop.run_in_executor(_threads, partial(_unit, logs.marks(), work))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])  # a thread can't be stopped; what comes next must come after it
            raise
    finally:
        gate.leave()


def _unit(marks: Mapping[str, str], work: Callable[[], T]) -> T:
    if connection.connection is not None and time.monotonic() - getattr(_used, "at", 0.0) > STALE_SECONDS:
        connection.close_if_unusable_or_obsolete()
        if not connection.is_usable():
            connection.close()
    try:
        with logs.marked(marks):
            return work()
    except Exception:
        connection.close()
        raise
    finally:
        _used.at = time.monotonic()
