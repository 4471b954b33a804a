"""A web process that is told to end finishes the answers that it is writing; then its sockets are told to come back.

What takes longer than `PATIENCE` is interrupted here, not half a minute later by whoever finds it abandoned.
"""

import asyncio
import signal
import sys
from typing import Any, Protocol

PATIENCE = 7.0
"""Seconds; whoever ends this process kills it after ten."""
RESTART = 4503
"""Closes a socket that may come back at once."""


class Socket(Protocol):
    """What can be closed."""

    async def close(self, code: int) -> None: ...


answers: set["asyncio.Task[None]"] = set()
sockets: set[Socket] = set()
_told = asyncio.Event()


def begun() -> bool:
    """Nothing new is begun any more."""
    return _told.is_set()


def arrange() -> None:
    """To be told of SIGTERM and SIGINT where daphne runs; a second one ends the process at once."""
    reactor: Any = sys.modules.get("twisted.internet.reactor")
    if reactor is not None:
        reactor.callLater(0, _listen, reactor)


async def part() -> None:
    """Wait for the answers, interrupt the rest, close the sockets."""
    _told.set()
    if answers:
        _, late = await asyncio.wait(answers, timeout=PATIENCE)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    await asyncio.gather(*(socket.close(RESTART) for socket in list(sockets)), return_exceptions=True)


def _listen(reactor: Any) -> None:
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[None]] = []

    def end() -> None:
        if tasks:
            reactor.stop()
            return
        tasks.append(loop.create_task(part()))
        tasks[0].add_done_callback(lambda task: reactor.stop())

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(end))
