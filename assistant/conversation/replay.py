"""Stored frames → what a socket is sent; the texts of memories are joined here, so a forgotten one says nothing."""

import uuid
from typing import Any

from assistant.conversation.models import Frame
from memory.models import Episode, Memory
from memory.terms import Status
from profiles.access import Reader, scoped


def after(reader: Reader, conversation: uuid.UUID, seq: int) -> list[dict[str, Any]]:
    """All frames behind `seq`, in order, in the contract's shape."""
    with scoped(reader):
        rows = list(Frame.objects.filter(conversation_id=conversation, seq__gt=seq).order_by("seq"))
        texts = _texts([row.body for row in rows])
        return [_shape(row, texts) for row in rows]


def _texts(bodies: list[dict[str, Any]]) -> dict[str, str]:
    wanted = {item["id"] for body in bodies for item in body.get("memories", ())}
    wanted |= {item["turn"] for body in bodies for item in body.get("asked_before", ())}
    if not wanted:
        return {}
    memories = Memory.objects.filter(id__in=wanted).exclude(status=Status.FORGOTTEN)
    episodes = Episode.objects.filter(turn__in=wanted, masked=False)
    found = {str(row.id): row.text for row in memories}
    return found | {str(row.turn): row.question for row in episodes}


def _shape(row: Frame, texts: dict[str, str]) -> dict[str, Any]:
    body = dict(row.body)
    if "memories" in body:
        body["memories"] = [
            {key: value for key, value in item.items() if key != "what"} | {"text": texts.get(item["id"], "")}
            for item in body["memories"]
        ]
    if "asked_before" in body:
        known = [item for item in body["asked_before"] if texts.get(item["turn"])]
        body["asked_before"] = [item | {"text": texts[item["turn"]]} for item in known]
    return {**body, "seq": row.seq}
