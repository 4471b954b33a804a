"""An optional endpoint that says how well each text answers a question: Jina's and Cohere's shape, or TEI's."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import httpx
from django.conf import settings

from memory.reordering import Rerank

SECONDS = 0.3
"""Longest time that an answer waits for it; a member does not notice it."""
LARGEST = 1_000_000
"""Bytes of one reply."""
AT_ONCE = 8
"""Calls at the same time; more wait, and are skipped when their time is over."""
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rerank")


def configured() -> Rerank | None:
    """What asks the endpoint, where there is one."""
    return scores if settings.RERANK_URL else None


def scores(question: str, texts: Sequence[str]) -> list[float]:
    """One score a text, 0..1; raises `TimeoutError` when its time is over, `ValueError` for what is no such answer,
    neither of which holds anything that a person wrote."""
    until = time.monotonic() + SECONDS
    asking = _threads.submit(_ask, question, list(texts), until)
    try:
        return asking.result(SECONDS)
    except httpx.TimeoutException as late:
        raise TimeoutError("late") from late
    except (httpx.HTTPError, httpx.InvalidURL, RecursionError) as problem:
        raise ValueError(type(problem).__name__) from problem
    finally:
        asking.cancel()


def _ask(question: str, texts: list[str], until: float) -> list[float]:
    body: dict[str, Any] = {"query": question, "texts": texts}
    if settings.RERANK_MODEL:
        body = {"model": settings.RERANK_MODEL, "query": question, "documents": texts, "top_n": len(texts)}
    headers = {"Authorization": f"Bearer {settings.RERANK_API_KEY}"} if settings.RERANK_API_KEY else {}
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("late")
    read = b""
    with _client().stream("POST", settings.RERANK_URL, json=body, headers=headers, timeout=left) as answer:
        answer.raise_for_status()
        for part in answer.iter_bytes():
            read += part
            if len(read) > LARGEST:
                raise ValueError("too long")
            if time.monotonic() > until:
                raise TimeoutError("late")
    return _read(json.loads(read), len(texts))


def _read(answer: Any, count: int) -> list[float]:
    """The scores in the order of the texts, none missing, none twice, each in 0..1."""
    rows = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("no list of results")
    found = {str(row.get("index")): row.get("relevance_score", row.get("score")) for row in rows}
    ordered = [found.get(str(place)) for place in range(count)]
    if len(rows) != count or not all(isinstance(one, int | float) and 0 <= one <= 1 for one in ordered):
        raise ValueError("not one score from 0 to 1 for each text")
    return [float(one) for one in ordered if one is not None]


@cache
def _client() -> httpx.Client:
    """One for the process: threads share it."""
    return httpx.Client()
