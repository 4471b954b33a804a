"""Working memory: the last rounds of a conversation, in Valkey over the turns table, along the visible branch."""

import json
import uuid
from functools import cache
from typing import Any

import redis
from django.conf import settings

from assistant.conversation.models import State, Turn
from memory import policy
from memory.mask import masker
from profiles.access import Reader

KEY = "kith:window:"
"""A hash for each member, a field for each conversation; so that all of a member's go at once."""
Round = list[str]


def visible(conversation: uuid.UUID) -> list[Turn]:
    """The newest branch, oldest turn first: what the page shows is what the context holds."""
    turns = {turn.id: turn for turn in Turn.objects.filter(conversation_id=conversation)}
    if not turns:
        return []
    branch: list[Turn] = []
    current: Turn | None = max(turns.values(), key=lambda turn: (turn.asked_at, turn.id))
    while current is not None:
        branch.insert(0, current)
        current = turns.get(current.parent_id) if current.parent_id else None
    return branch


def rounds(reader: Reader, conversation: uuid.UUID, *, parent: uuid.UUID | None) -> list[tuple[str, str]]:
    """Question and answer of the last rounds that end with the turn `parent`, oldest first.

    A stored window counts only if it ends there, so another branch is never shown. What was forgotten is blacked out.
    """
    if parent is None:
        return []
    kept = _stored(reader, conversation)
    if not kept or kept[-1][0] != str(parent):
        kept = _read(conversation, parent)
        _store(reader, conversation, kept)
    masked = masker(reader)
    return [(masked(question), masked(answer)) for _, question, answer in kept]


def drop(member: uuid.UUID) -> None:
    """All windows of a member; the next question reads the table again."""
    try:
        _valkey().delete(f"{KEY}{member}")
    except redis.RedisError:
        return  # without Valkey nothing is stored there


def _read(conversation: uuid.UUID, parent: uuid.UUID) -> list[Round]:
    """From the table; a turn that still runs ends nothing, so it is left out."""
    turns = {turn.id: turn for turn in Turn.objects.filter(conversation_id=conversation).exclude(state=State.RUNNING)}
    found: list[Round] = []
    current = turns.get(parent)
    while current is not None and len(found) < policy.WINDOW_ROUNDS:
        found.insert(0, [str(current.id), current.question, current.answer])
        current = turns.get(current.parent_id) if current.parent_id else None
    return found


def _stored(reader: Reader, conversation: uuid.UUID) -> list[Round]:
    try:
        found: Any = _valkey().hget(f"{KEY}{reader.member}", str(conversation))
    except redis.RedisError:
        return []
    rows: list[Round] = json.loads(found) if found else []
    return rows


def _store(reader: Reader, conversation: uuid.UUID, rows: list[Round]) -> None:
    key = f"{KEY}{reader.member}"
    try:
        _valkey().hset(key, str(conversation), json.dumps(rows))
        _valkey().expire(key, policy.WINDOW_SECONDS)
    except redis.RedisError:
        return  # the table is enough


def follow(reader: Reader, conversation: uuid.UUID, ended: Round, *, parent: uuid.UUID | None) -> None:
    """One more round has ended (turn, question, answer): a stored window that ends with `parent` goes on with it."""
    kept = _stored(reader, conversation) if parent else []
    if parent is None or (kept and kept[-1][0] == str(parent)):
        _store(reader, conversation, [*kept, ended][-policy.WINDOW_ROUNDS :])


@cache
def _valkey() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, decode_responses=True)
