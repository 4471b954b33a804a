"""An endpoint for reranking, real and on loopback: its two shapes, and that nothing it does wrong is used."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.test import override_settings

from assistant.llm import reranking
from memory import recall
from memory.models import Memory
from profiles.access import scoped
from tests.memory.test_vectors import knowledge, told
from tests.people import World

TEXTS = ["a kayak", "a piano"]
Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


@contextmanager
def endpoint(answer: Answer, *, held: threading.Event | None = None, **given: str) -> Iterator[list[dict[str, Any]]]:
    """What it was sent; with `held` it answers the half of it, and the rest once that is set."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(body | {"key": self.headers.get("Authorization", "")})
            status, reply = answer(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply[: len(reply) // 2])
            self.wfile.flush()
            if held is not None:
                held.wait(20)
            self.wfile.write(reply[len(reply) // 2 :])

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

        def handle(self) -> None:
            with_hang_up = (BrokenPipeError, ConnectionResetError)
            try:
                super().handle()
            except with_hang_up:
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with override_settings(RERANK_URL=f"http://127.0.0.1:{server.server_port}/rerank", **given):
            yield seen
    finally:
        if held is not None:
            held.set()
        server.shutdown()
        server.server_close()


def ok(found: Any) -> Answer:
    return lambda _: (200, json.dumps(found).encode())


def last_first(body: dict[str, Any]) -> tuple[int, bytes]:
    rows = [{"index": place, "score": place / 10} for place in range(len(body["texts"]))]
    return 200, json.dumps(rows).encode()


def test_without_an_address_there_is_none() -> None:
    assert reranking.configured() is None


def test_a_model_asks_in_one_shape_and_none_in_the_other() -> None:
    named = {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}
    with endpoint(ok(named), RERANK_MODEL="m", RERANK_API_KEY="rk-1") as seen:
        assert reranking.scores("music?", TEXTS) == [0.1, 0.9]
    assert seen == [{"model": "m", "query": "music?", "documents": TEXTS, "top_n": 2, "key": "Bearer rk-1"}]
    with endpoint(last_first) as seen:
        assert reranking.scores("music?", TEXTS) == [0.0, 0.1]
    assert seen == [{"query": "music?", "texts": TEXTS, "key": ""}]


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: (500, b"{}"), lambda _: (200, b"not json"), lambda _: (200, b"[" * 100_000), lambda _: (200, b"\xff"),
        ok({}), ok([1, 2]), ok([{"index": 0, "score": 0.5}]), ok([{"index": 0, "score": 0.5}] * 2),
        ok([{"index": 0, "score": 0.5}, {"index": 1, "score": float("nan")}]),
        ok([{"index": 0, "score": 0.5}, {"index": 1, "score": 3.5}]),
        ok([{"index": 0, "score": 0.5}, {"index": 1, "score": 10**400}]), ok([{"index": [], "score": 0.5}] * 2),
        ok([{"index": 0, "score": 0.5}, {"index": 1, "score": "0.5"}]), lambda _: (200, b" " * 2_000_000),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused(answer: Answer) -> None:
    with endpoint(answer), pytest.raises((ValueError, TimeoutError)):
        reranking.scores("music?", TEXTS)


def test_an_endpoint_that_stops_midway_is_not_waited_for() -> None:
    with endpoint(last_first, held=threading.Event()), pytest.raises(TimeoutError):
        reranking.scores("music?", TEXTS)


def test_an_address_where_nobody_listens_is_refused() -> None:
    with override_settings(RERANK_URL="http://127.0.0.1:9/rerank"), pytest.raises(ValueError, match="ConnectError"):
        reranking.scores("music?", TEXTS)


def test_what_was_found_is_put_in_its_order_or_left_as_it_was(world: World) -> None:
    for text in ("went to the kayak fair in spring", "went to the kayak fair in autumn"):
        told(world.alice, text)
    with scoped(world.alice):
        assert Memory.objects.count() == 2
        plain = recall.recall(world.alice, "the kayak fair")
        with endpoint(last_first):
            other = recall.recall(world.alice, "the kayak fair", rerank=reranking.configured())
        with endpoint(ok({})):
            kept = recall.recall(world.alice, "the kayak fair", rerank=reranking.configured())
    assert [hit.id for hit in other.memories] == [hit.id for hit in reversed(plain.memories)]
    assert len(other.memories) == 2 and "reranked" in other.notes
    assert kept.memories == plain.memories and "not reranked" in kept.notes
    assert not {"reranked", "not reranked"} & set(plain.notes)


@pytest.mark.parametrize("own", [True, False])
def test_of_a_member_who_is_answered_without_memory_it_hears_nothing(world: World, own: bool) -> None:
    for text in ("went to the kayak fair in spring", "went to the kayak fair in autumn"):
        told(world.alice, text)
        knowledge(world, text.removeprefix("went to "), text.replace("went to", "everybody is welcome at"))
    with scoped(world.alice), endpoint(last_first) as seen:
        found = recall.recall(world.alice, "the kayak fair", rerank=reranking.configured(), own=own)
    (sent,) = seen
    assert any("went to" in text for text in sent["texts"]) == bool(found.memories) == own
    assert len(found.knowledge) == 2
