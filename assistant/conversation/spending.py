"""What the model may take for one member in a day: counted before it is asked, what is being answered right now too."""

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from assistant.conversation.frames import Refusal
from assistant.conversation.models import State
from assistant.conversation.running import Running
from assistant.llm import chat
from memory import policy
from profiles.access import Reader

_ONE_BY_ONE = "SELECT pg_advisory_xact_lock(hashtextextended('spending ' || %s::text, 0))"
_TOOK = """COALESCE((
    SELECT sum((took->>'input')::float8 + (took->>'output')::float8)
    FROM unnest(ARRAY[usage, usage->'remembering', usage->'folding']) AS took
), 0)"""
_SPENT = f"""
SELECT COALESCE(sum(CASE WHEN state = %(running)s THEN %(turn)s ELSE {_TOOK} END), 0) + COALESCE((
    SELECT sum(tokens) FROM conversation_spent WHERE owner_id = %(owner)s AND at > %(since)s
), 0) FROM conversation_turn WHERE owner_id = %(owner)s AND asked_at > %(since)s
"""  # noqa: S608 constants
_KEEP = f"""
WITH over AS (DELETE FROM conversation_spent WHERE owner_id = %(owner)s AND at <= %(since)s)
INSERT INTO conversation_spent (owner_id, community_id, at, tokens)
SELECT owner_id, community_id, asked_at, {_TOOK} FROM conversation_turn
WHERE conversation_id = %(talk)s AND owner_id = %(owner)s AND asked_at > %(since)s
"""  # noqa: S608 constants


def keep(reader: Reader, conversation: uuid.UUID) -> None:
    """A conversation is about to go: what its turns of the last day took still counts."""
    with connection.cursor() as cursor:
        since = timezone.now() - timedelta(days=1)
        cursor.execute(_KEEP, {"owner": reader.member, "since": since, "talk": conversation})


def within_budget(running: Running) -> None:
    """Raises `Refusal` where the turn that has just begun may take more than its member has left of 24 hours.

    Tokens in and out are counted, as the endpoint reported them: of answers, of reading what was said, of folding.
    A turn that is being answered counts as `policy.TURN_TOKENS`. Members are counted one question at a time.
    """
    if not settings.LLM_TOKENS_A_DAY or not chat.configured():
        return
    values: dict[str, Any] = {
        "running": str(State.RUNNING), "turn": policy.TURN_TOKENS, "owner": running.reader.member,
        "since": running.asked_at - timedelta(days=1),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_ONE_BY_ONE, [running.reader.member])
        cursor.execute(_SPENT, values)
        (spent,) = cursor.fetchone()
    if spent > settings.LLM_TOKENS_A_DAY:
        raise Refusal("budget_exceeded", "the model was asked for as much as one member may in a day")
