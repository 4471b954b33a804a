"""What a question is looked up by: its vectors, and two other wordings, one for exact words, one for what is meant.

The small model is asked for these where `LLM_REWRITES` is on, while the question itself gets its vector. Late, broken
or refused, they are left out: the question as it stands is always looked up.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from assistant import metrics
from assistant.conversation import window
from assistant.conversation.running import Running
from assistant.conversation.units import db
from assistant.llm import chat, embedding, together
from memory import policy
from memory.asking import Asked, Unfit, ask, shape
from memory.extraction import guard, loose_json, worth
from memory.prompts import prompt
from memory.protocols import Completion, Message
from memory.vectors import Meaning
from memory.wording import language
from profiles.access import scoped

log = logging.getLogger(__name__)
SHAPE = shape({"words": {"type": "string"}, "meaning": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class Wordings:
    """Of one question; either may be empty."""

    words: str = ""
    meaning: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.words, self.meaning)))


class _Counting:
    """The small model, with what it takes added to the turn."""

    def __init__(self, usage: chat.Usage) -> None:
        self.usage, self.small = usage, chat.Small()

    @property
    def model(self) -> str:
        return self.small.model

    async def complete(self, messages: Sequence[Message], *, schema: dict[str, Any]) -> Completion:
        answer = await self.small.complete(messages, schema=schema)
        self.usage.input += answer.input
        self.usage.output += answer.output
        return answer


async def meaning(running: Running) -> Meaning | None:
    """The question's vectors, and those of its other wordings, which the turn keeps; None without an embedder."""
    found, other = await asyncio.gather(_vectors(running.question), wordings(running))
    running.wordings = other.all
    more = await _vectors(other.meaning) if found and other.meaning else None
    return Meaning(found.by, found.rows + more.rows) if found and more and more.by == found.by else found


async def _vectors(text: str) -> Meaning | None:
    try:
        return await together.query(text)
    except embedding.Unavailable as problem:
        log.warning("words alone: %s", problem)
        metrics.words_alone.inc()
        return None


async def wordings(running: Running) -> Wordings:
    """None at all where they are not wanted, or not to be had in `policy.REWRITE_SECONDS`."""
    wanted = settings.LLM_REWRITES and chat.configured() and running.recalls and not running.noticed.asks_everything
    if not wanted or worth.only_polite(running.question):
        return Wordings()
    spoken = language(running.question)
    try:
        async with asyncio.timeout(policy.REWRITE_SECONDS):
            before = await db(_before, running)
            asked = Asked(prompt(__file__, spoken), spoken, {"before": before, "message": running.question}, SHAPE)
            return await ask(_Counting(running.rewriting), asked, _read) or Wordings()
    except (chat.ModelUnavailable, TimeoutError) as problem:
        log.warning("not rewritten: %s", getattr(problem, "code", "timeout"))
        return Wordings()


def _before(running: Running) -> list[str]:
    with scoped(running.acting):
        rounds = window.recent(running.acting, running.conversation, parent=running.parent).rounds
        return [one.question for one in rounds[-policy.REWRITE_ROUNDS :]]


def _read(said: str) -> Wordings:
    found = loose_json.one(said, "meaning")
    texts = [found.get(name, "") for name in SHAPE["required"]]
    if not all(isinstance(text, str) for text in texts):
        raise Unfit("two texts are wanted, words and meaning")
    words, meaning = (guard.redact(" ".join(text.split())[: policy.REWRITE_CHARACTERS]) for text in texts)
    return Wordings(words, meaning)
