"""What a question is about, without its names and its frame, and the end of a long message."""

import pytest

from memory.retrieval.gist import gist, names


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("When did Melanie paint a sunrise?", "paint a sunrise"),
        ("What is Tom's relationship status?", "relationship status"),
        ("Where did Ana and Li meet in June?", "and meet in June"),
        ("first line\nsecond line\n\nthird line", "second line\nthird line"),
        ("我周末去爬山\n好呀\n我该带什么", "好呀\n我该带什么"),
    ],
)
def test_names_and_frame_are_left_out_and_the_end_counts(question: str, about: str) -> None:
    assert gist(question) == about


@pytest.mark.parametrize(
    "question", ["where do I live?", "我住哪里？", "one line\nand another", "Who is Melanie?", "What happened in May?", "", "??"]
)
def test_what_names_nobody_is_its_own_gist(question: str) -> None:
    assert gist(question) == ""


def test_days_and_months_and_the_first_word_are_no_names() -> None:
    assert names("Tomas saw I and Mei on Monday, then Bo in May") == ["Mei", "Bo"]
