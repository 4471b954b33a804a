"""Arithmetic of days, weeks, months and years on a member's own calendar; weeks begin on Monday."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Literal

Precision = Literal["time", "day", "week", "month", "year"]
Prefer = Literal["past", "future"]
Bounds = tuple[datetime, datetime, Precision]
"""Local times without zone: start, end (not included), precision."""
Build = Callable[[re.Match[str], datetime, Prefer], Bounds | None]
Rule = tuple[re.Pattern[str], Build]


def day(on: date, hour: int | None = None, minute: int = 0) -> Bounds:
    """One day, or from its given time on for one hour."""
    if hour is None:
        start = datetime.combine(on, time())
        return start, start + timedelta(days=1), "day"
    start = datetime.combine(on, time()) + timedelta(hours=hour, minutes=minute)
    return start, start + timedelta(hours=1), "time"


def week(holding: date) -> Bounds:
    """The week, Monday to Monday, that holds a day."""
    start = datetime.combine(holding - timedelta(days=holding.weekday()), time())
    return start, start + timedelta(days=7), "week"


def month(year: int, number: int) -> Bounds:
    """A month; numbers outside 1..12 run into the neighbouring years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return datetime(year, number, 1), datetime(year + number // 12, number % 12 + 1, 1), "month"


def year(number: int) -> Bounds:
    """A whole year."""
    return datetime(number, 1, 1), datetime(number + 1, 1, 1), "year"


def shift(now: date, amount: int, unit: str) -> Bounds:
    """So many days, weeks, months or years away, as exact as the unit says."""
    if unit == "day":
        return day(now + timedelta(days=amount))
    if unit == "week":
        return week(now + timedelta(days=7 * amount))
    if unit == "month":
        return month(now.year, now.month + amount)
    return year(now.year + amount)


def weekday(now: date, number: int, weeks: int = 0) -> date:
    """The given weekday (Monday 0) of this week, or of one so many weeks away."""
    return now - timedelta(days=now.weekday()) + timedelta(days=number + 7 * weeks)


def nearest_weekday(now: date, number: int, prefer: Prefer) -> date:
    """The last such day before or on today, or the next one after or on it."""
    ahead = (number - now.weekday()) % 7
    return now + timedelta(days=ahead if prefer == "future" else ahead - 7 if ahead else 0)


def nearest_month(now: date, number: int, prefer: Prefer) -> Bounds:
    """The month of that number nearest to now on the preferred side; the present one counts for both."""
    if prefer == "past":
        return month(now.year - (number > now.month), number)
    return month(now.year + (number < now.month), number)


def nearest_date(now: date, number: int, on: int, prefer: Prefer) -> date | None:
    """The date with that month and day nearest to now on the preferred side."""
    this = real(now.year, number, on)
    if this is None:
        return real(now.year - 1, number, on) or real(now.year + 1, number, on)
    if prefer == "past" and this > now:
        return real(now.year - 1, number, on)
    if prefer == "future" and this < now:
        return real(now.year + 1, number, on)
    return this


def real(year: int, number: int, on: int) -> date | None:
    """The date, if the calendar has it."""
    try:
        return date(year, number, on)
    except ValueError:
        return None
