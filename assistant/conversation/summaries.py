"""The background path of long conversations: read in one unit of work, ask a model in none, keep it in another.

Without a model, or where what it says can't be trusted, the summary is made by rules.
"""

import asyncio
import json
import logging
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from assistant.conversation import folding, window
from assistant.conversation.folding import Folded, Round
from assistant.conversation.models import Conversation, State, Summary, Turn
from assistant.llm import chat
from memory import policy
from memory.extraction import loose_json
from memory.mask import MARK
from memory.prompts import prompt
from memory.protocols import Message
from memory.wording import language
from profiles.access import Reader, scoped

log = logging.getLogger(__name__)
_NUMBER = re.compile(r"\d+")
SHAPE = {
    "type": "object", "additionalProperties": False, "required": ["summary"],
    "properties": {"summary": {"type": "string"}},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """Rounds to be folded, as they read at that moment, and what was folded before them."""

    reader: Reader
    conversation: uuid.UUID
    before: Folded
    rounds: Sequence[Round]
    at: datetime


@dataclass(frozen=True, slots=True)
class Told:
    """What a model made of it, by which prompt, and what that took."""

    text: str
    made_by: str
    usage: dict[str, float]


def begin(reader: Reader, conversation: uuid.UUID) -> Job | None:
    """None where there is nothing to fold any more."""
    now = timezone.now()
    with scoped(reader):
        Conversation.objects.filter(id=conversation).update(fold=False)
        ended = Turn.objects.filter(conversation=conversation).exclude(state=State.RUNNING)
        last = ended.order_by("-asked_at", "-id").values_list("id", flat=True).first()
        kept = window.masked(reader, window.read(reader, last)) if last else window.Window()
        many = folding.due(kept.rounds)
    return Job(reader, conversation, kept.folded, kept.rounds[:many], now) if many else None


async def tell(job: Job) -> Told | None:
    """Outside of any transaction; None without a model, or where its answer is of no use."""
    if not chat.configured():
        return None
    small = chat.Small()
    spoken = language(" ".join(one.question for one in job.rounds))
    said = [{"member": one.question, "assistant": one.answer} for one in job.rounds]
    body = json.dumps({"before": job.before.text, "rounds": said}, ensure_ascii=False)
    order = prompt(__file__, spoken, most=str(policy.SUMMARY_WORDS))
    messages: list[Message] = [{"role": "system", "content": order.text}, {"role": "user", "content": body}]
    try:
        async with asyncio.timeout(policy.SUMMARY_SECONDS):
            answer = await small.complete(messages, schema=SHAPE)
    except (chat.ModelUnavailable, TimeoutError) as problem:
        log.warning("a summary is made by rules: %s", getattr(problem, "code", "timeout"))
        return None
    finally:
        await chat.close()
    text = _usable(answer.text, body)
    if text is None:
        log.warning("a summary is made by rules: what the model said can't be used")
        return None
    usage = {"input": answer.input, "output": answer.output, "cost": chat.price(answer.input, answer.output)}
    return Told(text, f"summaries.{spoken}:{order.hash} {small.model}"[:120], usage)


def finish(job: Job, told: Told | None) -> bool:
    """Keep it, unless something of it was forgotten or removed meanwhile: the next message asks for it again."""
    zone = ZoneInfo(job.reader.time_zone)
    by_rules = folding.fold(job.before, job.rounds, zone)
    until = job.rounds[-1].turn
    with scoped(job.reader):
        turn = Turn.objects.select_for_update().filter(id=until).first()
        if turn is None or window.masked(job.reader, window.Window(job.before, job.rounds)).rounds != list(job.rounds):
            return False
        Summary.objects.update_or_create(turn=turn, defaults={
            "conversation_id": job.conversation, "owner_id": job.reader.member, "community_id": job.reader.community,
            "text": told.text if told else by_rules.text, "exact": list(by_rules.exact),
            "made_by": told.made_by if told else "", "at": job.at,
        })  # fmt: skip
        if told:
            Turn.objects.filter(id=turn.id).update(usage=turn.usage | {"folding": told.usage})
        transaction.on_commit(lambda: window.forget(job.reader, job.conversation))
    return True


def drop(reader: Reader) -> None:
    """All of a member's: something that they may tell of in other words was forgotten."""
    Summary.objects.filter(owner_id=reader.member).delete()


def _usable(said: str, given: str) -> str | None:
    """Short enough, and without a number that was not there; None otherwise."""
    try:
        text = " ".join(str(loose_json.one(said, "summary")["summary"] or "").split())
    except ValueError:
        return None
    numbers = set(_NUMBER.findall(text)) <= set(_NUMBER.findall(given))
    fits = 0 < folding.words(text) <= policy.SUMMARY_WORDS
    return text if fits and numbers and MARK not in text else None
