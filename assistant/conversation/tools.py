"""What a model may do while it answers: write its notes on the member, keep and search memories, search past talks.

Each call is checked before anything is written, runs as the assistant for this one member, and comes back with what was
done or with a sentence by which the model can do better.
"""

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from django.db import DatabaseError, transaction
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.conversation import branches, regions
from assistant.conversation.running import Running, append
from assistant.llm import embedding, together
from assistant.llm.chat import Call
from memory import audit, blocks, keys, policy, reading, talks
from memory import recall as recalling
from memory.extraction.extract import ATTRIBUTES, Exchange, Extracted, check
from memory.ledger import Said
from memory.terms import Kind, Scope
from memory.vectors import Meaning
from profiles import learn
from profiles.access import Reader, scoped

log = logging.getLogger(__name__)
NOTES = (Scope.PERSONAL, Kind.SEMANTIC)
SEARCH = "archival_memory_search"
LAST = date(9990, 1, 1)
_WRITE = frozenset({"memory_insert", "memory_replace", "memory_rethink", "archival_memory_insert"})
Short = Annotated[str, Field(max_length=policy.BLOCK_LIMIT * 2)]


class _Tool(BaseModel):
    model_config = ConfigDict(extra="forbid")
    request_heartbeat: bool = Field(False, description="Go on after this, although something was said already.")


class _OnBlock(_Tool):
    label: Literal["human"] = Field("human", description="The block: your notes on the member.")


class MemoryInsert(_OnBlock):
    """Add a line to your notes on the member, which you always see."""

    text: Short


class MemoryReplace(_OnBlock):
    """Replace words of your notes; `old` must stand there exactly once, an empty `new` takes it out."""

    old: Short
    new: Short


class MemoryRethink(_OnBlock):
    """Rewrite your notes on the member as a whole."""

    text: Short


class ArchivalMemoryInsert(_Tool):
    """Keep one fact that the member has just said. `quote`: the member's own words, exactly."""

    quote: Annotated[str, Field(min_length=1, max_length=600)]
    value: Annotated[str, Field(min_length=1, max_length=300)]
    attribute: Annotated[str, Field(json_schema_extra={"enum": list(ATTRIBUTES)})] = "note"
    text: Annotated[str, Field(max_length=400)] = ""


class ArchivalMemorySearch(_Tool):
    """Search what is kept about the member and what the community shares."""

    query: Annotated[str, Field(min_length=1, max_length=400)]


class ConversationSearch(_Tool):
    """Search past talks with the member by words, by dates (both inclusive), or by both."""

    query: Annotated[str, Field(max_length=400)] = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one call."""

    name: str
    ok: bool
    outcome: dict[str, Any] = field(default_factory=dict)
    heartbeat: bool = False

    def told(self) -> dict[str, Any]:
        """For the model."""
        return {"ok": self.ok, **self.outcome}

    def step(self) -> dict[str, Any]:
        """For the turn's record: no word of it."""
        return {"tool": self.name, "ok": self.ok, "found": len(self.outcome.get("found", ()))}


def offered(running: Running) -> list[dict[str, Any]]:
    """The tools that this turn's assistant may use, as a request describes them."""
    reader = running.acting
    if not running.recalls:
        return []
    may = {
        "memory_insert": reader.may_write(*NOTES) and reader.may_read(*NOTES),
        SEARCH: bool(reader.agent is None or reader.agent.reads),
        "conversation_search": reader.may_read(Scope.PERSONAL, Kind.EPISODIC),
    }
    may |= dict.fromkeys(("memory_replace", "memory_rethink", "archival_memory_insert"), may["memory_insert"])
    return [_described(name, shape) for name, (shape, _) in _TOOLS.items() if may[name]]


async def meanings(calls: Sequence[Call]) -> dict[str, Meaning]:
    """The vectors of what is to be searched for, by its words; without the embedder words alone find."""
    found = {}
    for call in [call for call in calls if call.name == SEARCH]:
        with suppress(ValueError, RecursionError, embedding.Unavailable):
            words = ArchivalMemorySearch.model_validate_json(call.arguments).query
            found[words] = await together.query(words)
    return found


def run(running: Running, calls: Sequence[Call]) -> list[Result]:
    """Do them in their order, in one unit of work; one that is refused changes nothing and stops no other."""
    names = {tool["function"]["name"] for tool in offered(running)}
    unknown = Result("unknown", False, _no_such(names), heartbeat=True)
    with scoped(running.acting):
        if any(call.name in _WRITE for call in calls):
            audit.hold(running.acting.community)  # before any row
        results = [_one(running, call) if call.name in names else unknown for call in calls]
    running.steps += [result.step() for result in results]
    return results


def _one(running: Running, call: Call) -> Result:
    shape, work = _TOOLS[call.name]
    try:
        if len(call.arguments) > policy.TOOL_CHARACTERS:
            raise blocks.Refused(f"The arguments have more than {policy.TOOL_CHARACTERS} characters.")
        asked = shape.model_validate(json.loads(call.arguments or "{}", parse_constant=_refused))
        with transaction.atomic():
            outcome = work(running, running.acting, asked)
    except ValidationError as problem:
        return _not_done(call, "; ".join(_where(error) for error in problem.errors()[:3]))
    except (blocks.Refused, reading.Unkept) as refused:
        return _not_done(call, str(refused))
    except (ValueError, OverflowError, RecursionError):
        return _not_done(call, "The arguments are no JSON object, or out of range.")
    except (DatabaseError, OSError, keys.Unopened):
        log.warning("a tool could not be used: %s", call.name, exc_info=True)
        return _not_done(call, "It can't be done now.")
    return Result(call.name, True, outcome, asked.request_heartbeat or call.name not in _WRITE)


def _not_done(call: Call, why: str) -> Result:
    """It changed nothing; the model may do better, or say so."""
    return Result(call.name, False, {"error": why}, heartbeat=True)


def _insert(running: Running, reader: Reader, asked: MemoryInsert) -> dict[str, Any]:
    return {"block": blocks.insert(reader, asked.text, turn=running.turn).text}


def _replace(running: Running, reader: Reader, asked: MemoryReplace) -> dict[str, Any]:
    return {"block": blocks.replace(reader, asked.old, asked.new, turn=running.turn).text}


def _rethink(running: Running, reader: Reader, asked: MemoryRethink) -> dict[str, Any]:
    return {"block": blocks.rethink(reader, asked.text, turn=running.turn).text}


def _keep(running: Running, reader: Reader, asked: ArchivalMemoryInsert) -> dict[str, Any]:
    exchange = Exchange(running.question, "", running.asked_at, ZoneInfo(reader.time_zone), running.name)
    claim = check(asked.model_dump(exclude={"request_heartbeat"}), exchange)
    if isinstance(claim, str):
        raise reading.Unkept(f"Not kept: {claim}.")
    profile = learn.profile_of(reader)
    said = Said(running.turn, running.conversation, running.asked_at)
    changes = reading.learn(reader, profile, Extracted((claim,), f"tool {running.model}"[:120]), said)
    profile.save()
    if changes:
        texts = {str(change.memory.id): change.memory.text for change in changes}
        append(running, texts, type="noticed",
               memories=[{"id": str(change.memory.id), "change": str(change.id)} for change in changes])  # fmt: skip
    return {"kept": [change.memory.text for change in changes], "note": "" if changes else "It was known already."}


def _search(running: Running, reader: Reader, asked: ArchivalMemorySearch) -> dict[str, Any]:
    """Finds get markers of their own, so that the answer can cite them as what was in its context."""
    assert running.context is not None
    found = recalling.recall(reader, asked.query, meaning=running.near.get(asked.query), but=running.turn)
    found = branches.without_others(found, running.conversation, running.parent)
    memories = (found.memories + found.episodes)[: policy.TOOL_FINDS]
    hits = (*memories, *found.knowledge[: policy.PASSAGES])
    markers = running.context.markers
    lines = []
    for hit in hits:
        letter = "k" if hit.what == "knowledge" else "m"
        if hit.id not in markers:
            taken = [int(marker[1:]) for marker in markers.values() if marker[0] == letter]
            markers[hit.id] = f"{letter}{max(taken, default=0) + 1}"
        lines.append(f"[{markers[hit.id]}] {regions.line_of(hit)}")
    kept = recalling.Found(memories=tuple(hit for hit in memories if hit.what == "memory"),
                           episodes=tuple(hit for hit in memories if hit.what == "episode"),
                           knowledge=tuple(hit for hit in hits if hit.what == "knowledge"))  # fmt: skip
    recalling.record(reader, running.turn, kept, markers)
    return {"found": lines, "note": "Background that may be relevant; cite by repeating the marker."}


def _talks(running: Running, reader: Reader, asked: ConversationSearch) -> dict[str, Any]:
    zone = ZoneInfo(reader.time_zone)
    since = datetime.combine(asked.since, time(), zone) if asked.since else None
    until = datetime.combine(min(asked.until, LAST), time(), zone) + timedelta(days=1) if asked.until else None
    if not asked.query.strip() and since is None and until is None:
        raise blocks.Refused("Give words, dates, or both.")
    found = talks.search(reader, asked.query, since=since, until=until, most=policy.TOOL_FINDS)
    aside = branches.others(running.conversation, running.parent, [talk.turn for talk in found]) | {running.turn}
    lines = [
        f"{talk.at.astimezone(zone):%Y-%m-%d} member: {regions.safe(talk.question)[:400]}"
        f" / assistant: {regions.safe(talk.answer)[:400]}"
        for talk in found if talk.turn not in aside
    ]  # fmt: skip
    return {"found": lines, "note": "What was said then; it may be true no longer."}


_TOOLS: dict[str, tuple[type[_Tool], Callable[[Running, Reader, Any], dict[str, Any]]]] = {
    "memory_insert": (MemoryInsert, _insert),
    "memory_replace": (MemoryReplace, _replace),
    "memory_rethink": (MemoryRethink, _rethink),
    "archival_memory_insert": (ArchivalMemoryInsert, _keep),
    SEARCH: (ArchivalMemorySearch, _search),
    "conversation_search": (ConversationSearch, _talks),
}


@cache  # building it takes as long as all of a turn's statements
def _described(name: str, shape: type[_Tool]) -> dict[str, Any]:
    parameters = shape.model_json_schema()
    about = " ".join(str(parameters.pop("description")).split())
    parameters.pop("title", None)
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def _no_such(names: set[str]) -> dict[str, Any]:
    return {"error": f"There is no such tool; there are: {', '.join(sorted(names)) or 'none'}."}


def _where(error: Any) -> str:
    """Field and fault, without the value."""
    return f"{'.'.join(str(part) for part in error['loc']) or 'arguments'}: {error['msg']}"


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
