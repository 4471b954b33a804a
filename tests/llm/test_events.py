"""The events of a stream, however their bytes are cut."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from assistant.llm import events

ANSWER = 'data: {"a": "你\u2028好"}\r\n\r\n: still there\n\ndata: {"b":\ndata: 2}\n\ndata: [DONE]\n\ndata: {"c": 3}\n\n'


def read(raw: bytes, size: int) -> list[dict[str, Any]]:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(raw), size):
            yield raw[start : start + size]

    async def found() -> list[dict[str, Any]]:
        return [piece async for piece in events.objects(pieces())]

    return asyncio.run(found())


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_each_event_once_and_nothing_behind_the_end(size: int) -> None:
    assert read(ANSWER.encode(), size) == [{"a": "你\u2028好"}, {"b": 2}]


def test_the_last_event_may_lack_its_empty_line_but_not_its_line_end() -> None:
    assert read(b'data: {"a": 1}\n', 5) == [{"a": 1}]
    assert read(b'data: {"a": 1}', 5) == []


@pytest.mark.parametrize("raw", [b"data: {\n\n", b"data: [1]\n\n", b"data: \xff\n\n", b"data:\n\n"])
def test_what_is_no_object_is_an_error(raw: bytes) -> None:
    with pytest.raises(ValueError):
        read(raw, 3)


def test_a_reported_error_is_none_of_the_answer() -> None:
    with pytest.raises(events.Failed):
        read(b'data: {"error": {"message": "overloaded"}}\n\n', 9)
