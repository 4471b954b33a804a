"""A language model that says what the test wrote: an OpenAI-compatible server on loopback, reached by settings only.

Steps are matcher → reply. A request without a step, a step without its request and a matcher that objects fail the
test at `check`. Every request is recorded. Its vectors are hashes: for wiring, never for a figure of quality.

As a process, answering everything the same way: `python -m tests.scripted --port 9009 --delay 1 --duration 3`.
"""

import argparse
import hashlib
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

Fault = Literal[
    "", "hang", "hang_midway", "cut", "silent_end", "half_utf8", "broken_json", "wrong_types", "no_usage",
    "nan", "wrong_size", "reordered",
]  # fmt: skip
SIZE = 64
"""Numbers in one hash vector."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request gets: text in so many pieces, after `delay`, spread over `duration` (both in seconds).

    `status` other than 200 sends `error` instead; `fault` says what goes wrong on the way.
    """

    text: str = ""
    pieces: int = 8
    delay: float = 0.0
    duration: float = 0.0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "scripted"
    finish: str = "stop"
    refusal: str = ""
    usage: tuple[int, int] = (120, 30)
    fault: Fault = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    """Tools to be called, behind the text; arguments given as text are sent as they are."""


@dataclass(slots=True)
class Seen:
    """One request as it came, and whether its caller hung up before the end of the reply."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    gone: threading.Event = field(default_factory=threading.Event)

    def said(self, role: str) -> str:
        """All texts of one role, joined."""
        return "\n".join(one["content"] or "" for one in self.body.get("messages", ()) if one["role"] == role)

    @property
    def system(self) -> str:
        return self.said("system")

    @property
    def user(self) -> str:
        return self.said("user")

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))

    def region(self, name: str) -> str:
        """The text of one region of the prompt; empty where it is not in it."""
        return self.system.partition(f"<{name}>\n")[2].partition(f"\n</{name}>")[0]


Matcher = str | Callable[[Seen], bool]
Answer = Reply | str | Callable[[Seen], Reply]


@dataclass(slots=True)
class Step:
    """The next request that fits gets these replies, one each; the last one again and again if `endless`."""

    matcher: Matcher
    answers: list[Answer]
    endless: bool = False
    used: int = 0


class Scripted:
    """The server; use as a context manager, which checks at its end that the script was played to its end."""

    def __init__(self, *, default: Answer | None = None) -> None:
        self.requests: list[Seen] = []
        self.problems: list[str] = []
        self.steps: list[Step] = []
        self.default = default
        self.ending = threading.Event()
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    def start(self, port: int = 0) -> Self:
        """Listen on loopback; 0 is any free port."""
        script = self

        class Handler(_Handler):
            scripted = script

        self._server = _Server(("127.0.0.1", port), Handler)
        self._server.daemon_threads, self._server.block_on_close = True, False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    @property
    def url(self) -> str:
        """For `LLM_BASE_URL` and `EMBEDDING_BASE_URL`."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def step(self, matcher: Matcher, *answers: Answer, endless: bool = False) -> None:
        """A text that the last message must hold, or a function of the request; each answer serves one request."""
        with self._lock:
            self.steps.append(Step(matcher, list(answers), endless))

    def check(self) -> None:
        """Raise unless every request had its step and every step its requests."""
        unused = [
            f"unused: {step.matcher} ({step.used} of {len(step.answers)})"
            for step in self.steps
            if step.used < len(step.answers)
        ]
        if wrong := self.problems + unused:
            raise AssertionError("\n".join(wrong))

    def asked(self, *, streamed: bool | None = None) -> list[Seen]:
        """The chat requests so far."""
        chats = [seen for seen in self.requests if seen.path.endswith("/chat/completions")]
        return [seen for seen in chats if streamed is None or seen.streamed is streamed]

    def wait_for(self, count: int, *, streamed: bool | None = None, seconds: float = 30) -> list[Seen]:
        """The chat requests, once there are so many; raises if they don't come."""
        deadline = time.monotonic() + seconds
        while len(self.asked(streamed=streamed)) < count:
            assert time.monotonic() < deadline, f"{len(self.asked(streamed=streamed))} of {count} requests came"
            time.sleep(0.02)
        return self.asked(streamed=streamed)

    def answer(self, seen: Seen) -> Reply:
        """The reply of the first step that fits and is not used up."""
        with self._lock:
            self.requests.append(seen)
            for step in self.steps:
                if (step.endless or step.used < len(step.answers)) and self._fits(step, seen):
                    chosen = step.answers[min(step.used, len(step.answers) - 1)]
                    step.used += 1
                    return _reply(chosen, seen)
            if self.default is not None:
                return _reply(self.default, seen)
            self.problems.append(f"no step for {seen.path}: {str(seen.body)[-300:]}")
        return Reply(status=400, error="no step of the script fits")

    def _fits(self, step: Step, seen: Seen) -> bool:
        try:
            if callable(step.matcher):
                return step.matcher(seen)
            last = str(seen.body["messages"][-1]["content"]) if "messages" in seen.body else str(seen.body)
            return step.matcher in last
        except AssertionError as objection:
            self.problems.append(f"a matcher objects: {objection}")
            return True

    def stop(self) -> None:
        """Release whoever hangs, and stop listening."""
        self.ending.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        if error is None:
            self.check()


def _reply(answer: Answer, seen: Seen) -> Reply:
    if isinstance(answer, str):
        return Reply(answer)
    return answer(seen) if callable(answer) else answer


class _Gone(Exception):
    """The caller hung up, or the server is ending."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    """Many may call in the same moment; with the five of the library they would be turned away, and try again."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripted: Scripted
    seen: Seen

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are recorded, not printed."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        self.seen = Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        reply = self.scripted.answer(self.seen)
        try:
            self._wait(reply.delay)
            if reply.fault == "hang":
                self._wait(3600)
            if reply.status != 200:
                self._json({"error": {"message": reply.error, "type": "scripted"}}, reply.status, reply.headers)
            elif self.path.endswith("/embeddings"):
                self._json(_vectors(body, reply))
            elif self.seen.streamed:
                self._stream(reply)
            else:
                self._wait(reply.duration)
                self._whole(reply)
        except (_Gone, ConnectionError):
            self.seen.gone.set()
            self.close_connection = True

    def _wait(self, seconds: float) -> None:
        """Sleep, but notice at once when the caller hangs up."""
        deadline = time.monotonic() + seconds
        poll = select.poll()  # `select` itself stops at the 1,024th open file
        poll.register(self.connection, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            readable = poll.poll(1000 * min(left, 0.02))
            if self.scripted.ending.is_set() or (readable and not self.connection.recv(1, socket.MSG_PEEK)):
                raise _Gone
            if readable:  # the next request waits behind this one
                time.sleep(min(left, 0.02))

    def _json(self, body: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._bytes(json.dumps(body).encode(), status, headers)

    def _bytes(self, sent: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(sent)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def _whole(self, reply: Reply) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.refusal:
            message["refusal"] = reply.refusal
        body = {"id": "s", "object": "chat.completion", "created": 0, "model": self.seen.body.get("model", ""),
                "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
                "usage": _usage(reply)}  # fmt: skip
        if reply.fault == "wrong_types":
            body |= {"choices": [{"index": "0", "message": {"content": {"text": 5}}}], "usage": "many"}
        sent = json.dumps(body).encode()
        if reply.fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent[: len(sent) // 2])
            raise _Gone
        self._bytes(sent[: len(sent) // 2] if reply.fault == "broken_json" else sent)

    def _stream(self, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        cuts = list(_pieces(reply.text, reply.pieces))
        for number, piece in enumerate(cuts):
            if number == len(cuts) // 2:
                self._midway(reply)
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}, reply)
            self._wait(reply.duration / len(cuts))
        for number, (name, arguments) in enumerate(reply.calls):
            self._call(number, name, arguments, reply)
        if reply.refusal:
            self._event({"choices": [{"index": 0, "delta": {"refusal": reply.refusal}, "finish_reason": None}]}, reply)
        if reply.fault != "silent_end":
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]}, reply)
            if reply.fault != "no_usage" and self.seen.body.get("stream_options", {}).get("include_usage"):
                self._event({"choices": [], "usage": _usage(reply)}, reply)
            self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _call(self, number: int, name: str, arguments: dict[str, Any] | str, reply: Reply) -> None:
        """Its name first, then its arguments in halves, as endpoints do."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        half = len(text) // 2
        parts: list[dict[str, Any]] = [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": ""}},
            {"function": {"arguments": text[:half]}}, {"function": {"arguments": text[half:]}},
        ]  # fmt: skip
        for part in parts:
            delta = {"tool_calls": [{"index": number, **part}]}
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}, reply)

    def _midway(self, reply: Reply) -> None:
        if reply.fault == "hang_midway":
            self._wait(3600)
        if reply.fault == "cut":
            self.wfile.flush()
            raise _Gone
        if reply.fault == "broken_json":
            self._chunk(b'data: {"choices": [{"delta": {"con\n\n')
        if reply.fault == "wrong_types":
            for odd in ({"choices": [{"delta": {"content": 5}}]}, {"choices": [{"delta": "x"}]}, {"choices": 7}):
                self._event(odd, reply)

    def _event(self, body: dict[str, Any], reply: Reply) -> None:
        frame = {"id": "s", "object": "chat.completion.chunk", "created": 0, "model": "scripted", **body}
        sent = f"data: {json.dumps(frame, ensure_ascii=False)}\n\n".encode()
        if reply.fault == "half_utf8":  # every byte its own chunk: no character arrives whole
            for place in range(len(sent)):
                self._chunk(sent[place : place + 1])
        else:
            self._chunk(sent)

    def _chunk(self, sent: bytes) -> None:
        self.wfile.write(f"{len(sent):x}\r\n".encode() + sent + b"\r\n")


def _pieces(text: str, count: int) -> Iterator[str]:
    size = max(1, -(-len(text) // max(1, count)))
    yield from (text[start : start + size] for start in range(0, len(text), size))


def _usage(reply: Reply) -> dict[str, int]:
    return {"prompt_tokens": reply.usage[0], "completion_tokens": reply.usage[1], "total_tokens": sum(reply.usage)}


def vector(text: str, size: int = SIZE) -> list[float]:
    """A unit vector from the text's hash: equal texts are equal, and nothing else means anything."""
    raw = hashlib.shake_256(text.encode("utf-8", "surrogatepass")).digest(size)
    numbers = [byte - 127.5 for byte in raw]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def _vectors(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    size = int(body.get("dimensions") or SIZE)
    rows = [
        {"object": "embedding", "index": place, "embedding": vector(text, size)} for place, text in enumerate(texts)
    ]
    if reply.fault == "nan":
        rows[0]["embedding"] = [float("nan")] * size
    if reply.fault == "wrong_size":
        rows[0]["embedding"] = vector(texts[0], size - 1)
    if reply.fault == "reordered":
        rows.reverse()
    used = sum(len(text) for text in texts)
    return {"object": "list", "data": rows, "model": body.get("model", ""),
            "usage": {"prompt_tokens": used, "total_tokens": used}}  # fmt: skip


def main() -> None:
    """Answer every request alike until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9009)
    parser.add_argument("--reply", default="This answer was written beforehand. 这个回答是事先写好的。")
    parser.add_argument("--extracted", default='{"facts": []}', help="what a request that is not streamed gets")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before the first byte")
    parser.add_argument("--duration", type=float, default=0.0, help="seconds from the first piece to the last")
    parser.add_argument("--pieces", type=int, default=20)
    chosen = parser.parse_args()

    def reply(seen: Seen) -> Reply:
        text = chosen.reply if seen.streamed else chosen.extracted
        return Reply(text, chosen.pieces, chosen.delay, chosen.duration if seen.streamed else 0.0)

    script = Scripted(default=reply).start(chosen.port)
    print(f"scripted model at {script.url}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        script.stop()


if __name__ == "__main__":
    main()
