"""Working memory: the last rounds of a conversation, in Valkey over the turns table, along the visible branch."""

import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import redis
from django.conf import settings
from django.db import connection

from assistant.conversation import folding
from assistant.conversation.folding import Folded, Round
from memory import policy
from memory.mask import masker
from memory.models import Memory
from memory.terms import Status
from profiles.access import Reader

KEY = "kith:window:"
"""A hash for each member, a field for each conversation; so that all of a member's go at once."""
_BRANCH = """
WITH RECURSIVE branch AS (
    SELECT turn.id, turn.parent_id, 1 AS depth, false AS folded
    FROM conversation_turn turn WHERE turn.id = %(parent)s AND turn.state <> 'running'
    UNION ALL
    SELECT turn.id, turn.parent_id, branch.depth + 1, EXISTS (
        SELECT FROM conversation_summary summary WHERE summary.turn_id = turn.id AND NOT EXISTS (
            SELECT FROM memory_memory memory WHERE memory.owner_id = %(owner)s AND memory.status = 'forgotten'
            AND memory.left_at >= summary.at))
    FROM branch JOIN conversation_turn turn ON turn.id = branch.parent_id
    WHERE turn.state <> 'running' AND NOT branch.folded AND branch.depth < %(most)s
)
SELECT turn.id, turn.question, turn.answer, turn.asked_at, branch.folded, summary.text, summary.exact,
    summary.at
FROM branch JOIN conversation_turn turn ON turn.id = branch.id
LEFT JOIN conversation_summary summary ON branch.folded AND summary.turn_id = branch.id
ORDER BY branch.depth
"""


@dataclass(frozen=True, slots=True)
class Window:
    """Rounds word by word, oldest first, and what is left of those before."""

    folded: Folded = field(default_factory=Folded)
    rounds: Sequence[Round] = ()
    read_at: datetime | None = None
    """When what the summary was made of was read; None without a summary."""
    long: bool = False
    """So many rounds were folded on the way that it is worth to keep a summary of them."""


def recent(reader: Reader, conversation: uuid.UUID, *, parent: uuid.UUID | None) -> Window:
    """The rounds that end with the turn `parent`, and what is left of those before, within working memory's limits.

    A stored window counts only if it ends there, so another branch is never shown. What was forgotten is blacked out.
    """
    if parent is None:
        return Window()
    kept = _stored(reader, conversation)
    if kept is None or not kept.rounds or kept.rounds[-1].turn != str(parent) or _outlived(reader, kept):
        kept = read(reader, parent)
        _store(reader, conversation, kept)
    shown = masked(reader, kept)
    many = folding.due(shown.rounds)
    folded = folding.fold(shown.folded, shown.rounds[:many], ZoneInfo(reader.time_zone))
    return Window(folded, shown.rounds[many:], long=folding.due(shown.rounds, late=policy.FOLD_ROUNDS) > 0)


def _outlived(reader: Reader, kept: Window) -> bool:
    """Whether something was forgotten since: a summary may say it in other words, which no mask knows."""
    gone = Memory.objects.filter(owner_id=reader.member, status=Status.FORGOTTEN)
    return kept.read_at is not None and gone.filter(left_at__gte=kept.read_at).exists()


def masked(reader: Reader, kept: Window) -> Window:
    """Without the words of what was forgotten."""
    black = masker(reader)
    folded = Folded(black(kept.folded.text), tuple(map(black, kept.folded.exact)))
    return Window(folded, [replace(one, question=black(one.question), answer=black(one.answer)) for one in kept.rounds])


def drop(member: uuid.UUID) -> None:
    """All windows of a member; the next question reads the table again."""
    with suppress(redis.RedisError):  # without Valkey nothing is stored there
        erase(member)


def erase(member: uuid.UUID) -> None:
    """As `drop`; raises `redis.RedisError` where nobody says that they are gone."""
    _valkey().delete(f"{KEY}{member}")


def read(reader: Reader, parent: uuid.UUID) -> Window:
    """From the tables, back to the last summary of this branch. A turn that still runs ends nothing, so it is left out;
    a summary made before something was forgotten is not used."""
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"parent": parent, "owner": reader.member, "most": policy.FOLDED_MOST}
        cursor.execute(_BRANCH, values)
        rows = cursor.fetchall()
    rounds = [Round(str(turn), question, answer, at) for turn, question, answer, at, folded, *_ in rows if not folded]
    last = next(((Folded(text, tuple(exact)), at) for *_, folded, text, exact, at in rows if folded), (Folded(), None))
    return Window(last[0], rounds[::-1], read_at=last[1])


def _stored(reader: Reader, conversation: uuid.UUID) -> Window | None:
    try:
        found: Any = _valkey().hget(f"{KEY}{reader.member}", str(conversation))
    except redis.RedisError:
        return None
    if not found:
        return None
    kept = json.loads(found)
    rounds = [Round(turn, asked, said, datetime.fromisoformat(at)) for turn, asked, said, at in kept["rounds"]]
    read_at = datetime.fromisoformat(kept["read_at"]) if kept["read_at"] else None
    return Window(Folded(kept["text"], tuple(kept["exact"])), rounds, read_at=read_at)


def _store(reader: Reader, conversation: uuid.UUID, kept: Window) -> None:
    key = f"{KEY}{reader.member}"
    rounds = [[one.turn, one.question, one.answer, one.at.isoformat()] for one in kept.rounds[-policy.FOLDED_MOST :]]
    read_at = kept.read_at.isoformat() if kept.read_at else None
    body = {"text": kept.folded.text, "exact": kept.folded.exact, "rounds": rounds, "read_at": read_at}
    try:
        _valkey().hset(key, str(conversation), json.dumps(body))
        _valkey().expire(key, policy.WINDOW_SECONDS)
    except redis.RedisError:
        return  # the table is enough


def follow(reader: Reader, conversation: uuid.UUID, ended: Round, *, parent: uuid.UUID | None) -> None:
    """One more round has ended: a stored window that ends with `parent` goes on with it."""
    kept = _stored(reader, conversation) if parent else Window()
    if parent is None or (kept and kept.rounds and kept.rounds[-1].turn == str(parent)):
        assert kept is not None
        _store(reader, conversation, replace(kept, rounds=[*kept.rounds, ended]))


def forget(reader: Reader, conversation: uuid.UUID) -> None:
    """The window of one conversation; the next question reads the tables again."""
    try:
        _valkey().hdel(f"{KEY}{reader.member}", str(conversation))
    except redis.RedisError:
        return


@cache
def _valkey() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, decode_responses=True)
