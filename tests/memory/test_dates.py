"""Dates as they were meant: by the message's time and the member's zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.dates import spans
from memory.days import Prefer

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize("text", ["今晚八点", "tonight at 8"])
def test_tonight_at_eight_is_the_same_day_in_the_members_zone(text: str) -> None:
    at = datetime(2026, 3, 1, 11, 17, tzinfo=UTC)
    assert spans(text, at=at, zone=SHANGHAI)[0].start == datetime(2026, 3, 1, 20, tzinfo=SHANGHAI)


@pytest.mark.parametrize("text", ["明天", "tomorrow"])
def test_tomorrow_is_right_across_midnight_in_utc(text: str) -> None:
    at = datetime(2026, 3, 1, 20, tzinfo=UTC)  # already 2 March in Shanghai
    assert spans(text, at=at, zone=SHANGHAI)[0].start == datetime(2026, 3, 3, tzinfo=SHANGHAI)


@pytest.mark.parametrize("text", ["I may come", "我喜欢川菜", "version 2.3.1"])
def test_what_names_no_day_is_no_date(text: str) -> None:
    assert spans(text, at=datetime(2026, 3, 1, tzinfo=UTC), zone=SHANGHAI) == []


def of(text: str, prefer: Prefer = "past") -> list[tuple[str, str]]:
    """Starts and ends as said on a Wednesday, 24 May 2023, 19:17 in Shanghai."""
    at = datetime(2023, 5, 24, 11, 17, tzinfo=UTC)
    return [
        (f"{span.start.astimezone(SHANGHAI):%Y-%m-%d %H:%M}", f"{span.end.astimezone(SHANGHAI):%Y-%m-%d %H:%M}")
        for span in spans(text, at=at, zone=SHANGHAI, prefer=prefer)
    ]


DAYS = {
    "昨天": "2023-05-23", "前天": "2023-05-22", "今天": "2023-05-24", "明天": "2023-05-25", "后天": "2023-05-26", "上周三": "2023-05-17",
    "这周五": "2023-05-26", "下周一": "2023-05-29", "三天前": "2023-05-21", "3月5日": "2023-03-05", "去年十月三号": "2022-10-03",
    "2023-05-24": "2023-05-24", "下个月5号": "2023-06-05", "yesterday": "2023-05-23", "last Tuesday": "2023-05-23",
    "this Friday": "2023-05-26", "three days ago": "2023-05-21", "on March 5": "2023-03-05", "5 March": "2023-03-05",
    "March 5th, 2022": "2022-03-05", "the day after tomorrow": "2023-05-26", "in 2 days": "2023-05-26",
}  # fmt: skip


@pytest.mark.parametrize("text", DAYS)
def test_a_day_is_that_whole_day(text: str) -> None:
    ((start, end),) = of(text)
    assert start == f"{DAYS[text]} 00:00"
    assert end == f"{datetime.fromisoformat(DAYS[text]) + timedelta(days=1):%Y-%m-%d %H:%M}"


LONGER = {
    "上周去了成都": ("2023-05-15", "2023-05-22"), "下周": ("2023-05-29", "2023-06-05"), "上个月": ("2023-04-01", "2023-05-01"),
    "去年": ("2022-01-01", "2023-01-01"), "2023年5月": ("2023-05-01", "2023-06-01"), "两周前": ("2023-05-08", "2023-05-15"),
    "明年三月": ("2024-03-01", "2024-04-01"), "last week": ("2023-05-15", "2023-05-22"), "next month": ("2023-06-01", "2023-07-01"),
    "in March": ("2023-03-01", "2023-04-01"), "last year": ("2022-01-01", "2023-01-01"), "last weekend": ("2023-05-20", "2023-05-22"),
    "十二月": ("2022-12-01", "2023-01-01"), "in December": ("2022-12-01", "2023-01-01"), "in 2019": ("2019-01-01", "2020-01-01"),
}  # fmt: skip


@pytest.mark.parametrize("text", LONGER)
def test_weeks_begin_on_monday_and_the_end_is_not_included(text: str) -> None:
    start, end = LONGER[text]
    assert of(text) == [(f"{start} 00:00", f"{end} 00:00")]


@pytest.mark.parametrize(
    ("text", "start"),
    [("今晚八点", "2023-05-24 20:00"), ("明天下午三点半", "2023-05-25 15:30"), ("tonight at 8", "2023-05-24 20:00"),
     ("tomorrow at 9:30", "2023-05-25 09:30"), ("next Friday at 3pm", "2023-06-02 15:00"), ("at 12am", "2023-05-24 00:00"),
     ("昨晚十一点", "2023-05-23 23:00"), ("明早九点", "2023-05-25 09:00")],
)  # fmt: skip
def test_a_time_is_that_time(text: str, start: str) -> None:
    assert of(text)[0][0] == start


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [("三月", "2023-03-01", "2024-03-01"), ("in March", "2023-03-01", "2024-03-01"), ("十二月", "2022-12-01", "2023-12-01"),
     ("3月5日", "2023-03-05", "2024-03-05"), ("周五", "2023-05-19", "2023-05-26"), ("on Friday", "2023-05-19", "2023-05-26")],
)  # fmt: skip
def test_what_is_bare_lies_on_the_preferred_side(text: str, past: str, future: str) -> None:
    assert of(text)[0][0] == f"{past} 00:00"
    assert of(text, "future")[0][0] == f"{future} 00:00"


@pytest.mark.parametrize(
    "text",
    ["两个月", "以前", "前面", "一天", "我每周三开周会", "every Friday", "May I ask", "march on", "order 20230524", "v2023.1.2",
     "I use it at 50%", "2023-13-45", "月饼", "三个月月租", "二月三十日", ""],
)  # fmt: skip
def test_what_only_looks_like_a_date(text: str) -> None:
    assert of(text) == []


def test_several_dates_come_in_order_with_their_words() -> None:
    at = datetime(2023, 5, 24, 11, 17, tzinfo=UTC)
    found = spans("yesterday was fine, 明天再说", at=at, zone=SHANGHAI)
    assert [span.text for span in found] == ["yesterday", "明天"]
    assert [span.precision for span in found] == ["day", "day"]


def test_a_day_of_23_hours_stays_a_day() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (span,) = spans("2023-03-26", at=datetime(2023, 5, 24, tzinfo=UTC), zone=berlin)
    assert span.end - span.start == timedelta(hours=23)
