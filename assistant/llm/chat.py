"""Streaming from the configured language model: any OpenAI-compatible endpoint."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from openai import AsyncOpenAI, OpenAIError

from memory import policy


class ModelUnavailable(Exception):
    """The endpoint gave no answer; the text is for the log, never for a member."""


@dataclass(slots=True)
class Usage:
    """Tokens in and out as the endpoint reports them, and what they cost."""

    input: int = 0
    output: int = 0

    @property
    def cost(self) -> float:
        return float(self.input * settings.LLM_PRICE_IN + self.output * settings.LLM_PRICE_OUT) / 1_000_000


def configured() -> bool:
    """Whether there is a model at all; without one the quoting answerer speaks."""
    return bool(settings.LLM_BASE_URL)


async def stream(messages: list[dict[str, str]], usage: Usage) -> AsyncIterator[str]:
    """Yield pieces of the answer and fill `usage`; raises `ModelUnavailable`. Two retries before the first piece."""
    client = AsyncOpenAI(
        base_url=settings.LLM_BASE_URL, api_key=settings.LLM_API_KEY or "none", max_retries=2,
        timeout=policy.TURN_SECONDS / 3,
    )  # fmt: skip
    arguments: dict[str, Any] = {"model": settings.LLM_MODEL, "messages": messages, "stream": True,
                                 "stream_options": {"include_usage": True}}  # fmt: skip
    try:
        async with client, await client.chat.completions.create(**arguments) as pieces:
            async for piece in pieces:
                if piece.usage:
                    usage.input, usage.output = piece.usage.prompt_tokens, piece.usage.completion_tokens
                if piece.choices and piece.choices[0].delta.content:
                    yield piece.choices[0].delta.content
    except (OpenAIError, ValueError) as problem:
        raise ModelUnavailable(type(problem).__name__) from problem
