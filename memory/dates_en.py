"""English words for dates and times."""

import re
from datetime import date, datetime, timedelta

from memory import days
from memory.days import Bounds, Prefer, Rule

_MONTHS = ("january february march april may june july august september october november december").split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {word: number for number, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve".split())} | {"a": 1, "an": 1}  # fmt: skip
_NAMED = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this": 0,
          "tomorrow": 1, "day after tomorrow": 2}  # fmt: skip
_ANY_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_CAPITAL = (
    "(?:January|February|March|April|June|July|August|September|October|November|December"
    "|Jan|Feb|Apr|Aug|Sept|Oct|Nov|Dec)"
)
"""May is missing: at the head of a sentence it is a verb."""
_ANY_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_N = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_TIME = r"(?:,?\s+(?:at|by|around)\s+(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]\.?m\b\.?)?(?!\d|%))"
_PART = r"(?:\s+(?P<part>morning|afternoon|evening|night))"


def _month_number(text: str) -> int:
    return next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(text.lower()[:3]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _on(match: re.Match[str], on: date, part: str = "") -> Bounds | None:
    """The day, or the time of it that the words name."""
    if not match["hour"]:
        return days.day(on)
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    late = half.startswith("p") or (not half and part in {"afternoon", "evening", "night"})
    if hour > 24 or (half and hour > 12):
        return None
    hour = hour % 12 if half.startswith("a") else hour
    return days.day(on, hour + 12 * (late and hour < 12), int(match["minute"] or 0))


def _relative_day(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    word = re.sub(r"\s+", " ", match["day"].lower())
    part = (match["part"] or "").lower() or ("night" if word in {"tonight", "last night"} else "")
    return _on(match, now.date() + timedelta(days=_NAMED[word]), part)


def _weekday(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    """Last Tuesday is the one before today; this and next Tuesday are those of this and the next week."""
    on, which = _WEEKDAYS.index(match["weekday"].lower()), (match["which"] or "").lower()
    if which == "last":
        found = days.nearest_weekday(now.date() - timedelta(days=1), on, "past")
    elif which in {"this", "next"}:
        found = days.weekday(now.date(), on, int(which == "next"))
    else:
        found = days.nearest_weekday(now.date(), on, prefer)
    return _on(match, found, (match["part"] or "").lower())


def _unit(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    steps = {"last": -1, "past": -1, "this": 0, "next": 1}[match["which"].lower()]
    if match["unit"].lower() == "weekend":
        found = days.day(days.weekday(now.date(), 5, steps))[0]
        return found, found + timedelta(days=2), "day"
    return days.shift(now.date(), steps, match["unit"].lower())


def _distance(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    amount = _number(match["n"] or match["ahead"])
    return days.shift(now.date(), amount if match["ahead"] else -amount, match["unit"].lower())


def _dated(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    """A month with its day, and its year where that is said."""
    month, on = _month_number(match["month"]), int(match["on"])
    found = (
        days.real(int(match["year"]), month, on) if match["year"] else days.nearest_date(now.date(), month, on, prefer)
    )
    return _on(match, found) if found else None


def _month(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    number, which = _month_number(match["month"]), (match["which"] or "").lower()
    if match["year"]:
        return days.month(int(match["year"]), number)
    if which == "this":
        return days.month(now.year, number)
    if which == "last":
        return days.month(now.year - (number >= now.month), number)
    return days.nearest_month(now.date(), number, "future" if which == "next" else prefer)


def _year(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    return days.year(int(match["year"]))


def _clock(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    """A bare time: today's, or tomorrow's if that has passed and the future is meant."""
    bounds = _on(match, now.date())
    if bounds and prefer == "future" and bounds[0] < now.replace(tzinfo=None):
        return bounds[0] + timedelta(days=1), bounds[1] + timedelta(days=1), "time"
    return bounds


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})(?![A-Za-z0-9_-])", re.IGNORECASE)


_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))"
EN: tuple[Rule, ...] = (
    (
        _rule(
            r"(?:the\s+)?(?P<day>day\s+before\s+yesterday|day\s+after\s+tomorrow|last\s+night|yesterday|today|tonight"
            rf"|tomorrow|this(?=\s+(?:morning|afternoon|evening)\b)){_PART}?{_TIME}?"
        ),
        _relative_day,
    ),
    (
        _rule(rf"(?<!every\s)(?:on\s+)?(?:(?P<which>last|this|next)\s+)?(?P<weekday>{_ANY_WEEKDAY}){_PART}?{_TIME}?"),
        _weekday,
    ),
    (_rule(r"(?:in\s+the\s+)?(?P<which>last|past|this|next)\s+(?P<unit>week|month|year|weekend)"), _unit),
    (
        _rule(
            rf"(?:(?P<n>{_N})\s+(?=\w+\s+(?:ago|back))|in\s+(?P<ahead>{_N})\s+)(?P<unit>day|week|month|year)s?"
            r"(?:\s+(?:ago|back))?"
        ),
        _distance,
    ),
    (
        _rule(rf"(?:on\s+)?(?P<month>{_ANY_MONTH})\.?\s+(?P<on>[0-3]?\d)(?:st|nd|rd|th)?{_YEAR}?{_TIME}?"),
        _dated,
    ),
    (
        _rule(
            r"(?:on\s+)?(?:the\s+)?(?P<on>[0-3]?\d)(?:st|nd|rd"
            rf"|th)?\s+(?:of\s+)?(?P<month>{_ANY_MONTH}){_YEAR}?{_TIME}?"
        ),
        _dated,
    ),
    (
        _rule(
            r"(?:(?:in|since|by|until|during|for|the)\s+)?(?P<which>last|this|next)\s+"
            rf"(?P<month>{_ANY_MONTH}){_YEAR}?"
        ),
        _month,
    ),
    (_rule(rf"(?P<which>)(?:in|since|by|until|during)\s+(?P<month>{_ANY_MONTH}){_YEAR}?"), _month),
    (re.compile(rf"(?P<which>)\b(?P<month>{_CAPITAL})\b{_YEAR}?"), _month),
    (_rule(r"(?:in|since)\s+(?P<year>(?:19|20)\d\d)"), _year),
    (
        _rule(_TIME.replace(r",?\s+(?:at", "(?:at").replace(r"(?P<half>[ap]\.?m\b\.?)?", r"(?P<half>[ap]\.?m\b\.?)")),
        _clock,
    ),
)
