"""Texts that hold an answer of the kind that is asked for."""

import pytest

from memory.retrieval.answers import KINDS, fits


@pytest.mark.parametrize(
    ("kind", "question", "answer", "other"),
    [
        ("says when", "When did you move?", "Two years ago", "To the coast"),
        ("says when", "你什么时候搬家的？", "去年三月", "搬到海边"),
        ("says when", "会议几点开始", "下午3点", "在大厅"),
        ("says how many", "How many cats are there?", "We have three", "They are grey"),
        ("says how many", "有多少人报名", "二十个", "很热闹"),
        ("says who", "Who gave you the book?", "it was Mei", "it was a gift"),
        ("says who", "Where did they meet?", "we met in Lisbon", "we met at work"),
    ],
)
def test_an_answer_of_its_kind_is_seen(kind: str, question: str, answer: str, other: str) -> None:
    says = fits(kind, question)
    assert says is not None
    assert says(answer) and not says(other)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", ["Why is the sea salty?", "我喜欢什么颜色"])
def test_other_questions_ask_for_none(kind: str, question: str) -> None:
    assert fits(kind, question) is None
