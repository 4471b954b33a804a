"""Ordinary small talk leaves nothing behind."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.extraction.rules import read
from memory.ledger import Said
from memory.models import Memory
from memory.remember import notice
from profiles import learn
from profiles.access import scoped
from tests.people import World, said

LINES = (Path(__file__).parent / "smalltalk.txt").read_text(encoding="utf-8").splitlines()
AT = datetime(2026, 3, 2, 4, tzinfo=UTC)


def test_five_hundred_lines_of_small_talk_state_nothing() -> None:
    assert len(set(LINES)) == len(LINES) == 500
    zone = ZoneInfo("Asia/Shanghai")
    readings = {line: read(line, at=AT, zone=zone) for line in LINES}
    kept = {line: (one.claims, one.endings, one.forgets) for line, one in readings.items()
            if one.claims or one.endings or one.forgets}  # fmt: skip
    assert kept == {}


def test_a_member_who_only_chats_is_remembered_for_nothing(world: World) -> None:
    with scoped(world.alice):
        profile = learn.profile_of(world.alice)
        for line in LINES:
            notice(world.alice, profile, line, Said(said().turn, said().conversation, AT))
        assert Memory.objects.filter(owner_id=world.alice.member).count() == 0
