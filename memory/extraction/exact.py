"""Which sentences must keep their wording when the rest is summarised: numbers, prices, dates, links, names. Pure."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import rjieba

from memory import dates
from memory.extraction.lexicon import is_surely_name
from memory.wording import HAN, simplified

_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:[。！？!?；;\n]+|\.(?=\s|$)|$)")
_SIGN = re.compile(r"[0-9０-９]|[¥￥€£$]|[a-z]+://|\bwww\.|\b[\w-]+\.(?:com|org|net|io|cn|de)\b|@\w|[\w-]+/[\w./-]+", re.IGNORECASE)
_COUNT = re.compile(r"[一二两三四五六七八九十百千万亿]+(?:块|元|个|位|人|次|天|周|月|年|号|折|斤|米|公里|小时|分钟)")
_HAN_RUN = re.compile(f"[{HAN}]+")
_CAPITAL = re.compile(r"(?<=[a-z,;:]\s)[A-Z][\w'’-]+")
_FIRST = re.compile(r"([A-Z][\w'’-]+) (?:\w+s|had|will|can|could|said|did|(?:and|or) [A-Z]\w+)\b")
"""A capital says nothing at the beginning, unless what follows is what somebody does."""
_A_LITTLE = "一点"
"""One o'clock too, but then it is said of which half of the day."""
_NAMED = ("nr", "ns", "nt", "nz")
"""Tags of persons, places, bodies, and other proper names."""


def sentences(text: str, *, at: datetime, zone: ZoneInfo) -> list[str]:
    """Those of a text, said at that moment in that zone, that hold one of these; each once, as written."""
    found = (match.group().strip() for match in _SENTENCE.finditer(text))
    return list(dict.fromkeys(one for one in found if one and is_exact(one, at=at, zone=zone)))


def is_exact(sentence: str, *, at: datetime, zone: ZoneInfo) -> bool:
    """Whether another wording could lose something that can't be guessed again."""
    return bool(
        _SIGN.search(sentence)
        or _COUNT.search(sentence)
        or any(span.text != _A_LITTLE for span in dates.spans(sentence, at=at, zone=zone))
        or _CAPITAL.search(sentence)
        or ((first := _FIRST.match(sentence)) and is_surely_name(first[1]))
        or any(_names(run) for run in _HAN_RUN.findall(sentence))
    )


def _names(run: str) -> bool:
    return any(len(word) > 1 and tag.startswith(_NAMED) for word, tag in rjieba.tag(simplified(run)))
