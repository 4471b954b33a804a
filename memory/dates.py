"""When a text speaks of: relative and absolute dates, Chinese and English, as half-open spans in UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.dates_en import EN
from memory.dates_zh import ZH

Precision = Literal["time", "day", "week", "month", "year"]
Prefer = Literal["past", "future"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, [start, end), and the words that name it."""

    start: datetime
    end: datetime
    text: str
    precision: Precision


def spans(text: str, *, at: datetime, zone: ZoneInfo, prefer: Prefer = "past") -> list[Span]:
    """Every date in the text, in order, as it was meant at that moment in that zone."""
    found: list[tuple[int, Span]] = []
    taken: list[tuple[int, int]] = []
    now = at.astimezone(zone)
    for pattern, build in (*ZH, *EN):
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            span = _span(match, build(match, now, prefer), zone)
            if span:
                taken.append(match.span())
                found.append((match.start(), span))
    return [span for _, span in sorted(found, key=lambda pair: pair[0])]
