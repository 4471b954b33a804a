"""Server-sent events of a streamed answer → the JSON objects in them, read as the bytes come."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

DRAIN_SECONDS = 0.1
"""An answer is whole with its `[DONE]`; the connection can be used again if nothing is left on it."""


class Failed(Exception):
    """The endpoint reported an error in the middle of its stream."""


async def objects(stream: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Each event's JSON object, up to `[DONE]`; raises ValueError where it is none, `Failed` where it is an error.

    Lines end with LF or CR LF. What follows the last line break was cut off, and is no event.
    """
    held = bytearray()
    data: list[bytes] = []
    async for chunk in stream:
        held += chunk
        *lines, rest = held.split(b"\n") if b"\n" in chunk else [held]
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(bytes(line[5:].strip()))
            elif not line and data:
                event, data = b"\n".join(data), []
                if event.startswith(b"[DONE]"):
                    await _drain(stream)
                    return
                yield _object(event)
        held = rest
    if data and not data[0].startswith(b"[DONE]"):  # some end without an empty line
        yield _object(b"\n".join(data))


async def _drain(stream: AsyncIterator[bytes]) -> None:
    with suppress(Exception):  # the answer is there already
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in stream:
                pass


def _object(event: bytes) -> dict[str, Any]:
    found = json.loads(event)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    if found.get("error"):
        raise Failed
    return found
