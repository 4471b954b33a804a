"""Which questions ask about their own speaker, and for what."""

import pytest

from memory.retrieval.about import asks_of_self, attributes


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("我住哪里？", "residence"), ("我现在住在哪个城市", "residence"), ("我家在哪儿", "residence"),
        ("where do I live?", "residence"), ("Which city do I live in?", "residence"), ("我在哪家公司上班", "employer"),
        ("我在哪里工作？", "employer"), ("Where do I work now?", "employer"), ("who do I work for", "employer"),
        ("我的工作是什么", "occupation"), ("我是做什么的", "occupation"), ("What's my job?", "occupation"),
        ("what do I do for a living?", "occupation"), ("我叫什么名字", "name"), ("我是谁", "name"),
        ("What is my name?", "name"), ("who am I", "name"), ("我几岁了", "age"), ("How old am I?", "age"),
        ("我生日是哪天", "birthday"), ("when is my birthday", "birthday"), ("我喜欢吃什么？", "likes"),
        ("What food do I like?", "likes"), ("我不喜欢吃什么", "dislikes"), ("what do I hate", "dislikes"),
        ("我报名了什么活动", "event"), ("Which meetup did I sign up for?", "event"), ("我老家在哪", "origin"),
        ("where am I from", "origin"),
    ],
)  # fmt: skip
def test_the_attribute_is_seen(question: str, attribute: str) -> None:
    assert attribute in attributes(question)
    assert asks_of_self(question)


@pytest.mark.parametrize(
    "question",
    [
        "怎么报名？", "How do I sign up?", "can I bring a guest?", "退款怎么办", "图书馆在哪里", "where is the library",
        "我可以带朋友来吗", "what should I bring", "我要怎么付会费", "who is the moderator", "When do I have to pay?",
        "where do I park", "我想借投影仪", "What is the fee?", "我该找谁", "where can I get my receipt",
    ],
)  # fmt: skip
def test_a_question_about_the_community_is_none_about_me(question: str) -> None:
    assert attributes(question) == frozenset()
    assert not asks_of_self(question)


@pytest.mark.parametrize("question", ["what's my pet's name?", "我的狗叫什么", "我喜欢川菜吗", "Do I like coriander?"])
def test_other_questions_about_me_are_seen(question: str) -> None:
    assert asks_of_self(question)
