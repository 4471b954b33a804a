"""What is alike by its words: at least so many things that have a share of each one's words in common. Pure."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Item:
    """One thing: only those `about` the same are compared, by their `words`."""

    id: uuid.UUID
    about: str
    words: frozenset[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class Group:
    """What is alike, oldest first, and the words that all of it has in common."""

    about: str
    words: frozenset[str]
    items: tuple[Item, ...]


def groups(items: Sequence[Item], *, least: int, share: float) -> list[Group]:
    """The largest first; each item is in one group at most."""
    found: list[Group] = []
    ordered = sorted(items, key=lambda item: (item.about, item.at, item.id))
    for _, same in groupby(ordered, key=lambda item: item.about):
        left = list(same)
        while group := _largest(left, least, share):
            found.append(group)
            taken = {item.id for item in group.items}
            left = [item for item in left if item.id not in taken]
    return found


def topics(items: Sequence[Item], *, least: int, most: int) -> list[Group]:
    """By the words that most of them have, `most` of these at most; the last group, without a word, is the rest."""
    left, found = list(items), list[Group]()
    while left and len(found) < most:
        ranked = _counted(left)
        if not ranked or ranked[0][1] < least:
            break
        word = ranked[0][0]
        found.append(Group(left[0].about, frozenset({word}), tuple(item for item in left if word in item.words)))
        left = [item for item in left if word not in item.words]
    return [*found, Group(left[0].about, frozenset(), tuple(left))] if left else found


def _largest(items: Sequence[Item], least: int, share: float) -> Group | None:
    for word, count in _counted(items):
        if count < least:
            return None
        holders = [item for item in items if word in item.words]
        common = frozenset.intersection(*(item.words for item in holders))
        close = [item for item in holders if _close(len(common), len(item.words), share)]
        if len(close) >= least:
            return Group(close[0].about, frozenset.intersection(*(item.words for item in close)), tuple(close))
    return None


def _close(common: int, words: int, share: float) -> bool:
    """One common word alone says too little, unless it is most of what is said."""
    return common >= share * words and (common > 1 or 2 * common > words)


def _counted(items: Sequence[Item]) -> list[tuple[str, int]]:
    counts = Counter(word for item in items for word in item.words)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
