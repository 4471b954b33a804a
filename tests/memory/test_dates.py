"""Dates as they were meant: by the message's time and the member's zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.dates import spans

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
