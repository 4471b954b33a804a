"""What the model may take for one member in a day: counted before it is asked, what is being answered right now too."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from assistant.conversation.frames import Refusal
from assistant.conversation.models import State
from assistant.conversation.running import Running
from assistant.llm import chat
from memory import policy

_ONE_BY_ONE = "SELECT pg_advisory_xact_lock(hashtextextended('spending ' || %s::text, 0))"
_SPENT = """
SELECT COALESCE(sum(CASE WHEN state = %(running)s THEN %(turn)s ELSE (
    SELECT sum((took->>'input')::float8 + (took->>'output')::float8)
    FROM unnest(ARRAY[usage, usage->'remembering', usage->'folding']) AS took
) END), 0) FROM conversation_turn WHERE owner_id = %(owner)s AND asked_at > %(since)s
"""


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
