"""Each shape of file is known by what is in it, and becomes who said what, and which of it answers a question."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory.evaluation import datasets
from memory.evaluation.datasets import Unreadable, read

TALK: list[dict[str, Any]] = [{
    "sample_id": "one",
    "conversation": {
        "speaker_a": "Ann", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_10_date_time": "9:00 am on 1 July, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Did you paint?"},
                      {"speaker": "Ben", "dia_id": "D1:2", "text": "A lake.", "blip_caption": "a lake at dawn"}],
        "session_10": [{"speaker": "Ann", "dia_id": "D10:5", "text": "I sold it."}],
    },
    "qa": [
        {"question": "What did Ben paint?", "evidence": ["D1:1; D1:02", "D:10:5", "D77:1"], "category": 1},
        {"question": "Whose idea was it?", "evidence": ["D1:1"], "category": 5},
        {"question": "Who bought it?", "evidence": [], "category": 4},
    ],
}]  # fmt: skip


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One small file of each shape, under names that say nothing."""
    dialogue = {"dialogue": ["<BOD>\n", '<Bo>: "I will dance"\n', '<Assistant>: "as you did"\n'], "test-turn": [2], "relevant-id": [1, 9], "user-id": 1, "id": 0}
    event = {"time": "2023-12-25", "scene": "x", "event": "Bo danced at the feast.", "user-id": 1}
    (tmp_path / "a").write_text(json.dumps(TALK), encoding="utf-8")
    (tmp_path / "b").write_text(lines({"1": event}, {"2": event | {"event": "Bo slept."}}), encoding="utf-8")
    (tmp_path / "c").write_text(lines(dialogue, dialogue), encoding="utf-8")
    history = {"history": {"2023-04-27": [{"query": "你好", "response": "您好"}, {"query": "我爱画画", "response": "真好"}]}}
    (tmp_path / "d").write_text(json.dumps({"张": history}, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "e").write_text(json.dumps({"张": {"questions": ["我爱什么？"], "gold": [["04-27/1"]]}}, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "f").write_text("怎么退款\t如何退款\t1\n怎么退款\t如何开票\t0\n", encoding="utf-8")
    (tmp_path / "g").write_text(
        '<xml><OrgQuestion ORGQ_ID="Q1"><OrgQSubject>Bank</OrgQSubject><OrgQBody>Which?</OrgQBody><Thread>'
        '<RelQuestion RELQ_ID="Q1_R1" RELQ_DATE="2013-05-02 19:43:00" RELQ_RELEVANCE2ORGQ="Relevant"><RelQSubject>Best bank'
        "</RelQSubject><RelQBody/></RelQuestion></Thread></OrgQuestion></xml>", encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "notes.txt").write_text("nothing of all this", encoding="utf-8")
    return tmp_path


def test_evidence_is_read_however_it_was_typed_and_the_unanswerable_is_not_asked(folder: Path) -> None:
    data = read(folder / "a")
    (question,) = data.questions
    assert (data.name, data.job, question.category) == ("locomo", "events", "multi-hop")
    assert question.gold == {"one D1:1", "one D1:2", "one D10:5"}
    assert [one.talk for one in data.said] == ["one session_1", "one session_1", "one session_10"]
    assert data.said[1].text == "(08 May 2023) Ben: A lake. [photo: a lake at dawn]"


@pytest.mark.parametrize("file", ["b", "c"])
def test_a_file_brings_the_one_that_it_needs_along(folder: Path, file: str) -> None:
    data = read(folder / file)
    assert data.name == "madial-en"
    assert [(one.text, one.gold) for one in data.questions] == [("I will dance", {"1"})] * 2
    assert data.said[0].text == "2023-12-25 Bo danced at the feast."


def test_an_exchange_is_named_by_its_day_and_place(folder: Path) -> None:
    data = read(folder, "memorybank-zh")
    assert [one.key for one in data.said] == ["张 04-27/0", "张 04-27/1"]
    assert data.questions[0].gold == {"张 04-27/1"}


def test_who_asks_the_same_is_the_answer(folder: Path) -> None:
    pairs, forum = read(folder / "f"), read(folder / "g")
    assert [one.text for one in pairs.said] == ["如何退款", "如何开票"]
    assert (pairs.job, pairs.questions[0].gold) == ("asked", {"f 如何退款"})
    assert (forum.name, forum.said[0].text, forum.questions[0].gold) == ("semeval", "Best bank", {"Q1_R1"})


def test_what_is_not_there_or_not_clear_is_said(folder: Path) -> None:
    for path, name in ((folder, ""), (folder / "notes.txt", ""), (folder / "a", "pairs"), (folder / "none", "")):
        with pytest.raises(Unreadable):
            read(path, name)
    assert {read(folder, name).name for name in datasets.NAMES if name != "madial-zh"} == {*datasets.NAMES} - {"madial-zh"}
