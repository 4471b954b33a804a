"""The noun-like words of a text, as written."""

import re

import rjieba

from memory import stops
from memory.wording import HAN, is_han, simplified

_PART = re.compile(f"[{HAN}]+|[A-Za-z0-9][A-Za-z0-9+#'./_-]*")
_NOUNS = ("n", "v", "i", "l", "j", "eng", "x")


def of(text: str) -> tuple[str, ...]:
    """Every keyword once, in order; a Chinese word only where it is tagged as a thing or a doing."""
    found: dict[str, str] = {}
    for part in _PART.findall(text):
        for word in _chinese(part) if is_han(part) else _english(part):
            found.setdefault(simplified(word).casefold(), word)
    return tuple(found.values())


def _english(part: str) -> list[str]:
    word = part.strip("./-_'").removesuffix("'s")
    low = word.lower()
    dull = len(word) < 2 or low in stops.EN or low in stops.EN_TOPIC or low.isdigit() or "'" in low
    return [] if dull else [word]


def _chinese(run: str) -> list[str]:
    kept = []
    place = 0
    for word, tag in rjieba.tag(simplified(run)):
        written, place = run[place : place + len(word)], place + len(word)
        if len(word) > 1 and word not in stops.ZH and word not in stops.ZH_TOPIC and tag.startswith(_NOUNS):
            kept.append(written)
    return kept
