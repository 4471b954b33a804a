"""Stored frames → what a socket is sent; the texts of memories are joined here, so a forgotten one says nothing."""

import uuid
from typing import Any

from assistant.conversation.models import Frame
from assistant.conversation.running import shaped
from memory.models import Episode, Memory, Passage
from memory.terms import Status
from profiles.access import Reader, scoped


def after(reader: Reader, conversation: uuid.UUID, seq: int) -> list[dict[str, Any]]:
    """All frames behind `seq`, in order, in the contract's shape."""
    with scoped(reader):
        rows = list(Frame.objects.filter(conversation_id=conversation, seq__gt=seq).order_by("seq"))
        texts = _texts([row.body for row in rows])
        return [shaped(row.body, texts, row.seq) for row in rows]


def _texts(bodies: list[dict[str, Any]]) -> dict[str, str]:
    wanted = {item["id"] for body in bodies for item in body.get("memories", ())}
    wanted |= {item["turn"] or item["source"] for body in bodies for item in body.get("asked_before", ())}
    if not wanted:
        return {}
    memories = Memory.objects.filter(id__in=wanted).exclude(status=Status.FORGOTTEN)
    episodes = Episode.objects.filter(turn__in=wanted, masked=False)
    found = {str(row.id): row.text for row in memories} | {
        str(key): title for key, title in Passage.objects.filter(id__in=wanted).values_list("id", "title")
    }
    return found | {str(row.turn): row.question for row in episodes}
