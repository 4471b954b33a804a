"""What is worth keeping, what it is about, and who says how much they know."""

import pytest

from memory.extraction import worth


@pytest.mark.parametrize(
    "text",
    ["嗯", "嗯嗯", "好的", "谢谢", "谢谢你的帮助", "你好，谢谢", "哈哈哈", "👍", "thanks!", "thanks a lot!", "ok got it", "okay cool",
     "Great, thanks a lot!", "good morning", "lol", "收到，明白了", "再找找更便宜的", "cheaper ones please", "show me more", "", "???",
     "what time is it?", "怎么部署？", "Can you summarize this for me?", "where do I live"],
)  # fmt: skip
def test_it_says_nothing_worth_keeping(text: str) -> None:
    assert not worth.worth_remembering(text)


@pytest.mark.parametrize(
    "text",
    ["我住在苏州", "I live in Suzhou", "The deploy failed because the disk was full", "数据库迁移卡在权限上了",
     "好的，那我住在苏州，有什么推荐？", "thanks, I moved to Oslo", "谢谢，我换工作了"],
)  # fmt: skip
def test_it_states_something(text: str) -> None:
    assert worth.worth_remembering(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [("How do I deploy Django with Docker?", ("deploy", "Django", "Docker")), ("推荐几家苏州的川菜馆", ("苏州", "川菜馆")),
     ("what is the difference between TCP and UDP", ("TCP", "UDP")), ("你好", ()), ("thanks!", ())],
)  # fmt: skip
def test_topics_are_the_things_spoken_of(text: str, words: tuple[str, ...]) -> None:
    assert worth.topics(text) == words


def test_topics_are_no_more_than_asked_for() -> None:
    assert len(worth.topics("Django Docker Kubernetes Redis Celery", limit=2)) == 2


@pytest.mark.parametrize(
    ("text", "level"),
    [("我是新手", "beginner"), ("我是 Python 新手", "beginner"), ("I'm new to Rust", "beginner"), ("我刚开始学 Python", "beginner"),
     ("我做了十年后端", "expert"), ("I've been doing backend for ten years", "expert"), ("我有8年的前端经验", "expert"),
     ("我写了三年 Python", "intermediate"), ("我不是新手", None), ("我朋友是新手", None), ("I'm new in town", None),
     ("I'm not an expert", None), ("Are you an expert?", None), ("如果我是新手", None), ("怎么写 Python", None)],
)  # fmt: skip
def test_expertise_is_only_what_is_plainly_said(text: str, level: str | None) -> None:
    assert worth.expertise(text) == level
