"""A small client of the product's pages and sockets over plain asyncio: no browser, no further library."""

import asyncio
import base64
import json
import os
import re
import uuid
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def sign_in(address: str, name: str) -> str:
    """The cookies of a demo account that has just signed in."""
    with httpx.Client(base_url=address, headers={"Origin": address}, timeout=30) as client:
        page = client.get("/accounts/login/").text
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert found is not None
        fields = {"login": name, "password": f"demo-{name}", "csrfmiddlewaretoken": found[1]}
        assert client.post("/accounts/login/", data=fields).status_code == 302
        return "; ".join(f"{key}={value}" for key, value in client.cookies.items())


class Socket:
    """One open socket; use as an async context manager."""

    def __init__(
        self, address: str, cookies: str, conversation: uuid.UUID | str, *, origin: str | None = None
    ) -> None:
        self.address, self.cookies, self.path = address, cookies, f"/ws/conversations/{conversation}/"
        self.origin = address if origin is None else origin

    async def __aenter__(self) -> Self:
        place = urlsplit(self.address)
        self._reader, self._writer = await asyncio.open_connection(place.hostname, place.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {self.path} HTTP/1.1", f"Host: {place.netloc}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Origin: {self.origin}",
                 f"Cookie: {self.cookies}", "", ""]  # fmt: skip
        self._writer.write("\r\n".join(lines).encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._writer.close()

    def send(self, **frame: Any) -> None:
        """One frame to the server."""
        self._write(TEXT, json.dumps(frame).encode())

    def ask(self, text: str) -> str:
        """Ask; returns the client's id of it."""
        client = str(uuid.uuid4())
        self.send(type="ask", client_id=client, text=text)
        return client

    async def frame(self, seconds: float = 30) -> dict[str, Any]:
        """The next frame of the server; raises `ConnectionError` when it has closed, `TimeoutError` if none comes."""
        async with asyncio.timeout(seconds):
            return await self._frame()

    async def _frame(self) -> dict[str, Any]:
        while True:
            first, size = await self._reader.readexactly(2)
            length = size & 127
            if length > 125:
                length = int.from_bytes(await self._reader.readexactly(2 if length == 126 else 8), "big")
            body = await self._reader.readexactly(length)
            kind = first & 15
            if kind == TEXT:
                found: dict[str, Any] = json.loads(body)
                return found
            if kind == PING:
                self._write(PONG, body)
            if kind == CLOSE:
                raise ConnectionError(int.from_bytes(body[:2], "big"))

    async def until_done(self) -> list[dict[str, Any]]:
        """All frames up to the end of an answer."""
        frames = [await self.frame()]
        while frames[-1]["type"] not in ("done", "error"):
            frames.append(await self.frame())
        return frames

    def _write(self, kind: int, body: bytes) -> None:
        mask = os.urandom(4)
        size = len(body)
        head = bytes([0x80 | kind])
        if size < 126:
            head += bytes([0x80 | size])
        else:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        self._writer.write(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(body)))
