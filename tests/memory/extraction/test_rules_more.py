"""Whole classes of wording beside the plain ones: dropped subjects, topics first, ids, duties, orders to forget."""

import uuid
from datetime import UTC, datetime

import pytest

from memory.ledger import Said
from memory.models import Memory
from memory.remember import notice
from memory.terms import Status
from profiles import learn
from profiles.access import scoped
from tests.memory.extraction.test_rules import read, stated
from tests.people import World

STATES = {
    "本人95后，坐标成都": [("residence", "成都")],
    "超爱吃小龙虾！": [("likes", "小龙虾")],
    "我在医院做护士": [("employer", "医院"), ("occupation", "护士")],
    "回答别太长": [("prefers", "别太长")],
    "我把博客从 WordPress 迁到 Hugo 了": [("tool", "Hugo")],
    "我养了一条柯基叫豆包": [("has", "一条柯基叫豆包")],
    "我负责签到": [("duty", "签到")],
    "昨晚我看了场话剧": [("event", "看了场话剧")],
    "Ben here from Bristol": [("name", "Ben"), ("origin", "Bristol")],
    "I turned 40 last week": [("age", "40")],
    "not a fan of mushrooms": [("dislikes", "mushrooms")],
    "I'm more of a tea person": [("prefers", "tea")],
    "I switched from Chrome to Firefox": [("tool", "Firefox")],
    "my laptop is a ThinkPad": [("tool", "ThinkPad")],
    "my membership number is K-9981": [("state", "is K-9981")],
    "I'm responsible for the sound desk": [("duty", "the sound desk")],
    "meeting my landlord tomorrow at 5pm": [("event", "meeting my landlord")],
    "I run a bakery in Ghent": [("has", "a bakery in Ghent")],
    "I love cats 😻": [("likes", "cats")],
}  # fmt: skip


@pytest.mark.parametrize("text", STATES)
def test_it_reads_other_wordings(text: str) -> None:
    assert stated(text) == STATES[text]


@pytest.mark.parametrize(
    "text",
    ["我室友天天加班", "joined Zoom", "been on Zoom all day", "Tomorrow is better for me", "Tuesday works better for me",
     "Name's taken", "一句话搞定", "奶茶算我一个", "put me down for two pizzas", "我今天去学校", "又去了趟医院", "我开了个玩笑",
     "跟大家说个事，群主明天请客", "改用方案B吧", "负责任一点好吗", "I always have", "my phone number is 5550199", "I'm having lunch"],
)  # fmt: skip
def test_it_reads_nothing_in_what_looks_alike(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize("text", ["can't you see it?", "can't we meet later"])
def test_a_negated_question_is_still_one(text: str) -> None:
    assert read(text).is_question
    assert not read("can't stand the noise").is_question


@pytest.mark.parametrize(
    ("says", "order", "left"),
    [("I live in Tulsa", "forget where I live", []), ("我在海底捞上班", "麻烦忘了我在海底捞上班这件事", []),
     ("我喜欢下围棋", "围棋那条你帮我删了吧", []), ("I own a canal boat", "Could you delete the thing about my boat", []),
     ("I like tea and coffee", "forget that I like tea", ["Likes coffee"]),
     ("I live in Tulsa", "I forgot where I live, haha", ["Lives in Tulsa"]), ("我喜欢下围棋", "刚才那条删了", ["喜欢下围棋"])],
)  # fmt: skip
def test_what_is_meant_is_forgotten_and_nothing_else(world: World, says: str, order: str, left: list[str]) -> None:
    with scoped(world.alice):
        profile = learn.profile_of(world.alice)
        for hour, text in enumerate((says, order)):
            at = datetime(2026, 3, 1, hour, tzinfo=UTC)
            notice(world.alice, profile, text, Said(uuid.uuid4(), uuid.uuid4(), at))
        live = Memory.objects.filter(owner_id=world.alice.member, status=Status.ACTIVE)
        assert [memory.text for memory in live] == left
