"""The kind of answer that a question waits for, and whether a text has something of that kind; pure."""

import re
from collections.abc import Callable

from memory.retrieval import gist

_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|time|year|month)\b|\bhow long\b"
    r"|什么时候|何时|哪[天年]|几[月号点]|多久",
    re.I,
)
_COUNT = re.compile(r"\bhow (?:many|much|often|old)\b|多少|几(?![月号点乎])|多大", re.I)
_NAMED = re.compile(r"^\W*(?:who|whom|whose|where|which)\b|谁|哪[里儿家位个]", re.I)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weekend|week|month|years?|since|morning|recently"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4})\b|[昨今明前后]天|[上下这]周|周[一二三四五六日末]|[去今明前]年|\d+[年月日号点]|月",
    re.I,
)  # fmt: skip
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b|[一二三四五六七八九十两几]",
    re.I,
)  # fmt: skip
KINDS: dict[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "says when": (_WHEN, lambda said: bool(_TIME.search(said))),
    "says how many": (_COUNT, lambda said: bool(_NUMBER.search(said))),
    "says who": (_NAMED, lambda said: bool(gist.names(said))),
}
"""By the name of the feature: what asks for it, and whether a text has it."""


def fits(kind: str, question: str) -> Callable[[str], bool] | None:
    """What tells texts with such an answer from others; None where the question asks for nothing of that kind."""
    asks, says = KINDS[kind]
    return says if asks.search(question) else None
