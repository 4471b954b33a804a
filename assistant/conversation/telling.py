"""A conversation from elsewhere, through the whole write path: each of the member's messages becomes a past turn.

The ids follow from the member and the words, so that the same conversation again adds nothing; a longer one goes on.
"""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from asgiref.sync import async_to_sync

from assistant.conversation import remembering
from assistant.conversation.models import Conversation, State, Turn
from assistant.conversation.remembering import Failure, Job
from memory import policy
from memory.extraction import guard
from memory.ledger import Said
from memory.models import Episode, Memory, Version
from memory.remember import notice
from memory.retrieval.text import terms
from profiles import learn
from profiles.access import Reader, scoped

TITLE = 60
"""Characters of the first message that become the title."""
_SPACE = uuid.UUID("5f0d5a6e-0c0b-4f5e-9d59-5b1c3a0c7d11")


class BadLine(Exception):
    """A line that is not of the shape `{"role", "text", "at"}`; the text is one sentence."""


@dataclass(slots=True)
class Message:
    """What the member said, and the answer that followed; `at` has a zone."""

    text: str
    at: datetime
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The messages of one conversation, oldest first; `partial`: something was too long and is left out."""

    messages: tuple[Message, ...]
    partial: bool = False


@dataclass(slots=True)
class Told:
    """What came of it: memories by what was done to them, messages that said nothing new, turns that no model read."""

    added: list[Memory] = field(default_factory=list)
    changed: list[Memory] = field(default_factory=list)
    ended: list[Memory] = field(default_factory=list)
    flagged: list[Memory] = field(default_factory=list)
    skipped: int = 0
    unread: int = 0
    partial: bool = False


def read(lines: Iterable[str], reader: Reader) -> Script:
    """Lines of JSON → messages; what is said by anybody but the member is only context. Raises `BadLine`."""
    messages: list[Message] = []
    partial, total, last = False, 0, None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        role, text, at = _line(number, line, reader, last)
        last = at
        if role == "assistant":
            if messages and not messages[-1].answer:
                messages[-1].answer = text[: policy.TELL_LIMIT]
            continue
        room = max(0, min(policy.TELL_LIMIT, policy.TELL_ALL - total))
        if len(messages) == policy.TELL_MESSAGES or not room:
            partial = True
            break
        partial |= len(text) > room
        total += min(room, len(text))
        if text.strip():
            messages.append(Message(text[:room], at))
    return Script(tuple(messages), partial)


def _line(number: int, line: str, reader: Reader, last: datetime | None) -> tuple[str, str, datetime]:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise BadLine(f"Line {number} is no JSON.") from problem
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        raise BadLine(f"Line {number} is not of the shape role, text, at.")
    if found.get("role") not in ("user", "assistant"):
        raise BadLine(f"Line {number}: the role is user or assistant.")
    text = found["text"].replace("\x00", " ").encode("utf-8", "replace").decode()
    return found["role"], text, _moment(number, found.get("at"), reader, last)


def _moment(number: int, at: Any, reader: Reader, last: datetime | None) -> datetime:
    """Without a zone it is meant in the member's own; without a time it is the one of the line before."""
    if at is None and last is not None:
        return last
    try:
        moment = datetime.fromisoformat(at)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(reader.time_zone))
        return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as problem:
        raise BadLine(f"Line {number}: “at” is no date and time.") from problem


def tell(reader: Reader, script: Script, progress: Callable[[int, int], None] = lambda done, of: None) -> Told:
    """Write the conversation; a model, where one is configured, reads some messages at a time, outside of any
    transaction, and what it says is written in the order in which the messages were said."""
    told = Told(partial=script.partial)
    if not script.messages:
        return told
    first = script.messages[0]
    talk = uuid.uuid5(_SPACE, f"{reader.member}|{first.at.isoformat()}|{first.text}")
    new: list[uuid.UUID] = []
    jobs: list[Job] = []
    parent: uuid.UUID | None = None
    at = first.at
    for number, message in enumerate(script.messages, 1):
        at = max(message.at, at + timedelta(microseconds=1)) if parent else at  # in the order in which they stand
        turn = uuid.uuid5(talk, f"{number}|{message.at.isoformat()}|{message.text}")
        job, fresh = _turn(reader, talk, turn, parent, replace(message, at=at))
        parent = turn
        new += [turn] if fresh else []
        told.partial |= job is not None and len(job.exchange.message) > policy.EXTRACT_LIMIT
        jobs += [job] if job else []
        if jobs and (len(jobs) == policy.EXTRACT_AT_ONCE or number == len(script.messages)):
            told.unread += _read(jobs)
            jobs = []
        if number % 10 == 0 or number == len(script.messages):
            progress(number, len(script.messages))
    with scoped(reader):
        _report(reader, told, new)
    told.skipped += len(script.messages) - len(new)
    return told


def _turn(
    reader: Reader, talk: uuid.UUID, turn: uuid.UUID, parent: uuid.UUID | None, message: Message
) -> tuple[Job | None, bool]:  # fmt: skip
    """One message: its rows, what rules notice in it, and the job for the model; (None, False) if it was told before.

    The background worker never sees the turn waiting: it is taken in the transaction that makes it.
    """
    with scoped(reader):
        question = guard.redact(message.text)
        title = " ".join(question.split())[:TITLE]
        row, created = Conversation.objects.get_or_create(
            id=talk, defaults={"owner_id": reader.member, "community_id": reader.community, "title": title}
        )
        if Turn.objects.filter(id=turn).exists():
            return None, False
        ended = message.at + timedelta(seconds=1)
        made = Turn.objects.create(
            id=turn, conversation=row, owner_id=reader.member, community_id=reader.community, client_id=turn,
            parent_id=parent, question=question, answer=message.answer, state=State.ANSWERED, runner=uuid.uuid4(),
            alive_at=ended, ended_at=ended, usage={"input": 0, "output": 0, "cost": 0},
        )  # fmt: skip
        Turn.objects.filter(id=turn).update(asked_at=message.at)
        dates = {"updated_at": ended} | ({"created_at": message.at} if created else {})
        Conversation.objects.filter(id=talk).update(**dates)
        profile = learn.profile_of(reader)
        notice(reader, profile, question, Said(turn, talk, message.at))
        learn.count(profile, message.at)
        Episode.objects.create(
            turn=made.id, conversation=talk, owner_id=reader.member, community_id=reader.community, question=question,
            answer=message.answer, terms=terms(question), at=ended,
        )  # fmt: skip
        return remembering.begin(reader, turn), True


def _read(jobs: Sequence[Job]) -> int:
    """Ask the model, write what it read; returns how many turns it could not read (the worker tries them again)."""
    found = async_to_sync(remembering.read)(jobs)
    done = [remembering.finish(job, one) for job, one in zip(jobs, found, strict=True)]
    return sum(isinstance(one, Failure) or not ok for one, ok in zip(found, done, strict=True))


def _report(reader: Reader, told: Told, new: Sequence[uuid.UUID]) -> None:
    """By the versions that these turns wrote; each memory once in a list, as it stands now."""
    places = {
        "added": told.added, "superseded": told.added, "confirmed": told.changed, "restored": told.changed,
        "ended": told.ended, "forgotten": told.ended, "flagged": told.flagged,
    }  # fmt: skip
    wrote = set()
    versions = Version.objects.filter(owner_id=reader.member, turn__in=new).select_related("memory")
    for version in versions.order_by("at", "id"):
        wrote.add(version.turn)
        place = places.get(version.action, told.changed)
        if version.memory not in place:
            place.append(version.memory)
    told.skipped += sum(turn not in wrote for turn in new)

