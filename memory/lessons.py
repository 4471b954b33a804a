"""Door: what a model finds that a task has taught, where its end was told over several messages.

Only the member's own words count: each part is a quote that stands in them. What it finds is written like what rules
find, and follows the same exchanges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from memory import asking, audit, policy, reflecting
from memory.asking import Asked, Unfit
from memory.extraction import guard, loose_json, outcomes
from memory.extraction.grounds import Message
from memory.lifecycle import compose
from memory.lifecycle.compose import Line
from memory.mask import masker
from memory.prompts import prompt
from memory.protocols import Completer
from memory.wording import language
from profiles.access import Reader

Quote = Annotated[str, Field(max_length=400)]
SHAPE = asking.shape(
    {"worth": {"type": "boolean"}, "worked": {"type": "boolean"}}
    | {name: {"type": "string"} for name in ("task", "result", "decisive", "change", "keep")}
)


@dataclass(frozen=True, slots=True)
class Draft:
    """The member's messages of one conversation up to that which says how a task ended, each with its turn."""

    messages: tuple[tuple[UUID, str], ...]
    on: date

    @property
    def language(self) -> str:
        return language(self.messages[-1][1])


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was found: the turns that it rests on, the sentence, and who made it."""

    turns: tuple[UUID, ...]
    text: str
    made_by: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")
    worth: bool
    worked: bool = True
    task: Quote = ""
    result: Quote = ""
    decisive: Quote = ""
    change: Quote = ""
    keep: Quote = ""


def drafts(reader: Reader, now: datetime) -> list[Draft]:
    """The ends of the last days of which no experience was made yet, the newest first; a few at a time."""
    since = now - timedelta(days=policy.LESSON_DAYS)
    ends = [row for row in reflecting.open_ends(reader, now) if row.at > since and outcomes.read(row.question)]
    masked, zone = masker(reader), ZoneInfo(reader.time_zone)
    found = []
    for row in reversed(ends):
        told = [*reflecting.before(reader, row), row]
        clean = tuple((one.turn, one.question) for one in told if _may_go(one.question, masked(one.question)))
        if clean and clean[-1][0] == row.turn:
            found.append(Draft(clean, row.at.astimezone(zone).date()))
    return found[: policy.LESSONS_A_NIGHT]


async def find(draft: Draft, completer: Completer) -> Lesson | None:
    """What the model says, where the member's words carry it; None where that is nothing."""
    asked = Asked(prompt(__file__, draft.language), draft.language,
                  {"messages": [text for _, text in draft.messages]}, SHAPE)  # fmt: skip
    found = await asking.ask(completer, asked, lambda said: _read(said, draft))
    return Lesson(*found, asking.made_by("lessons", asked, completer)) if found else None


def write(reader: Reader, lesson: Lesson) -> bool:
    """Unless something of it was forgotten, removed or kept otherwise meanwhile."""
    audit.hold(reader.community)
    if masker(reader)(lesson.text) != lesson.text:
        return False
    return bool(reflecting.keep(reader, lesson.turns, text=lesson.text, made_by=lesson.made_by))


def _may_go(text: str, masked: str) -> bool:
    return masked == text and not guard.secrets(text) and not guard.is_sensitive(text) and guard.MASK not in text


def _read(said: str, draft: Draft) -> tuple[tuple[UUID, ...], str] | None:
    """The turns and the sentence of an answer; None: the model finds it not worth it. Raises `Unfit`."""
    answer = _Answer.model_validate(loose_json.one(said, "worth"))
    if not answer.worth:
        return None
    quotes = {"worked" if answer.worked else "failed": answer.result, "decisive": answer.decisive,
              "change": answer.change, "keep": answer.keep}  # fmt: skip
    parts: list[tuple[str, str]] = []
    turns = {draft.messages[-1][0]}
    for role in outcomes.ROLES:
        if quote := quotes.get(role, "").strip():
            turn, words = _quoted(role, quote, draft.messages[-1:] if role in ("worked", "failed") else draft.messages)
            turns.add(turn)
            parts.append((role, words))
    if not parts or parts[0][0] not in ("worked", "failed"):
        raise Unfit("result must be quoted from the last message")
    if not any(outcomes.says(words) for _, words in parts[1:]):
        raise Unfit("one of decisive, change and keep must say something; else worth is false")
    lines = [Line(draft.on, compose.lesson(parts, draft.language))]
    if task := answer.task.strip():
        turn, words = _quoted("task", task, draft.messages)
        turns.add(turn)
        lines.insert(0, Line(draft.on, words))
    return tuple(turn for turn, _ in draft.messages if turn in turns), compose.experience(lines, draft.language)


def _quoted(role: str, quote: str, messages: Sequence[tuple[UUID, str]]) -> tuple[UUID, str]:
    """The turn that says it, and its exact words there. What was asked, supposed or said by others is no ground, save
    for what the task was and what to do the next time."""
    for turn, text in reversed(messages):
        message = Message(text)
        ground = message.carries(quote=quote, value=quote, subject="it", attribute="note")
        if not isinstance(ground, str):
            return turn, ground.quote
        if role in ("task", "change") and (spot := next(message.find(quote), None)):
            return turn, text[spot[0] : spot[1]]
    raise Unfit(f"{role} is not in the messages word for word, or is not stated there")
