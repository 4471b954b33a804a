"""Reading an exchange with a language model: what it says is taken only where the member's own words carry it."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memory import policy
from memory.dates import Span, spans
from memory.extraction import guard, loose_json, relations, rules
from memory.extraction.checks import fits
from memory.extraction.claims import Claim, Reading
from memory.extraction.grounds import Ground, Message, same_language
from memory.extraction.shapes import MEANINGS
from memory.extraction.statements import claim_of
from memory.extraction.ties import bare
from memory.prompts import prompt
from memory.protocols import Completer
from memory.protocols import Message as Told
from memory.terms import Origin
from memory.wording import language, normal, shadow

ATTRIBUTES = tuple(MEANINGS)
LEVELS = frozenset({"beginner", "intermediate", "expert"})
_ALIASES = {
    "job": "occupation", "profession": "occupation", "role": "occupation", "company": "employer", "city": "residence",
    "location": "residence", "home": "residence", "hometown": "origin", "like": "likes", "dislike": "dislikes",
    "preference": "prefers", "hobby": "interest", "interests": "interest", "skill": "expertise", "plan": "event",
}  # fmt: skip
_CHECKED = {"name": "name", "residence": "residence", "employer": "employer", "birthday": "birthday",
            "origin": "origin", "language": "spoken"}  # fmt: skip
_ME = frozenset(
    {
        "",
        "me",
        "i",
        "myself",
        "user",
        "the user",
        "member",
        "the member",
        "speaker",
        "self",
        "我",
        "本人",
        "用户",
        "成员",
        "自己",
    }
)
_ASSISTANT = frozenset({"you", "assistant", "the assistant", "ai", "kith", "你", "您", "助手"})
_PLAIN = frozenset({"event", "habit", "state", "decision", "relation", "has", "note", "expertise"})
"""Attributes that have no sentence of their own around the value."""
_OF_MINE = {"works_at": "employer", "lives_in": "residence", "uses": "tool"}
"""What the speaker's own ties are kept as."""
_AHEAD = re.compile(
    r"报名|打算|准备|计划|将|要|预[约订]|即将|下[周个]|明[天年]|\b(?:will|going to|next|upcoming|plan|sign\w* up|tomorrow|book|regist)",
    re.I,
)


class Unreadable(Exception):
    """Nothing in the model's answers could be read for sure; `code` is `empty`, `bad_json` or `bad_schema`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is read: the member's message and the answer to it, when and in which zone; `name` is the member's own."""

    message: str
    answer: str
    at: datetime
    zone: ZoneInfo
    name: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What may be written, each with its origin; who made it, how many facts were refused, what it took."""

    claims: tuple[tuple[Claim, Origin], ...] = ()
    made_by: str = ""
    refused: tuple[str, ...] = field(default=())
    partial: bool = False
    input: int = 0
    output: int = 0


def _weight(value: Any) -> float:
    """1–10, also as "8/10"; the middle where it can't be read."""
    found = re.match(r"\s*(-?\d+(?:\.\d+)?)", str(value)) if not isinstance(value, bool) else None
    number = float(found[1]) if found else 5.0
    return min(10.0, max(1.0, number)) if math.isfinite(number) else 5.0


def _word(value: Any) -> Any:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Words = Annotated[str, BeforeValidator(_word)]


class Fact(BaseModel):
    """One fact as the model should write it; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")
    quote: Annotated[str, Field(min_length=1, max_length=600)]
    subject: Annotated[str, Field(max_length=80)] = "me"
    attribute: Annotated[str, Field(max_length=40)] = "note"
    value: Annotated[Words, Field(min_length=1, max_length=300)]
    text: Annotated[str, Field(max_length=400)] = ""
    when: Annotated[Words | None, Field(max_length=80)] = ""
    how: Literal["stated", "implied"] = "stated"
    importance: Annotated[float, BeforeValidator(_weight)] = 5.0


def schema() -> dict[str, Any]:
    """The shape of the answer, within what strict endpoints take: all fields required, no limits."""
    text = {"type": "string"}
    fields: dict[str, Any] = {
        "quote": text, "subject": text, "attribute": {"type": "string", "enum": list(ATTRIBUTES)}, "value": text,
        "text": text, "when": text, "how": {"type": "string", "enum": ["stated", "implied"]},
        "importance": {"type": "integer"},
    }  # fmt: skip
    fact = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "object", "properties": {"facts": {"type": "array", "items": fact}}, "required": ["facts"],
            "additionalProperties": False}  # fmt: skip


@dataclass(slots=True)
class _Reading:
    """What one answer gave; `fatal` is the code of what couldn't be read in it at all."""

    claims: list[tuple[Claim, Origin]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    fatal: str = ""


async def extract(exchange: Exchange, completer: Completer) -> Extracted:
    """What the exchange says of its member; one call, and a second one with what was wrong in the first.

    Raises `Unreadable` where neither answer could be read; what the completer raises goes through.
    """
    message = Message(guard.hidden(exchange.message[: policy.EXTRACT_LIMIT]))
    said = language(message.text)
    asked = prompt(__file__, said, attributes=", ".join(ATTRIBUTES), most=str(policy.EXTRACT_MOST))
    messages: list[Told] = [
        {"role": "system", "content": asked.text},
        {"role": "user", "content": _material(exchange, message.text)},
    ]
    first = await completer.complete(messages, schema=schema())
    readings = [_read(first.text, message, exchange)]
    spent = [first]
    if readings[0].problems:
        mend = prompt(str(Path(__file__).with_name("repair")), said, problems="; ".join(readings[0].problems[:8]))
        messages += [{"role": "assistant", "content": first.text[:4000]}, {"role": "user", "content": mend.text}]
        spent.append(await completer.complete(messages, schema=schema()))
        readings.append(_read(spent[1].text, message, exchange))
    stated = rules.read(message.text, at=exchange.at, zone=exchange.zone)
    found = (pair for reading in reversed(readings) for pair in reading.claims)
    claims = _unique(pair for pair in found if not _turned_round(pair[0], stated))
    if readings[-1].fatal and not claims:
        raise Unreadable(readings[-1].fatal)
    return Extracted(
        claims=claims, made_by=f"extract@{asked.hash} {completer.model}"[:120], refused=tuple(readings[-1].problems),
        partial=len(exchange.message) > policy.EXTRACT_LIMIT,
        input=sum(one.input for one in spent), output=sum(one.output for one in spent),
    )  # fmt: skip


def check(raw: dict[str, Any], exchange: Exchange) -> tuple[Claim, Origin] | str:
    """One fact that a model wants to be kept at once, by the same rules; or why it is refused."""
    try:
        fact = Fact.model_validate(raw)
    except ValidationError as problem:
        return "; ".join(_where(error) for error in problem.errors()[:3])
    message = Message(guard.hidden(exchange.message[: policy.EXTRACT_LIMIT]))
    found = _claim(fact, message, exchange)
    if isinstance(found, str):
        return found
    stated = rules.read(message.text, at=exchange.at, zone=exchange.zone)
    return "the message says the opposite" if _turned_round(found[0], stated) else found


def _turned_round(claim: Claim, stated: Reading) -> bool:
    """Whether the message itself, by our own rules, takes back or ends what the claim says, or says the opposite."""
    value = normal(claim.value)
    denied = {normal(words) for correction in stated.corrections for words in correction.denied}
    over = {(ended.slot, normal(ended.value)) for ended in stated.endings}
    other = (said for said in stated.claims if said.slot == claim.slot and said.attribute != claim.attribute)
    return value in denied or (claim.slot, value) in over or any(normal(said.value) == value for said in other)


def _material(exchange: Exchange, message: str) -> str:
    """As JSON, so that nothing in a text can close it and pose as something else."""
    return json.dumps(
        {"written_at": exchange.at.astimezone(exchange.zone).isoformat(timespec="minutes"), "message": message,
         "answer": exchange.answer[: policy.EXTRACT_ANSWER]},
        ensure_ascii=False,
    )  # fmt: skip


def _read(text: str, message: Message, exchange: Exchange) -> _Reading:
    reading = _Reading()
    try:
        raw, whole = loose_json.items(text, "facts", "quote")
    except ValueError as problem:
        return _Reading(problems=[str(problem)], fatal="bad_json" if text.strip() else "empty")
    if not whole:
        reading.problems.append("the JSON is broken or cut off")
        reading.fatal = "bad_json"
    for number, item in enumerate(raw[: policy.EXTRACT_MOST], 1):
        try:
            fact = Fact.model_validate(item)
        except ValidationError as problem:
            reading.problems += [f"fact {number}: {_where(error)}" for error in problem.errors()[:3]]
            reading.fatal = reading.fatal or "bad_schema"
            continue
        found = _claim(fact, message, exchange)
        if isinstance(found, str):
            reading.problems += [f"fact {number}: {found}"] if found.startswith("the ") else []
        else:
            reading.claims.append(found)
    return reading


def _where(error: Any) -> str:
    """Field and fault of a validation error, without the value."""
    return f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}"


def _claim(fact: Fact, message: Message, exchange: Exchange) -> tuple[Claim, Origin] | str:
    """The claim, or why it is refused; what begins with "the " can be mended by the model."""
    subject = _subject(fact, exchange)
    attribute = _attribute(fact, subject)
    if subject in _ASSISTANT:
        return "said of the assistant"
    ground = message.carries(quote=fact.quote, value=fact.value, subject=subject, attribute=attribute)
    if isinstance(ground, str):
        return ground
    value = ground.value if ground.value is not None else fact.value
    told = ground.value is not None or (fact.how == "stated" and message.holds(value))
    if not told and not (attribute == "expertise" and fact.value in LEVELS):
        return "the value is not in the quote"
    if subject != "me" and not any(message.find(subject)):
        return "the subject is not in the message"
    if attribute in relations.SENTENCES and not _tied(attribute, subject, value, ground):
        return "the words don't say that the two stand to each other so"
    subject = bare(subject) if attribute in relations.SENTENCES else subject
    if refused := _refused(fact, value, ground):
        return refused
    careless = message.text == message.text.lower()
    if attribute in _CHECKED and not fits(_CHECKED[attribute], shadow(value), careless=careless):
        return f"not a {attribute}"
    stated = told and fact.how == "stated"
    claim = _built(attribute, value.strip(), subject, fact, message, ground, exchange)
    return replace(claim, confidence=0.85 if stated else 0.5), Origin.TOLD if stated else Origin.INFERRED


def _subject(fact: Fact, exchange: Exchange) -> str:
    plain = fact.subject.strip().casefold()
    mine = plain in _ME or (exchange.name and plain == exchange.name.casefold())
    return "me" if mine else plain if plain in _ASSISTANT else fact.subject.strip()


def _tied(attribute: str, subject: str, value: str, ground: Ground) -> bool:
    """Whether one sentence names both and says how they stand, and they are such as can stand so."""
    said = ground.clauses[0].sentence
    named = normal(subject) in normal(said) and normal(value) in normal(said)
    plain = shadow(said)
    tied = relations.CUES[attribute].search(plain) and not relations.DENIES.search(plain)
    return named and bool(tied) and relations.sound(attribute, subject, value)


def _attribute(fact: Fact, subject: str) -> str:
    plain = fact.attribute.strip().casefold()
    plain = _ALIASES.get(plain, plain)
    if plain in relations.SENTENCES and subject == "me":
        return _OF_MINE.get(plain, "note")
    if plain == "expertise" and fact.value not in LEVELS:
        return "note"
    return plain if plain in MEANINGS else "note"


def _refused(fact: Fact, value: str, ground: Ground) -> str:
    around = f"{ground.quote}\n{ground.said}"
    if guard.MASK in around or any(guard.secrets(words) for words in (around, value, fact.text)):
        return "a secret, or blacked out"
    if any(guard.is_instruction(words) for words in (around, value, fact.text, fact.subject)):
        return "an instruction"
    return "a delicate matter" if guard.is_sensitive(f"{around}\n{value}\n{fact.text}") else ""


def _built(
    attribute: str, value: str, subject: str, fact: Fact, message: Message, ground: Ground, exchange: Exchange
) -> Claim:
    claim = claim_of(attribute, value, ground.clauses[0])
    dated = _dated(attribute, fact, ground, exchange)
    text = _sentence(claim, fact, message, subject)
    if dated and not re.search(r"\d{4}-\d\d", text):
        start = dated.start.astimezone(exchange.zone)
        day = f"{start:%Y-%m-%d %H:%M}" if dated.precision == "time" else f"{start:%Y-%m-%d}"
        day = day[:7] if dated.precision == "month" else day[:4] if dated.precision == "year" else day
        text += f"（{day}）" if claim.language == "zh" else f" ({day})"
    return replace(
        claim, subject=subject, text=text, quote=guard.hidden(ground.quote), importance=fact.importance / 10,
        profile=claim.profile if subject == "me" else "",
        happened_from=dated.start if dated else None, happened_to=dated.end if dated else None,
    )  # fmt: skip


def _sentence(claim: Claim, fact: Fact, message: Message, subject: str) -> str:
    """The model's sentence where it adds nothing to the member's words, else our own."""
    text = " ".join(guard.hidden(fact.text).split())
    sound = text and same_language(text, message.text) and message.share(text) >= 0.6
    whole = normal(claim.value) in normal(text) and (subject == "me" or normal(subject) in normal(text))
    if sound and whole and (claim.attribute in _PLAIN or subject != "me"):
        return text
    if claim.attribute in relations.SENTENCES:
        return relations.sentence(claim.attribute, subject, claim.value, claim.language)
    if subject != "me":
        return f"{subject}：{claim.text}" if claim.language == "zh" else f"{subject}: {claim.text}"
    return claim.text if claim.attribute not in {"note", "expertise"} else fact.quote.strip()


def _dated(attribute: str, fact: Fact, ground: Ground, exchange: Exchange) -> Span | None:
    """When it happens, read by our own calendar from the member's words at the message's time."""
    if attribute not in {"event", "state", "decision", "note"}:
        return None
    said, sentence = shadow(ground.said), shadow(ground.clauses[0].sentence)
    prefer: Literal["past", "future"] = "future" if _AHEAD.search(said) else "past"
    for words in (shadow(fact.when or ""), said, sentence):
        named = spans(words, at=exchange.at, zone=exchange.zone, prefer=prefer) if words else []
        if len(named) > 1 and words is sentence:  # which of them is meant is a guess
            return None
        if named and normal(named[0].text) in normal(sentence):
            return named[0]
    return None


def _unique(claims: Iterable[tuple[Claim, Origin]]) -> tuple[tuple[Claim, Origin], ...]:
    kept: dict[tuple[str, str], tuple[Claim, Origin]] = {}
    for claim, origin in claims:
        kept.setdefault((claim.slot, normal(claim.value)), (claim, origin))
    return tuple(kept.values())
