"""Questions asked in the same moment go to the embedder together: it reads eight nearly as fast as two, and the same
question of several people once."""

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from assistant.llm import embedding
from memory.vectors import Meaning

MOST = 8
"""Texts of one call: as many as the bundled embedder reads at once."""


@dataclass(slots=True)
class _Question:
    text: str
    found: asyncio.Future[Meaning]


class _Queue:
    """What waits in one event loop, and the task that asks."""

    def __init__(self) -> None:
        self.waiting: list[_Question] = []
        self.asking: asyncio.Task[None] | None = None


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


async def query(text: str) -> Meaning:
    """The vectors of one question; raises `embedding.Unavailable`, at the latest after `QUERY_SECONDS`."""
    loop = asyncio.get_running_loop()
    queue = _queues.setdefault(loop, _Queue())
    question = _Question(text, loop.create_future())
    queue.waiting.append(question)
    if queue.asking is None or queue.asking.done():
        queue.asking = asyncio.create_task(_ask(queue))
    try:
        async with asyncio.timeout(embedding.QUERY_SECONDS):
            return await question.found
    except TimeoutError as late:
        raise embedding.Unavailable("too many questions at once") from late


async def _ask(queue: _Queue) -> None:
    while queue.waiting:
        waiting = [question for question in queue.waiting if not question.found.done()]  # neither stopped nor late
        texts = list(dict.fromkeys(question.text for question in waiting))[:MOST]
        found = await _embed(texts) if texts else None
        for question in [*queue.waiting]:  # whoever has come meanwhile with one of these is served too
            if question.text in texts and not question.found.done():
                if isinstance(found, Meaning):
                    question.found.set_result(Meaning(found.by, (found.rows[texts.index(question.text)],)))
                elif found is not None:
                    question.found.set_exception(found)
        queue.waiting = [question for question in queue.waiting if not question.found.done()]


async def _embed(texts: list[str]) -> Meaning | Exception:
    try:
        return await asyncio.to_thread(embedding.query, texts)
    except Exception as problem:
        return problem
