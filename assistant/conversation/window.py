"""The last rounds of a conversation, read from the turns table along the visible branch."""

import uuid

from assistant.conversation.models import State, Turn
from memory import policy
from memory.mask import masker
from profiles.access import Reader


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


def rounds(reader: Reader, conversation: uuid.UUID, *, but: uuid.UUID) -> list[tuple[str, str]]:
    """Question and answer of the last rounds of the visible branch, oldest first, without the running turn.

    What was forgotten since is blacked out.
    """
    masked = masker(reader)
    ended = [turn for turn in visible(conversation) if turn.id != but and turn.state != State.RUNNING]
    return [(masked(turn.question), masked(turn.answer)) for turn in ended[-policy.WINDOW_ROUNDS :]]
