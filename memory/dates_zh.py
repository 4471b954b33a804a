"""Chinese words for dates and times."""

import re
from datetime import date, datetime, timedelta

from memory import days
from memory.days import Bounds, Prefer, Rule

_ONES = "零一二三四五六七八九"
_WEEKDAYS = {mark: number for number, mark in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_WEEKDAYS |= {str(number + 1): number for number in range(6)}
_NAMED = {"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨": -1, "今天": 0, "今日": 0, "今": 0, "明天": 1, "明日": 1,
          "明": 1, "后天": 2, "大后天": 3, "后": 2, "前": -2, "大后": 3, "大前": -3}  # fmt: skip
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_LATE = ("下午", "晚上", "傍晚", "夜里", "晚", "中午")
_N = r"[\d一二三四五六七八九十两]{1,3}"
_PART = r"(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)"
_TIME = (
    rf"(?:\s*(?P<hour>{_N})\s*(?:(?:点钟?|时)(?:(?P<half>半|一刻)|(?P<minute>{_N})分?)?(?!都|儿|也)"
    r"|[:：](?P<clock>\d\d)))"
)
_WEEK = r"(?:周|星期|礼拜)"


def number(text: str) -> int:
    """A Chinese or plain number under a hundred."""
    if text.isdigit():
        return int(text)
    tens, found, ones = text.partition("十")
    if not found:
        return int("".join(str(_digit(mark)) for mark in text))
    return (_digit(tens) if tens else 1) * 10 + (_digit(ones) if ones else 0)


def _digit(mark: str) -> int:
    return int(mark) if mark.isdigit() else _ONES.index({"两": "二", "〇": "零"}.get(mark, mark))


def _on(match: re.Match[str], on: date, part: str = "") -> Bounds:
    """The day, or the time of it that the words name."""
    if not match["hour"]:
        return days.day(on)
    hour = number(match["hour"])
    minute = {"半": 30, "一刻": 15}.get(match["half"] or "", number(match["minute"] or match["clock"] or "0"))
    part = match["part"] or part
    late = part.endswith(_LATE) and hour < 12 and not (part == "中午" and hour > 9)
    return days.day(on, hour + 12 * late, minute)


def _relative_day(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    word = match["day"]
    part = word[-1] if word[-1] in "晚早" else ""
    return _on(match, now.date() + timedelta(days=_NAMED[word.rstrip("晚早") if part else word]), part)


def _weekday(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    which, on = match["which"], _WEEKDAYS[match["weekday"]]
    if not which:
        found = days.nearest_weekday(now.date(), on, prefer)
    else:
        found = days.weekday(now.date(), on, _steps(which))
    if match["weekday"] == "末":
        return days.day(found)[0], days.day(found)[0] + timedelta(days=2), "day"
    return _on(match, found)


def _steps(which: str) -> int:
    return which.count("下") - which.count("上")


def _unit(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    """Last week, this month, the fifth of next month."""
    unit = _UNITS[match["unit"]]
    bounds = days.shift(now.date(), _steps(match["which"]), unit)
    if unit == "month" and match["on"]:
        found = days.real(bounds[0].year, bounds[0].month, number(match["on"]))
        return days.day(found) if found else None
    return bounds


def _distance(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    back = match["side"].endswith("前")
    return days.shift(now.date(), number(match["n"]) * (-1 if back else 1), _UNITS[match["unit"]])


def _full(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    """A year, with month and day where they are said."""
    words = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
    year = now.year + words[match["word"]] if match["word"] else _year(match["year"])
    if year is None or not 1900 <= year <= 2200:
        return None
    if not match["month"]:
        return days.year(year)
    month = number(match["month"])
    if not 1 <= month <= 12:
        return None
    if not match["on"]:
        return days.month(year, month)
    found = days.real(year, month, number(match["on"]))
    return _on(match, found) if found else None


def _year(text: str) -> int | None:
    digits = "".join(str(_digit(mark)) for mark in text)
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _iso(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    found = days.real(int(match["year"]), int(match["month"]), int(match["on"]))
    if not found or not 1900 <= found.year <= 2200:
        return None
    return days.day(found, int(match["hour"]), int(match["minute"])) if match["hour"] else days.day(found)


def _month(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds | None:
    month = number(match["month"])
    if not 1 <= month <= 12:
        return None
    if not match["on"]:
        return days.nearest_month(now.date(), month, prefer)
    found = days.nearest_date(now.date(), month, number(match["on"]), prefer)
    return _on(match, found) if found else None


def _clock(match: re.Match[str], now: datetime, prefer: Prefer) -> Bounds:
    """A time with its part of the day: today's, or tomorrow's if that has passed and the future is meant."""
    bounds = _on(match, now.date())
    if prefer == "future" and bounds[0] < now.replace(tzinfo=None):
        return bounds[0] + timedelta(days=1), bounds[1] + timedelta(days=1), "time"
    return bounds


_TAIL = rf"(?:\s*(?P<part>{_PART}))?{_TIME}?"
ZH: tuple[Rule, ...] = (
    (
        re.compile(
            r"(?<![A-Za-z0-9.])(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<on>\d{1,2})(?![\d.])"
            r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d))?"
        ),
        _iso,
    ),
    (
        re.compile(
            rf"(?:(?P<word>[前去今明后]年)|(?<![\d一二三四五六七八九])(?P<year>\d{{4}}"
            rf"|[一二〇零][一二三四五六七八九〇零]{{3}})\s*年)"
            rf"(?:的?\s*(?P<month>{_N})\s*月份?(?:\s*(?P<on>{_N})\s*[日号]{_TAIL})?)?"
        ),
        _full,
    ),
    (
        re.compile(rf"(?P<day>大前天|大后天|前天|昨[天日]|今[天日]|明[天日]|后天|[昨今明后]晚|[今明]早)(?!性){_TAIL}"),
        _relative_day,
    ),
    (
        re.compile(
            rf"(?<!每)(?<!每个)(?P<which>上上|下下|上|下|这|本)?个?{_WEEK}(?P<weekday>[一二三四五六日天末1-6])(?!期"
            rf"|年|刊|岁|个){_TAIL}"
        ),
        _weekday,
    ),
    (
        re.compile(
            r"(?P<which>上上|下下|上|下|这|本)(?:个)?(?P<unit>周|星期|礼拜|月)(?!刊|报|期)"
            rf"(?:(?<=月)(?P<on>{_N})[日号])?"
        ),
        _unit,
    ),
    (
        re.compile(rf"(?P<n>{_N})\s*个?(?P<unit>天|日|周|星期|礼拜|月|年)(?P<side>[以之]?前|[以之]?后)(?!端|台|面|辈)"),
        _distance,
    ),
    (
        re.compile(
            rf"(?<![\d一二三四五六七八九十个几半])(?P<month>{_N})\s*月(?!饼|亮|球|薪|租|卡"
            rf"|子)份?(?:\s*(?P<on>{_N})\s*[日号]{_TAIL})?"
        ),
        _month,
    ),
    (re.compile(rf"(?P<part>{_PART}){_TIME}"), _clock),
)
