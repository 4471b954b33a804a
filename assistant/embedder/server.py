"""`POST /v1/embeddings` on a Unix socket, in the OpenAI shape with `input_type` query or passage."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any

from assistant.embedder.engines import PASSAGE, QUERY
from assistant.embedder.vectors import SLICE, Broken, Vectors

BODY_LIMIT = 4 * 1024 * 1024
QUIET_SECONDS = 0.25
"""What is to be kept waits until nobody has asked for so long: many who ask at once come in several calls,"""
PATIENT_SECONDS = 5.0
"""but no longer than this."""
TEXTS = 256
"""Texts of one request."""


class Server(ThreadingMixIn, UnixStreamServer):
    """Many callers, one engine, a slice of texts at a time: a question waits for no long batch, and what is to be kept
    waits for all questions."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, socket: Path, vectors: Vectors) -> None:
        self.vectors = vectors
        self.turn = threading.Condition()
        self.busy, self.asked, self.last = False, 0, 0.0
        socket.unlink(missing_ok=True)
        super().__init__(str(socket), Handler)
        socket.chmod(0o600)

    def embed(self, texts: list[str], kind: str) -> list[list[float]]:
        rows: list[list[float]] = []
        for start in range(0, len(texts), SLICE):
            with self._turn(kind):
                rows += self.vectors.embed(texts[start : start + SLICE], kind).tolist()
        return rows

    @contextmanager
    def _turn(self, kind: str) -> Iterator[None]:
        asks = kind == QUERY
        with self.turn:
            self.asked += asks
            self._wait(asks)
            self.asked -= asks
            self.busy = True
        try:
            yield
        finally:
            with self.turn:
                self.busy = False
                if asks:
                    self.last = time.monotonic()
                self.turn.notify_all()

    def _wait(self, asks: bool) -> None:
        latest = time.monotonic() + PATIENT_SECONDS
        while not asks and (left := min(latest, self.last + QUIET_SECONDS) - time.monotonic()) > 0:
            self.turn.wait(left)
        self.turn.wait_for(lambda: not self.busy and (asks or not self.asked))


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between requests."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        identity = self.server.vectors.identity
        self._answer(200, {"object": "list", "data": [{"id": identity.name, "object": "model"}],
                           "identity": asdict(identity), "key": identity.key})  # fmt: skip

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_LIMIT:
            self.close_connection = True
            return self._refuse(413, "the body is too large")
        try:
            asked = json.loads(self.rfile.read(length))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            kind = asked.get("input_type", PASSAGE)
            if kind not in (QUERY, PASSAGE) or len(texts) > TEXTS or not all(isinstance(text, str) for text in texts):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return self._refuse(400, f"wanted: input (up to {TEXTS} texts), input_type query or passage")
        try:
            rows = self.server.embed(texts, kind)
        except Broken as broken:
            return self._refuse(500, str(broken))
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        identity = self.server.vectors.identity
        return self._answer(200, {"object": "list", "model": identity.name, "key": identity.key, "data": data,
                                  "usage": {"prompt_tokens": 0, "total_tokens": 0}})  # fmt: skip

    def log_message(self, format: str, *args: Any) -> None:
        """What people write must not end in a log."""

    def address_string(self) -> str:
        return "local"

    def _refuse(self, status: int, why: str) -> None:
        self._answer(status, {"error": {"message": why, "type": "invalid_request_error"}})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)
