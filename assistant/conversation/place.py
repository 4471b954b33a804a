"""Where a question belongs: its conversation, its words as they are stored, and the turn that it follows."""

import uuid

from assistant.conversation import assistants
from assistant.conversation.frames import Ask, Asked, Edit, Human, Refusal
from assistant.conversation.models import Conversation, State
from assistant.conversation.running import begun, known
from memory.extraction import guard
from profiles.access import Reader


def conversation_of(reader: Reader, conversation: uuid.UUID, asked: Asked) -> tuple[Conversation, bool]:
    """The conversation, and whether it was just begun."""
    if found := known(conversation):
        return found, False
    if not isinstance(asked, Ask):
        raise Refusal("not_found", "no such conversation")
    talk = Conversation(id=conversation, owner_id=reader.member, community_id=reader.community,
                        title=" ".join(guard.redact(asked.text).split())[:60], memory=asked.memory,
                        assistant=assistants.chosen(reader, asked.assistant) if asked.assistant else None)  # fmt: skip
    if begun(talk):
        return talk, True
    if found := known(conversation):  # two first questions at once
        return found, False
    raise Refusal("not_found", "no such conversation")  # somebody else's, which is not seen


def words_of(talk: Conversation, asked: Asked) -> str:
    """The question as it is stored: secrets never are."""
    if isinstance(asked, (Ask, Edit)):
        return guard.redact(asked.text)
    before = talk.turns.filter(id=asked.turn).values_list("question", flat=True).first()
    if before is None:
        raise Refusal("not_found", "no such turn")
    return before


def waits(talk: Conversation) -> bool:
    """Whether a person is to answer in it, so that the assistant is silent."""
    return talk.turns.filter(state=State.WAITING_HUMAN).exists()


def answering(talk: Conversation) -> bool:
    """Whether an answer is being written in it."""
    return talk.turns.filter(state=State.RUNNING).exists()


def parent_of(talk: Conversation, asked: Asked) -> uuid.UUID | None:
    """The turn that it follows: the newest that none follows yet, as several may be of one moment; or the one before
    that which it takes the place of."""
    if isinstance(asked, (Ask, Human)):
        return talk.turns.filter(children=None).order_by("-asked_at").values_list("id", flat=True).first()
    turn = talk.turns.filter(id=asked.turn).values_list("parent_id").first()
    if turn is None:
        raise Refusal("not_found", "no such turn")
    return turn[0]
