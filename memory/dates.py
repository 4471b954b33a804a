"""When a text speaks of: relative and absolute dates, Chinese and English, as half-open spans in UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from memory.dates_en import EN
from memory.dates_zh import ZH
from memory.days import Precision, Prefer


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, [start, end) in UTC, the words that name it, and where they begin."""

    start: datetime
    end: datetime
    text: str
    precision: Precision
    offset: int = 0


def spans(text: str, *, at: datetime, zone: ZoneInfo, prefer: Prefer = "past") -> list[Span]:
    """Every date in the text, in order, as it was meant at that moment in that zone.

    A bare month, date or weekday is the nearest one on the preferred side.
    """
    now = at.astimezone(zone)
    found: list[Span] = []
    for pattern, build in (*ZH, *EN):
        for match in pattern.finditer(text):
            if any(match.start() < span.offset + len(span.text) and span.offset < match.end() for span in found):
                continue
            try:
                bounds = build(match, now, prefer)
            except (ValueError, OverflowError):
                continue
            if bounds:
                start, end = (moment.replace(tzinfo=zone).astimezone(UTC) for moment in bounds[:2])
                found.append(Span(start, end, match.group(), bounds[2], match.start()))
    return sorted(found, key=lambda span: span.offset)
