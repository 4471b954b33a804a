"""The branches of a conversation: which turns took another's place, what an older branch shows, and what no context and
no later search may hold of one that was replaced."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import connection

from assistant.conversation.models import Turn
from memory import replacing
from memory.recall import Found
from profiles.access import Reader

_LINE = """
WITH RECURSIVE line AS (
    SELECT id, parent_id FROM conversation_turn WHERE id = %s
    UNION ALL
    SELECT turn.id, turn.parent_id FROM line JOIN conversation_turn turn ON turn.id = line.parent_id
)
SELECT id FROM line
"""
_REPLACED = """
WITH RECURSIVE aside AS (
    SELECT id FROM conversation_turn
    WHERE conversation_id = %(talk)s AND parent_id IS NOT DISTINCT FROM %(parent)s AND id <> %(turn)s
    UNION ALL
    SELECT turn.id FROM aside JOIN conversation_turn turn ON turn.parent_id = aside.id
)
SELECT id FROM aside
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn stands among those that follow the same turn: `number` of `count`, and its neighbours there."""

    number: int
    count: int
    before: uuid.UUID | None
    after: uuid.UUID | None


def all_of(conversation: uuid.UUID) -> dict[uuid.UUID, Turn]:
    """Every turn of every branch, oldest first."""
    return {turn.id: turn for turn in Turn.objects.filter(conversation_id=conversation).order_by("asked_at", "id")}


def newest(turns: Mapping[uuid.UUID, Turn]) -> list[Turn]:
    """The branch that ends with the newest turn, oldest first: what the page shows is what the context holds."""
    return through(turns, None)


def through(turns: Mapping[uuid.UUID, Turn], turn: uuid.UUID | None) -> list[Turn]:
    """The branch that `turn` is on (None: any), to the newest of what followed it; of several at the same moment, as
    messages that are brought in have it, to the one that follows the others."""
    followers = _followers(turns)
    last, depth = (turns[turn] if turn else None), 0
    level = [turn]
    best = (last.asked_at, depth) if last else None
    while level := [each for one in level for each in followers.get(one, ())]:
        depth += 1
        for each in level:
            at = (turns[each].asked_at, depth)
            if best is None or at >= best:
                best, last = at, turns[each]
    branch: list[Turn] = []
    while last is not None:
        branch.append(last)
        last = turns.get(last.parent_id) if last.parent_id else None
    return branch[::-1]


def places(turns: Mapping[uuid.UUID, Turn]) -> dict[uuid.UUID, Place]:
    """Of each turn that has others beside it."""
    return {
        turn: Place(number, len(row), row[number - 2] if number > 1 else None, row[number] if row[number:] else None)
        for row in _followers(turns).values() if len(row) > 1 for number, turn in enumerate(row, 1)
    }  # fmt: skip


def others(conversation: uuid.UUID, parent: uuid.UUID | None, turns: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those of `turns` that are in this conversation, and not on the branch which `parent` ends."""
    here = set(Turn.objects.filter(id__in=turns, conversation_id=conversation).values_list("id", flat=True))
    return here - set(_ids(_LINE, [parent])) if here else here


def without_others(found: Found, conversation: uuid.UUID, parent: uuid.UUID | None) -> Found:
    """What was found, without the exchanges of other branches of this conversation."""
    aside = others(conversation, parent, [hit.id for hit in found.episodes])
    return replace(found, episodes=tuple(hit for hit in found.episodes if hit.id not in aside)) if aside else found


def replaced(conversation: uuid.UUID, turn: uuid.UUID, parent: uuid.UUID | None) -> list[uuid.UUID]:
    """The turns that `turn` took the place of, with all that followed them."""
    return _ids(_REPLACED, {"talk": conversation, "turn": turn, "parent": parent})


def leave_past(reader: Reader, turn: uuid.UUID, aside: Sequence[uuid.UUID]) -> None:
    """`turn` can be found now: the exchanges that it took the place of are found no more."""
    row = Turn.objects.only("conversation_id", "question").get(id=turn)
    reworded = Turn.objects.filter(id__in=aside).exclude(question=row.question).exists()
    replacing.replace(reader, aside, by=turn, talk=row.conversation_id, reworded=reworded)


def still_said(turn: Turn) -> bool:
    """Whether its words stand on the newest branch: it is on that itself, or was only answered anew."""
    rows = Turn.objects.filter(conversation_id=turn.conversation_id)
    if not rows.filter(asked_at__gt=turn.asked_at).exists():
        return True
    turns = {row.id: row for row in rows.only("parent_id", "asked_at", "question").order_by("asked_at", "id")}
    return any((row.parent_id, row.question) == (turn.parent_id, turn.question) for row in newest(turns))


def _followers(turns: Mapping[uuid.UUID, Turn]) -> dict[uuid.UUID | None, list[uuid.UUID]]:
    """By the turn that they follow (None: they begin the conversation), oldest first."""
    found: dict[uuid.UUID | None, list[uuid.UUID]] = {}
    for turn in turns.values():
        found.setdefault(turn.parent_id, []).append(turn.id)
    return found


def _ids(query: str, values: Sequence[uuid.UUID | None] | Mapping[str, uuid.UUID | None]) -> list[uuid.UUID]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [row[0] for row in cursor.fetchall()]
