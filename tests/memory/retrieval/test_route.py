"""A message that only goes on is looked up by what it goes on from."""

import pytest

from memory.retrieval.route import plan

BEFORE = ("推荐几款笔记本电脑", "show me more")


@pytest.mark.parametrize(
    "text",
    ["再找找更便宜的", "find cheaper ones", "Can you find cheaper ones, please?", "有没有更便宜的？", "换一个", "再详细一点吧",
     "继续说", "show me more", "another one please", "更便宜的有吗", "还有别的吗？", "something cheaper?"],
)  # fmt: skip
def test_a_follow_up_goes_on_from_the_last_message_that_says_something(text: str) -> None:
    assert plan(text, BEFORE).text == BEFORE[0]
    assert plan(text, BEFORE).goes_on
    assert plan(text).text == text, "with nothing before it, it stands for itself"


@pytest.mark.parametrize(
    "text",
    ["更便宜的按摩椅在哪里买？", "Find cheaper massage chairs", "我喜欢便宜的", "再说一下会费是多少", "how do I find the tool library?",
     "What is the fee?", "我换工作了", "I need more details about the March meetup", "再推荐几款川菜馆", "我住在便宜的地方"],
)  # fmt: skip
def test_a_message_that_says_what_it_is_about_stands_for_itself(text: str) -> None:
    assert plan(text, BEFORE).text == text
