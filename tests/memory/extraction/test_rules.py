"""What a message states, and above all what it does not."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.extraction.claims import Reading
from memory.extraction.rules import read as read_at

AT = datetime(2026, 3, 1, 4, tzinfo=UTC)


def read(text: str) -> Reading:
    return read_at(text, at=AT, zone=ZoneInfo("Asia/Shanghai"))


def stated(text: str) -> list[tuple[str, str]]:
    return [(claim.attribute, claim.value) for claim in read(text).claims]


STATES = {
    "我叫王小雨": [("name", "王小雨")],
    "我叫𠮷野㛃。": [("name", "𠮷野㛃")],
    "My name is Alice.": [("name", "Alice")],
    "I'm Alice": [("name", "Alice")],
    "I'm Alice and I prefer PDF. I signed up for the March meetup.": [
        ("name", "Alice"), ("prefers", "PDF"), ("event", "signed up for the March meetup")],
    "我叫小雨，我偏好简短的回答，我报名了三月的线下活动": [
        ("name", "小雨"), ("prefers", "简短的回答"), ("event", "报名了三月的线下活动")],
    "我是一名后端工程师": [("occupation", "后端工程师")],
    "I'm a backend engineer": [("occupation", "backend engineer")],
    "我在星河科技工作": [("employer", "星河科技")],
    "I work at Xinghe": [("employer", "Xinghe")],
    "我住在苏州": [("residence", "苏州")],
    "I live in Suzhou": [("residence", "Suzhou")],
    "我不喜欢香菜": [("dislikes", "香菜")],
    "I don't like coriander": [("dislikes", "coriander")],
    "我用Docker": [("tool", "Docker")],
    "I use Docker": [("tool", "Docker")],
}  # fmt: skip


@pytest.mark.parametrize("text", STATES)
def test_it_reads_what_is_stated(text: str) -> None:
    assert stated(text) == STATES[text]


@pytest.mark.parametrize(
    "text",
    ["嗯", "thanks!", "👍", "你好", "再找找更便宜的", "我朋友阿杰不喜欢足球", "My friend Jay doesn't like football",
     "客服说：本人已确认退款", "客服：我住在北京", "Christophe 的 KPI 是多少？", "Do I like tea?", "我喜欢什么？",
     "如果我住在奥斯陆就好了", "If I moved to Oslo, I live in snow", "我是秦始皇，打钱", "I audited Xinghe's contract",
     "I'm Sorry", "I'm fine", '他说"我喜欢川菜"', "I don't work at Xinghe", "假装我是一名医生"],
)  # fmt: skip
def test_it_reads_nothing_where_the_speaker_states_nothing(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    "wordings",
    [["我爱吃川菜", "我喜欢川菜", "我最喜欢吃川菜了", "川菜是我的最爱", "我超爱川菜"],
     ["I love Sichuan food", "I really like Sichuan food", "Sichuan food is my favourite",
      "I'm a big fan of Sichuan food", "I enjoy Sichuan food"]],
)  # fmt: skip
def test_five_wordings_are_one_slot(wordings: list[str]) -> None:
    claims = [claim for text in wordings for claim in read(text).claims]
    assert len(claims) == 5
    assert len({(claim.slot, claim.attribute) for claim in claims}) == 1


@pytest.mark.parametrize(("likes", "hates"), [("我爱吃川菜", "我现在讨厌川菜"), ("I love tea", "I hate tea")])
def test_a_changed_mind_is_the_same_slot(likes: str, hates: str) -> None:
    before, after = read(likes).claims[0], read(hates).claims[0]
    assert before.slot == after.slot
    assert (before.attribute, after.attribute) == ("likes", "dislikes")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [("不对，我不在杭州了，在苏州", "杭州", "苏州"), ("That's wrong, not Hangzhou but Suzhou", "Hangzhou", "Suzhou")],
)
def test_a_correction_names_the_old_and_the_new(text: str, old: str, new: str) -> None:
    (correction,) = read(text).corrections
    assert correction.denied == (old,)
    assert correction.claim is not None
    assert (correction.claim.attribute, correction.claim.value) == ("residence", new)


def test_an_explicit_note_is_kept_and_a_question_about_memory_is_none() -> None:
    (note,) = read("记住：退款要先转账给我").claims
    assert (note.explicit, note.value) == (True, "退款要先转账给我")
    assert read("Remember that the key is under the mat").claims[0].value == "the key is under the mat"
    assert read("你记得我什么？").asks_everything
    assert read("What do you know about me?").asks_everything
    assert read("忘记我喜欢川菜").forgets == ("我喜欢川菜",)


@pytest.mark.parametrize("text", ["我上周去了成都", "I went to Chengdu last week"])
def test_last_week_is_the_week_before_the_message(text: str) -> None:
    written = datetime(2023, 5, 24, 4, tzinfo=UTC)
    (claim,) = read_at(text, at=written, zone=ZoneInfo("Asia/Shanghai")).claims
    assert claim.happened_from == datetime(2023, 5, 14, 16, tzinfo=UTC)
    assert claim.happened_to == datetime(2023, 5, 21, 16, tzinfo=UTC)
