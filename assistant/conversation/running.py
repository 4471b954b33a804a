"""A turn that is being answered: its value, and the rows that it writes."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from assistant.conversation.models import Assistant, Conversation, State, Turn
from assistant.conversation.regions import Context
from assistant.llm import chat
from memory import policy
from memory.recall import Found, Hit
from memory.remember import Noticed
from memory.repeated import Before
from memory.vectors import Meaning
from profiles.access import Reader

_APPEND = """
WITH next AS (
    UPDATE conversation_conversation SET seq = seq + 1, updated_at = clock_timestamp() WHERE id = %(talk)s RETURNING seq
)
INSERT INTO conversation_frame (conversation_id, owner_id, community_id, turn_id, seq, body)
SELECT %(talk)s, %(owner)s, %(community)s, %(turn)s, seq, %(body)s::jsonb FROM next RETURNING seq
"""
_KNOWN = """
SELECT id, owner_id, community_id, memory, assistant_id FROM conversation_conversation WHERE id = %s FOR UPDATE
"""
_TALK = """
INSERT INTO conversation_conversation (
    id, owner_id, community_id, title, memory, assistant_id, seq, created_at, updated_at
)
VALUES (
    %(talk)s, %(owner)s, %(community)s, %(title)s, %(memory)s, COALESCE(%(assistant)s, (
        SELECT id FROM conversation_assistant own WHERE community_id = %(community)s AND is_default AND active AND (
            NOT EXISTS (SELECT FROM conversation_assistant_spaces WHERE assistant_id = own.id) OR EXISTS (
                SELECT FROM conversation_assistant_spaces WHERE assistant_id = own.id AND kith_in_space(space_id)
            )
        )
    )), 0, clock_timestamp(), clock_timestamp()
)
ON CONFLICT DO NOTHING RETURNING assistant_id
"""
_REGIONS = """
UPDATE conversation_turn SET regions = %s::jsonb, recall_ms = %s, alive_at = clock_timestamp() WHERE id = %s
"""
_END = """
UPDATE conversation_turn SET state = %s, answer = %s, ended_at = %s, usage = %s::jsonb, steps = %s::jsonb,
    author_id = %s
WHERE id = %s AND runner = %s AND state = %s
"""
_BEGIN = """
INSERT INTO conversation_turn (
    id, conversation_id, owner_id, community_id, client_id, parent_id, question, answer, state, runner, alive_at,
    asked_at, regions, usage, remembered_at, remember_attempts, remember_error, steps, held_out
)
SELECT %(turn)s, %(talk)s, %(owner)s, %(community)s, %(client)s, %(parent)s, %(question)s, '', %(state)s, %(runner)s,
    clock_timestamp(), %(now)s, '[]', '{}', %(remembered)s, 0, '', '[]', %(held_out)s
WHERE %(most)s > (SELECT count(*) FROM conversation_turn WHERE owner_id = %(owner)s AND asked_at > %(minute)s)
    + (SELECT count(*) FROM conversation_spent WHERE owner_id = %(owner)s AND at > %(minute)s)
ON CONFLICT DO NOTHING RETURNING id
"""


@dataclass(slots=True)
class Running:
    """A turn that is being answered here."""

    reader: Reader
    conversation: uuid.UUID
    turn: uuid.UUID
    client_id: uuid.UUID
    runner: uuid.UUID
    question: str
    memory: bool
    created: bool = True
    parent: uuid.UUID | None = None
    noticed: Noticed = field(default_factory=Noticed)
    context: Context | None = None
    found: Found = field(default_factory=Found)
    before: Before | None = None
    """When it was asked before, and answered: the answer may be short."""
    answered: Hit | None = None
    """The shared knowledge that answers this very question."""
    again: bool = False
    """The same question at the same place, for another answer: in full."""
    assistant: Assistant | None = None
    waits: bool = False
    """For a person to answer: the assistant does not."""
    author: uuid.UUID | None = None
    """The person who answered; empty: the assistant."""
    acting_as: Reader | None = None
    """The reader as the assistant sees for them; empty: as they are."""
    near: dict[str, Meaning] = field(default_factory=dict)
    """Vectors of what the model is about to search for, by its words."""
    steps: list[dict[str, Any]] = field(default_factory=list)
    asked_at: datetime = field(default_factory=timezone.now)
    recall_ms: int = 0
    profile: str = ""
    name: str = ""
    known: tuple[str, ...] = ()
    pieces: list[str] = field(default_factory=list)
    written: int = 0
    """Characters of the answer that stand in frames for sure."""
    wordings: tuple[str, ...] = ()
    """Other wordings of the question, by a model, for recall alone."""
    usage: chat.Usage = field(default_factory=chat.Usage)
    rewriting: chat.Usage = field(default_factory=chat.Usage)
    """What these wordings took."""
    fresh: list[dict[str, Any]] = field(default_factory=list)
    """Frames of the last unit of work, for the sockets that follow here."""

    @property
    def acting(self) -> Reader:
        """Whose eyes recall and tools look with."""
        return self.acting_as or self.reader

    @property
    def recalls(self) -> bool:
        """Whether the answer may use what is remembered of the member."""
        return self.memory and not self.reader.held_out

    @property
    def open_state(self) -> State:
        """What the turn is until it ends."""
        return State.WAITING_HUMAN if self.waits else State.RUNNING

    @property
    def told(self) -> dict[str, str]:
        """What its acceptance says beside: nothing, unless a person is to answer."""
        return {"state": str(State.WAITING_HUMAN)} if self.waits else {}

    @property
    def model(self) -> str:
        """The model that answers here."""
        return (self.assistant.model if self.assistant else "") or str(settings.LLM_MODEL)

    def take(self) -> list[dict[str, Any]]:
        """The fresh frames, once."""
        found, self.fresh = self.fresh, []
        return found


def known(conversation: uuid.UUID) -> Conversation | None:
    """The conversation of that id, locked; None where the reader has none."""
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, [conversation])
        row = cursor.fetchone()
    if row is None:
        return None
    talk, owner, community, memory, assistant = row
    return Conversation(id=talk, owner_id=owner, community_id=community, memory=memory, assistant_id=assistant)


def begun(talk: Conversation) -> bool:
    """Save a conversation, with the default assistant if it names none; False where there is one with its id."""
    values: dict[str, Any] = {
        "talk": talk.id, "owner": talk.owner_id, "community": talk.community_id, "title": talk.title,
        "memory": talk.memory, "assistant": talk.assistant_id,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_TALK, values)
        row = cursor.fetchone()
    if row is not None:
        talk.assistant_id = row[0]
    return row is not None


def begin(running: Running, *, read: bool) -> bool:
    """Save the question; False where this client id was used before, an answer is being written, or too many questions
    were asked in a minute. `read`: whether the background path has nothing to do with it."""
    values: dict[str, Any] = {
        "turn": running.turn, "talk": running.conversation, "owner": running.reader.member,
        "community": running.reader.community, "client": running.client_id, "parent": running.parent,
        "question": running.question, "state": str(running.open_state), "runner": running.runner,
        "now": running.asked_at,
        "remembered": running.asked_at if read else None, "most": policy.ASKS_A_MINUTE,
        "minute": running.asked_at - timedelta(minutes=1), "held_out": running.memory and running.reader.held_out,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, values)
        return cursor.fetchone() is not None


def end(running: Running, state: State, text: str, at: datetime, usage: dict[str, float]) -> bool:
    """Write how the turn ended; False where it is ours no more."""
    values: list[Any] = [str(state), text, at, json.dumps(usage), json.dumps(running.steps), running.author,
                         running.turn, running.runner, str(running.open_state)]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_END, values)
        return bool(cursor.rowcount == 1)


def append(running: Running, texts: Mapping[str, str] | None = None, **body: Any) -> None:
    """One frame with the conversation's next `seq`; the row lock on the conversation keeps it gapless.

    `texts`: what its memories and earlier questions say, by id: sent, and not kept in it.
    """
    frame = {"turn": str(running.turn), **body}
    values: dict[str, str | uuid.UUID] = {
        "talk": running.conversation, "owner": running.reader.member, "community": running.reader.community,
        "turn": running.turn, "body": json.dumps(frame),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, values)
        row = cursor.fetchone()
    if row is not None:
        running.fresh.append(shaped(frame, texts or {}, row[0]))


def shaped(body: dict[str, Any], texts: Mapping[str, str], seq: int) -> dict[str, Any]:
    """A stored frame in the contract's shape; what has no text any more says nothing."""
    sent = body | {"seq": seq}
    if "memories" in body:
        sent["memories"] = [
            {key: value for key, value in item.items() if key != "what"} | {"text": texts.get(item["id"], "")}
            for item in body["memories"]
        ]
    if "asked_before" in body:
        said = [(item, texts.get(item["turn"] or item.get("source"), "")) for item in body["asked_before"]]
        sent["asked_before"] = [item | {"text": text} for item, text in said if text]
    return sent


def times(asked: Sequence[Hit], answered: Hit | None) -> list[dict[str, Any]]:
    """When this was asked before, for `asked_before` of a frame: by the member, or by the community, whose question and
    answer stand in the shared knowledge, as `source`."""
    own = [{"turn": str(hit.id), "at": hit.at.isoformat(), "by": "me"} for hit in asked]
    if answered is None:
        return own
    return [*own, {"turn": None, "source": str(answered.id), "at": answered.at.isoformat(), "by": "community"}]


def hold(running: Running) -> None:
    """The conversation's row before the turn's, as whoever asks the next question takes them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM conversation_conversation WHERE id = %s FOR UPDATE", [running.conversation])


def keep_regions(running: Running, regions: list[dict[str, Any]]) -> None:
    """What the answer is made from; a sign of life too."""
    with connection.cursor() as cursor:
        cursor.execute(_REGIONS, [json.dumps(regions), running.recall_ms, running.turn])


def still_ours(running: Running) -> bool:
    """A sign of life; False where the turn was ended elsewhere."""
    ours = Turn.objects.filter(id=running.turn, runner=running.runner, state=State.RUNNING)
    return bool(ours.update(alive_at=Now()))
