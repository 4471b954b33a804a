"""Door: a question that a member has handed to a person: who waits, and the answer in the same conversation.

Staff see the words that wait, and no others of the conversation; it is in the audit, and the member sees it.
"""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.utils import timezone

from assistant.conversation import hub, turn
from assistant.conversation.models import State, Turn
from assistant.conversation.running import known
from memory import audit, knowledge, paging, policy
from memory.mask import masker
from memory.models import Episode
from memory.retrieval.text import terms
from profiles.access import Frozen, Reader, reader_for, scoped
from profiles.models import Membership

REASON = "hand-off"
"""Why staff open what waits, as the audit and the member have it."""


@dataclass(frozen=True, slots=True)
class Handoff:
    """One conversation that waits for a person: whose, since when, and the member's words since, oldest first."""

    conversation: uuid.UUID
    owner: uuid.UUID
    person: uuid.UUID
    since: datetime
    words: Sequence[str]
    name: str = ""


def waiting() -> int:
    """How many wait in the community of this unit of work, which is one of staff."""
    rows = _read(None, 1)
    return int(rows[0][-1]) if rows else 0


def page(reader: Reader, number: int) -> tuple[list[Handoff], int, paging.Leaf]:
    """A page of those that wait, the longest first, and how many wait in all; their members see who looked."""
    rows = _read(None, number * policy.REVIEW_PAGE)
    count = int(rows[0][-1]) if rows else 0
    lines, leaf = paging.leaf(number, rows, count)
    found = [Handoff(*row[:-1]) for row in lines]
    names = Membership.objects.filter(id__in=[one.owner for one in found]).select_related("user")
    called = {row.id: row.user.called for row in names}
    shown = []
    for one in found:
        with suppress(Frozen):  # its member began to be erased a moment ago
            shown.append(replace(one, words=_masked(reader, one), name=called.get(one.owner, "")))
    with scoped(reader):
        audit.looked(reader, {one.owner for one in shown}, reason=REASON, again=True)
    return shown, count, leaf


def answer(reader: Reader, conversation: uuid.UUID, text: str, *, title: str = "") -> bool:
    """A moderator's answer to what waits there; with `title` it becomes shared knowledge too, verified by them.

    It stands under the last of the member's words; those before end without one. False: nothing waits there any more.
    """
    done = _end(reader, conversation, State.ANSWERED, text)
    if done and title:
        with scoped(reader):
            knowledge.write(reader, title, text)
    return done


def close(reader: Reader, conversation: uuid.UUID) -> bool:
    """Nobody answers; the member is told so, and the assistant speaks again."""
    return _end(reader, conversation, State.FAILED, "")


def _end(reader: Reader, conversation: uuid.UUID, state: State, text: str) -> bool:
    found = _read(conversation, 1)
    member = reader_for(found[0][2], reader.slug) if found else None
    if member is None:
        return False
    try:
        with scoped(member):
            known(conversation)  # and the audit's lock later, as the member's next question takes them
            rows = list(Turn.objects.filter(conversation_id=conversation, state=State.WAITING_HUMAN))
            for row in rows:
                running = turn.again(member, row)
                running.author = reader.person if state == State.ANSWERED else None
                running.pieces = [text] if row is rows[-1] and text else []
                turn.close(running, state)
            if rows and text:
                _keep(member, rows[0], text)
    except Frozen:  # the member began to be erased a moment ago
        return False
    with scoped(reader):
        if rows:
            verb = "answered" if state == State.ANSWERED else "closed"
            audit.write(reader, verb, conversation, member.member, reason=REASON)
    transaction.on_commit(lambda: async_to_sync(hub.publish)(conversation, member.member))
    return bool(rows)


def _keep(member: Reader, asked: Turn, text: str) -> None:
    """What was asked and what a person said to it is found again, where the question is found already."""
    known_as = Episode.objects.filter(owner_id=member.member, conversation=asked.conversation_id, masked=False)
    if known_as.filter(question=asked.question).exists():
        Episode.objects.create(
            turn=asked.id, conversation=asked.conversation_id, owner_id=member.member,
            community_id=member.community, question=asked.question, answer=text, terms=terms(asked.question),
            at=timezone.now(),
        )  # fmt: skip


def _masked(reader: Reader, one: Handoff) -> list[str]:
    """Without what the member has had forgotten."""
    with scoped(reader, subject=one.owner):
        black = masker(replace(reader, member=one.owner))
        return [black(words) for words in one.words]


def _read(conversation: uuid.UUID | None, most: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM kith_handoffs(%s, %s)", [conversation, most])
        return list(cursor.fetchall())
