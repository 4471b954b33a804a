"""What a socket refuses, and what closes it: size, floods, foreign pages, rights that end while it is open."""

import asyncio
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx
import pytest

from tests.sockets import Socket, sign_in

T = TypeVar("T")
LONGEST = 10.0
"""Seconds within which a socket closes after its rights have ended, by the contract; and some for a busy machine."""


def codes(frames: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(frame["type"], frame.get("code", "")) for frame in frames]


def apart(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the browser's driver keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def closed(socket: Socket) -> int:
    """The code with which the server closes, whatever it sends before."""
    while True:
        try:
            await socket.frame(LONGEST + 5)
        except ConnectionError as end:
            return int(end.args[0])


def test_too_long_a_question_is_refused_and_the_socket_stays_open(product: str) -> None:
    async def run() -> list[dict[str, Any]]:
        async with Socket(product, sign_in(product, "bob"), uuid.uuid4()) as socket:
            socket.ask("很" * 4001)
            refused = await socket.frame()
            socket.ask("很" * 4000)
            return [refused, *(await socket.until_done())]

    frames = apart(run())
    assert codes(frames)[0] == ("error", "too_long")
    assert frames[-1]["type"] == "done"


def test_a_flood_is_closed(product: str) -> None:
    async def run() -> int:
        async with Socket(product, sign_in(product, "bob"), uuid.uuid4()) as socket:
            for _ in range(400):
                socket.send(type="ping")
            return await closed(socket)

    assert apart(run()) == 4429


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", ""])
def test_a_foreign_page_gets_no_socket(product: str, origin: str) -> None:
    async def run() -> None:
        async with Socket(product, sign_in(product, "bob"), uuid.uuid4(), origin=origin):
            pass

    with pytest.raises(AssertionError, match=r"40[03]"):
        apart(run())


def test_signing_out_closes_an_open_socket(product: str) -> None:
    async def run() -> int:
        cookies = sign_in(product, "bob")
        async with Socket(product, cookies, uuid.uuid4()) as socket:
            socket.send(type="ping")
            assert (await socket.frame())["type"] == "pong"
            await asyncio.to_thread(sign_out, product, cookies)
            return await closed(socket)

    assert apart(run()) == 4401


def test_one_answer_at_a_time(product: str) -> None:
    """Two questions in one packet: whichever comes second is told so, or waits for nobody."""

    async def run() -> list[dict[str, Any]]:
        conversation = uuid.uuid4()
        cookies = sign_in(product, "bob")
        async with Socket(product, cookies, conversation) as one, Socket(product, cookies, conversation) as two:
            one.ask("会费是多少？")
            two.ask("怎么报名？")
            return [*(await one.until_done()), *(await two.until_done())]

    frames = apart(run())
    turns = {frame["turn"] for frame in frames if frame["type"] == "accepted"}
    done = {frame["turn"] for frame in frames if frame["type"] == "done"}
    refused = [frame["code"] for frame in frames if frame["type"] == "error"]
    assert len(turns) + len(refused) >= 2
    assert set(refused) <= {"conflict"}
    assert done <= turns


def sign_out(address: str, cookies: str) -> None:
    """As the page's button does."""
    token = dict(pair.split("=", 1) for pair in cookies.split("; "))["csrftoken"]
    headers = {"Cookie": cookies, "Origin": address, "X-CSRFToken": token}
    assert httpx.post(f"{address}/accounts/logout/", headers=headers, timeout=30).status_code == 302
