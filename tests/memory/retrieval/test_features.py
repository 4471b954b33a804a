"""Features are numbers from 0 to 1, of an exchange and of what stands around it in its own conversation."""

import uuid
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memory.retrieval.exchange import Exchange, Pool
from memory.retrieval.features import NAMES, Question, table
from memory.retrieval.text import query_terms, terms

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def made(question: str, *talks: list[tuple[str, float | None]]) -> tuple[Question, Pool]:
    """A pool of conversations, each a list of texts with their cosines."""
    words = query_terms(question)
    rows = [
        Exchange(uuid.UUID(int=100 * number + place), uuid.UUID(int=number), place, NOON + timedelta(days=number), text,
                 len(terms(text)), [term for term in terms(text) if term in words], cosine)
        for number, talk in enumerate(talks, 1) for place, (text, cosine) in enumerate(talk, 1)
    ]  # fmt: skip
    often = {word: sum(word in row.held for row in rows) for word in words}
    return Question(question, words), Pool(tuple(rows), len(rows), 5.0, 0.1, {w: n for w, n in often.items() if n})


def columns(question: Question, pool: Pool) -> dict[str, list[float]]:
    values = table(question, pool).values
    assert np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1
    return {name: [round(float(one), 3) for one in values[:, place]] for place, name in enumerate(NAMES)}


def test_a_window_ends_with_its_conversation() -> None:
    asked, pool = made("the kayak", [("my kayak", 0.5), ("yes", 0.1)], [("no", 0.1), ("tea", 0.1)])
    found = columns(asked, pool)
    assert found["words"] == [1, 0, 0, 0]
    assert [one > 0 for one in found["window words"]] == [True, True, False, False]
    assert [one > 0 for one in found["window meaning"]] == [True, True, False, False]
    assert found["talk meaning"] == [1, 1, 0, 0]


def test_a_missing_turn_parts_its_neighbours() -> None:
    asked, pool = made("the kayak", [("my kayak", 0.5), ("yes", 0.1), ("no", 0.1), ("so", 0.1)])
    apart = Pool((pool.rows[0], pool.rows[3]), 4, 5.0, 0.1, pool.often)
    assert columns(asked, apart)["window words"][1] == 0


def test_who_speaks_who_is_named_and_which_day_count() -> None:
    asked, pool = made("What did Mei give Tomas in 2019?", [("Mei: it was 2019", 0.1), ("Bo: Tomas got a book", 0.1)])
    day = Question(asked.text, asked.words, [(NOON, NOON + timedelta(days=2))])
    found = columns(day, pool)
    assert found["speaker"] == [1, 0]
    assert found["names"][1] > 0 and found["window names"][0] > 0
    assert found["numbers"] == [1, 0] and found["day"] == [1, 1]


def test_a_speaker_is_named_by_a_word_and_not_by_a_part_of_one() -> None:
    asked, pool = made("Does Alina also paint?", [("Al: I do", 0.1), ("Alina: so do I", 0.1), ("(May) Alina: yes", 0.1)])
    assert columns(asked, pool)["speaker"] == [0, 1, 1]
    asked, pool = made("王峰喜欢什么音乐？", [("王峰：我喜欢爵士", 0.1), ("李雪：是吗", 0.1)])
    assert columns(asked, pool)["speaker"] == [1, 0]


def test_the_turn_after_a_question_may_answer_it() -> None:
    asked, pool = made("favourite dish", [("What is your favourite dish?", 0.4), ("Dumplings", 0.1), ("Nice", 0.1)])
    found = columns(asked, pool)
    assert found["answers"][1] > 0 and found["answers"][0] == found["answers"][2] == 0


def test_an_answer_of_the_kind_that_is_asked_for_counts_without_what_stands_before_the_speaker() -> None:
    asked, pool = made("When did Mei paint?", [("(3 May 2023) Mei: a lake", 0.1), ("(3 May 2023) Mei: last year", 0.1)])
    assert columns(asked, pool)["says when"] == [0, 1]
    asked, pool = made("What did Mei paint?", [("(3 May 2023) Mei: a lake", 0.1), ("(3 May 2023) Mei: last year", 0.1)])
    assert columns(asked, pool)["says when"] == [0, 0]


def test_a_conversation_lies_as_near_as_its_best_three_and_its_beginning_is_known() -> None:
    asked, pool = made("the kayak", [("a", 0.5), ("b", 0.3), ("c", 0.1), ("d", 0.3)], [("e", 0.5)])
    found = columns(asked, pool)
    assert found["talk best"] == pytest.approx([2 / 3] * 4 + [1 / 3], abs=0.001)
    assert found["late"] == [0.05, 0.1, 0.15, 0.2, 0.05]
    assert found["meaning before"] == [0, 1, 0.5, 0, 0]


def test_words_of_the_turn_after_count_with_its_own() -> None:
    asked, pool = made("the kayak", [("tell me", 0.1), ("my kayak", 0.1), ("yes", 0.1)])
    found = columns(asked, pool)["words after"]
    assert found[0] > 0 == found[2] and found[1] > 0


def test_without_vectors_words_are_left() -> None:
    asked, pool = made("the kayak", [("my kayak", None), ("yes", None)])
    assert not table(asked, pool).meant
    found = columns(asked, pool)
    assert found["words"] == [1, 0] and found["meaning"] == [0, 0]
    assert table(asked, Pool()).rows == ()
