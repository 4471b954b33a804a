"""The configured language model, any OpenAI-compatible endpoint: an answer in pieces, or one in one go."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from httpx2 import HTTPError, TimeoutException
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    BadRequestError,
    OpenAIError,
    UnprocessableEntityError,
)

from assistant.llm import events
from assistant.llm.pieces import Pieces
from memory.protocols import Completion, Message

RETRIES = 2
"""After the first try, and only before the first piece: 429, 5xx, timeouts, no connection."""
JSON_MODES = ("json_schema", "json_object", "prompt")
"""How an endpoint is told to answer in JSON, strictest first."""


class ModelUnavailable(Exception):
    """The endpoint gave no usable answer.

    `code` is for the log and the row, and holds no text of anybody's: `http_429`, `timeout`, `connection`, `cut`,
    `length`, `refused`, `empty`, `bad_json`, `bad_shape`, `stream_error`. `permanent`: asking again can't help.
    """

    def __init__(self, code: str, *, permanent: bool = False) -> None:
        super().__init__(code)
        self.code, self.permanent = code, permanent


@dataclass(slots=True)
class Usage:
    """Tokens in and out as the endpoint reports them, and what they cost; `asked` once an answer has begun."""

    input: int = 0
    output: int = 0
    asked: bool = False

    @property
    def cost(self) -> float:
        return price(self.input, self.output)


def price(tokens_in: int, tokens_out: int) -> float:
    """What so many tokens cost, in the currency of the settings."""
    return float(tokens_in * settings.LLM_PRICE_IN + tokens_out * settings.LLM_PRICE_OUT) / 1_000_000


def configured() -> bool:
    """Whether there is a model at all; without one the quoting answerer speaks."""
    return bool(settings.LLM_BASE_URL)


# one client a loop: a connection belongs to the loop that opened it, and building a client costs more than a turn
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[tuple[object, ...], AsyncOpenAI]] = WeakKeyDictionary()
_known: dict[tuple[str, str], str] = {}


def _client() -> AsyncOpenAI:
    loop = asyncio.get_running_loop()
    wanted = (settings.LLM_BASE_URL, settings.LLM_API_KEY, settings.LLM_TIMEOUT)
    kept = _clients.get(loop)
    if kept is None or kept[0] != wanted:
        client = AsyncOpenAI(
            base_url=settings.LLM_BASE_URL, api_key=settings.LLM_API_KEY or "none", max_retries=RETRIES,
            timeout=settings.LLM_TIMEOUT,
        )  # fmt: skip
        kept = _clients[loop] = (wanted, client)
    return kept[1]


async def close() -> None:
    """Let go of this loop's connections; for loops that end before their process."""
    kept = _clients.pop(asyncio.get_running_loop(), None)
    if kept is not None:
        await kept[1].close()


@dataclass(slots=True)
class Call:
    """A tool that the model wants to be used; `arguments` is what it wrote, meant to be JSON."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Tools:
    """What a model may call, and what it called; `over`: it is told to call nothing more."""

    offered: Sequence[dict[str, Any]] = ()
    over: bool = False
    calls: list[Call] = field(default_factory=list)

    def arguments(self, model: str) -> dict[str, Any]:
        """For the request; nothing where the endpoint is known to take no tools."""
        if not self.offered or not takes_tools(model):
            return {}
        return {"tools": list(self.offered)} | ({"tool_choice": "none"} if self.over else {})

    def feed(self, pieces: Any) -> None:
        """One piece of a stream; a call comes in parts that share an index, or whole."""
        for piece in pieces or ():
            place = piece.get("index")
            if not isinstance(place, int):
                place = len(self.calls) if piece.get("id") or not self.calls else len(self.calls) - 1
            if not 0 <= place <= len(self.calls):
                raise ValueError("a call out of order")
            if place == len(self.calls):
                self.calls.append(Call())
            call, function = self.calls[place], piece.get("function") or {}
            call.id = call.id or _text(piece.get("id")) or f"call_{place}"
            call.name = call.name or _text(function.get("name"))
            call.arguments += _text(function.get("arguments"))


_NAMES_TOOLS = re.compile(r"\b(?:tools?|tool_choice|functions?)\b", re.IGNORECASE)
_NAMES_LENGTH = re.compile(r"context|length|token|too (?:long|large)|maximum", re.IGNORECASE)
_no_tools: set[tuple[str, str]] = set()


def takes_tools(model: str) -> bool:
    """Whether a model of the endpoint is told of tools; one that refused them once is not."""
    if settings.LLM_TOOLS != "auto":
        return bool(settings.LLM_TOOLS == "on")
    return (settings.LLM_BASE_URL, model) not in _no_tools


def _refuses_tools(told: str) -> bool:
    """Whether a refusal is about tools; any other is final, and one about the prompt's length may name them too."""
    return bool(_NAMES_TOOLS.search(told)) and not _NAMES_LENGTH.search(told)


async def stream(
    messages: Sequence[Mapping[str, Any]], usage: Usage, *, model: str = "", tools: Tools | None = None
) -> AsyncGenerator[str]:  # fmt: skip
    """Yield pieces of the answer and fill `usage` and `tools.calls`; raises `ModelUnavailable`, also behind half an
    answer.

    Whoever stops early closes the iterator, which ends the call upstream. The SDK asks, waits and tries again; what
    comes is read here, as building its objects for each piece took more time than all else that a turn does.
    """
    tools, model = tools or Tools(), model or settings.LLM_MODEL
    sent = {"messages": list(messages), **tools.arguments(model)}
    arguments: dict[str, Any] = {
        "model": model, "messages": [], "extra_body": sent,  # sent as it is
        "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    shown, finish, refused, something = Pieces(), "", False, False
    try:
        async with _client().chat.completions.with_streaming_response.create(**arguments) as answer:
            usage.asked = True
            async for piece in events.objects(answer.iter_bytes()):
                _count(piece.get("usage"), usage)
                for choice in (piece.get("choices") or ())[:1]:
                    delta = choice.get("delta") or {}
                    finish, refused = choice.get("finish_reason") or finish, refused or bool(delta.get("refusal"))
                    tools.feed(delta.get("tool_calls"))
                    text = shown.feed(_text(delta.get("content")))
                    something = something or bool(text.strip())
                    if text:
                        yield text
    except (BadRequestError, UnprocessableEntityError) as refusal:
        if "tools" not in sent or settings.LLM_TOOLS != "auto" or not _refuses_tools(str(refusal.message)):
            raise _unavailable(refusal) from None
        async with aclosing(stream(messages, usage, model=model)) as again:
            async for text in again:
                _no_tools.add((settings.LLM_BASE_URL, model))  # it was the tools that it refused
                yield text
        return
    except (OpenAIError, HTTPError, events.Failed, ValueError, TypeError, AttributeError) as problem:
        # `from None`: an endpoint's error may repeat the key or the prompt
        raise _unavailable(problem) from None
    if rest := shown.rest():
        something = something or bool(rest.strip())
        yield rest
    if code := _ended(finish, refused, something or bool(tools.calls), usage):
        raise ModelUnavailable(code)


class Small:
    """The model for background work, as memory wants it."""

    @property
    def model(self) -> str:
        return str(settings.LLM_SMALL_MODEL or settings.LLM_MODEL)

    async def complete(self, messages: Sequence[Message], *, schema: dict[str, Any]) -> Completion:
        """One answer; raises `ModelUnavailable`. How the endpoint takes JSON is found out once and kept."""
        endpoint = (settings.LLM_BASE_URL, self.model)
        modes = _modes(endpoint)
        for mode in modes:
            arguments: dict[str, Any] = {"model": self.model, "messages": list(messages), **_as_json(mode, schema)}
            try:
                answer = await _client().chat.completions.create(**arguments)
                completion = _completion(answer)
            except (BadRequestError, UnprocessableEntityError) as refusal:
                if mode != modes[-1]:
                    continue
                raise _unavailable(refusal) from None
            except (OpenAIError, ValueError, TypeError, AttributeError, IndexError) as problem:
                raise _unavailable(problem) from None
            _known[endpoint] = mode
            return completion
        raise ModelUnavailable("no_mode", permanent=True)  # LLM_JSON is checked when the settings are read


def _modes(endpoint: tuple[str, str]) -> tuple[str, ...]:
    if settings.LLM_JSON != "auto":
        return (settings.LLM_JSON,)
    return JSON_MODES[JSON_MODES.index(_known.get(endpoint, JSON_MODES[0])) :]


def _as_json(mode: str, schema: dict[str, Any]) -> dict[str, Any]:
    if mode == "json_schema":
        shape = {"name": "answer", "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}


def _completion(answer: Any) -> Completion:
    usage, choice = Usage(), answer.choices[0]
    _count(answer.usage, usage)
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise ModelUnavailable("refused", permanent=True)
    shown = Pieces(begun=True)
    return Completion(shown.feed(_text(choice.message.content)) + shown.rest(), usage.input, usage.output)


def _text(content: Any) -> str:
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    return content


def _count(reported: Any, usage: Usage) -> None:
    """What was reported, if it is numbers; some endpoints report with every piece, the last one counts."""
    if reported is None:
        return
    told = reported if isinstance(reported, dict) else reported.model_dump()
    counts = (told.get("prompt_tokens"), told.get("completion_tokens"))
    if all(isinstance(count, int) and count >= 0 for count in counts):
        usage.input, usage.output = counts  # type: ignore[assignment]


def _ended(finish: str, refused: bool, something: bool, usage: Usage) -> str:
    """Why the answer is none, or half of one; empty if it is whole."""
    if refused or finish == "content_filter":
        return "refused"
    if not finish and not usage.output:  # some never give a reason, but then report what it took
        return "cut"
    if not something:
        return "empty"
    return "length" if finish == "length" else ""


def _unavailable(problem: Exception) -> ModelUnavailable:
    if isinstance(problem, APIStatusError):
        status = problem.status_code
        return ModelUnavailable(f"http_{status}", permanent=400 <= status < 500 and status not in (408, 409, 429))
    if isinstance(problem, (APITimeoutError, TimeoutException)):
        return ModelUnavailable("timeout")
    if isinstance(problem, (APIConnectionError, HTTPError)):
        return ModelUnavailable("connection")
    if isinstance(problem, (APIError, events.Failed)):
        return ModelUnavailable("stream_error")
    return ModelUnavailable("bad_json" if isinstance(problem, ValueError) else "bad_shape")
