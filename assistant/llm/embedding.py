"""The one client of an embedder: the bundled service, or any endpoint with the OpenAI embeddings shape."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import httpx
from django.conf import settings

from assistant.embedder.engines import PASSAGE, QUERY, Identity
from assistant.embedder.service import socket_of
from memory.retrieval.gist import gist
from memory.vectors import Meaning

QUERY_SECONDS, BATCH_SECONDS = 3.0, 60.0
"""A question does not wait longer; then it is answered by words alone."""
SMALLEST = 1e-6
"""Length below which a vector points nowhere."""
EXTERNAL_CHARACTERS = 8000
"""Longest text sent to an endpoint that is not ours."""


class Unavailable(Exception):
    """No usable vectors; the text names the reason and holds nothing that a person wrote."""


def query(texts: Sequence[str], seconds: float = QUERY_SECONDS) -> Meaning:
    """Vectors of what is asked, one a text: the mean of its own and of its gist's; raises `Unavailable`."""
    gists = {text: short for text in texts if (short := gist(text))}
    if not gists:
        return plain(texts, seconds)
    found = plain([*texts, *gists.values()], seconds)
    own, about = found.rows[: len(texts)], dict(zip(gists, found.rows[len(texts) :], strict=True))
    rows = (_between(row, about.get(text, row)) for text, row in zip(texts, own, strict=True))
    return Meaning(found.by, tuple(rows))


def plain(texts: Sequence[str], seconds: float = QUERY_SECONDS) -> Meaning:
    """Vectors of questions as they stand; raises `Unavailable`."""
    return _embed(texts, QUERY, seconds)


def _between(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    """The unit vector in the middle of two; of two that are opposite, the first."""
    middle = [a + b for a, b in zip(one, other, strict=True)]
    norm = math.hypot(*middle)
    return tuple(part / norm for part in middle) if norm > SMALLEST else tuple(one)


def passages(texts: Sequence[str]) -> Meaning:
    """Vectors of what is kept; raises `Unavailable`."""
    return _embed(texts, PASSAGE, BATCH_SECONDS)


def identity() -> Identity:
    """What the next vectors will be made by; raises `Unavailable`."""
    if settings.EMBEDDING_BASE_URL:
        size = settings.EMBEDDING_DIMENSIONS
        return Identity(settings.EMBEDDING_MODEL or "default", "", "", "endpoint", "none", size)
    try:
        answer = _client().get("/models", timeout=QUERY_SECONDS)
        return Identity(**answer.json()["identity"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as problem:
        raise Unavailable(type(problem).__name__) from problem


def _embed(texts: Sequence[str], kind: str, seconds: float) -> Meaning:
    sent = [text[:EXTERNAL_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]  # no lone surrogates
    body: dict[str, Any] = {"input": sent, "encoding_format": "float"}
    if settings.EMBEDDING_BASE_URL:
        body["model"] = settings.EMBEDDING_MODEL
        if settings.EMBEDDING_DIMENSIONS:
            body["dimensions"] = settings.EMBEDDING_DIMENSIONS
    else:
        body["input_type"] = kind
    try:
        answer = _client().post("/embeddings", json=body, timeout=seconds)
        answer.raise_for_status()
        found = answer.json()
        rows = [row["embedding"] for row in sorted(found["data"], key=lambda row: row["index"])]
        by = found.get("key") or identity().key
    except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Unavailable(type(problem).__name__) from problem
    return Meaning(by, tuple(_checked(rows, len(texts), settings.EMBEDDING_DIMENSIONS)))


def _checked(rows: list[Any], count: int, size: int) -> list[tuple[float, ...]]:
    """Unit vectors of one size, none of them missing, infinite or without length."""
    if len(rows) != count:
        raise Unavailable(f"{len(rows)} vectors for {count} texts")
    found = []
    for row in rows:
        if not isinstance(row, list) or not row or len(row) != (size or len(rows[0])):
            raise Unavailable("a vector of the wrong size")
        if not all(isinstance(number, (int, float)) and math.isfinite(number) for number in row):
            raise Unavailable("a vector with something that is no number")
        norm = math.sqrt(math.fsum(number * number for number in row))
        if norm < SMALLEST:
            raise Unavailable("a vector without length")
        found.append(tuple(number / norm for number in row))
    return found


def _client() -> httpx.Client:
    return _connected(settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY)


@cache
def _connected(url: str, key: str) -> httpx.Client:
    """One for the process: threads share it."""
    if not url:
        transport = httpx.HTTPTransport(uds=settings.EMBEDDER_SOCKET or str(socket_of(settings.VAR_DIR)), retries=1)
        return httpx.Client(transport=transport, base_url="http://embedder/v1")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.Client(base_url=url, headers=headers, transport=httpx.HTTPTransport(retries=2))
