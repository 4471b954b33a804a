"""Probe 11: whatever a model writes, what is sure is kept, and what is not is a failure that can be seen and retried."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory import policy
from memory.extraction.extract import Exchange, Extracted, Unreadable, extract
from memory.protocols import Completion, Message
from tests.memory.extraction.test_extract import answer, fact

AT = datetime(2026, 3, 4, 4, tzinfo=UTC)
SAYS = {
    "zh": ("我爱吃川菜，也住在苏州。", "我爱吃川菜", "川菜", "住在苏州", "苏州"),
    "en": ("I love jazz and I live in Lyon.", "I love jazz", "jazz", "I live in Lyon", "Lyon"),
}
LANGUAGES = list(SAYS)


@dataclass
class Model:
    """A model that says these things, one after the other, and the last one again."""

    says: Sequence[str]
    model: str = "broken"
    asked: list[Sequence[Message]] = field(default_factory=list)

    async def complete(self, messages: Sequence[Message], *, schema: dict[str, Any]) -> Completion:
        self.asked.append(list(messages))
        return Completion(self.says[min(len(self.asked), len(self.says)) - 1])


def read(message: str, *says: str) -> Extracted:
    return asyncio.run(extract(Exchange(message, "OK", AT, ZoneInfo("Asia/Shanghai")), Model(says)))


def kept(message: str, *says: str) -> list[tuple[str, str]]:
    return sorted((claim.attribute, claim.value) for claim, _ in read(message, *says).claims)


def both(language: str) -> tuple[str, str, list[tuple[str, str]]]:
    """The message, a right answer to it, and what is kept of it."""
    message, liking, liked, living, home = SAYS[language]
    right = answer(fact(liking, "likes", liked), fact(living, "residence", home))
    return message, right, [("likes", liked), ("residence", home)]


WRAPPED = {
    "fenced": "```json\n{}\n```",
    "fenced without its end": "```\n{}",
    "prose around": "Sure! 好的：\n{}\nAnything else? 还有吗？",
    "a thinking block": '<think>{{"facts": [{{"quote": "x", "value": "y"}}]}}</think>{}',
    "two answers, the last one counts": '{{"facts": []}}\n{}',
    "a byte order mark": "\ufeff{}",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WRAPPED)
def test_what_stands_around_the_json_is_no_matter(language: str, name: str) -> None:
    message, right, facts = both(language)
    assert kept(message, WRAPPED[name].format(right)) == facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_comma_too_many_is_no_matter(language: str) -> None:
    message, right, facts = both(language)
    assert kept(message, right.replace("}]}", "},]}")) == facts


LOST = {
    "nothing": ("", "empty"),
    "blank": (" \n ", "empty"),
    "a refusal": ("I'm sorry, but I can't help with that. 抱歉，我无法处理。", "bad_json"),
    "another schema": ('{"memories": ["川菜", "jazz"], "count": 2}', "bad_json"),
    "a schema of the right name": ('{"facts": "川菜, jazz"}', "bad_json"),
    "facts that are words": ('{"facts": ["川菜", "jazz"]}', "bad_schema"),
    "a fact of nulls": ('{"facts": [{"quote": null, "attribute": null, "value": null}]}', "bad_schema"),
    "an unending thought": ("<think>let me see, 让我想想", "bad_json"),
    "nested deep": ('{"facts": ' + "[" * 4000, "bad_json"),
    "deep in a fact": ('{"facts": [{"quote": ' + '{"a": ' * 300 + "1" + "}" * 300 + ', "value": "x"}]}', "bad_schema"),
    "a page of an error": ("<html><body>502 Bad Gateway</body></html>", "bad_json"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LOST)
def test_what_can_not_be_read_twice_is_a_failure_with_a_code_and_never_nothing(language: str, name: str) -> None:
    text, code = LOST[name]
    model = Model([text])
    with pytest.raises(Unreadable) as failure:
        asyncio.run(extract(Exchange(SAYS[language][0], "OK", AT, ZoneInfo("UTC")), model))
    assert failure.value.code == code
    assert len(model.asked) == 2, "one repair, and no more"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LOST)
def test_a_right_answer_to_the_repair_mends_it(language: str, name: str) -> None:
    message, right, facts = both(language)
    assert kept(message, LOST[name][0], right) == facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_an_answer_that_is_cut_off_the_whole_facts_are_kept_wherever_it_is_cut(language: str) -> None:
    message, right, facts = both(language)
    first = json.dumps(json.loads(right)["facts"][0], ensure_ascii=False)
    ends = right.index(first) + len(first)
    for cut in (ends, ends + 5, len(right) - 4):
        assert kept(message, right[:cut], right[:cut]) == facts[:1]
    for cut in (12, ends - 3):
        with pytest.raises(Unreadable):
            read(message, right[:cut])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_fact_beside_a_right_one_is_refused_alone(language: str) -> None:
    message, liking, liked, _, _ = SAYS[language]
    wrong = {"quote": ["x"], "value": {"a": float("inf")}}
    assert kept(message, json.dumps({"facts": [wrong, fact(liking, "likes", liked)]})) == [("likes", liked)]


WEIGHTS = [(42, 1.0), (-3, 0.1), (0, 0.1), ("8/10", 0.8), ("high", 0.5), (None, 0.5), (True, 0.5), ([9], 0.5),
           (float("nan"), 0.5), (float("inf"), 0.5), ("1e9", 0.1)]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("importance", "weight"), WEIGHTS)
def test_an_importance_beyond_its_scale_is_brought_back_to_it(language: str, importance: Any, weight: float) -> None:
    message, liking, liked, _, _ = SAYS[language]
    ((claim, _),) = read(message, answer(fact(liking, "likes", liked, importance=importance))).claims
    assert claim.importance == pytest.approx(weight)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fact_said_ten_times_is_one_and_no_more_are_taken_than_may_be(language: str) -> None:
    message, liking, liked, living, home = SAYS[language]
    facts = [fact(liking, "likes", liked), fact(liking, "like", f" {liked} "), fact(message, "interest", liked)] * 4
    assert kept(message, answer(*facts, fact(living, "residence", home))) == [("likes", liked)]
    assert len(facts) > policy.EXTRACT_MOST


ELSEWHERE = {
    "zh": [("我讨厌香菜", "dislikes", "香菜"), ("I love Sichuan food", "likes", "Sichuan food"), ("我爱吃川菜", "likes", "粤菜"),
           ("OK", "note", "OK"), ("", "likes", "川菜")],
    "en": [("I hate coriander", "dislikes", "coriander"), ("我爱爵士", "likes", "爵士"), ("I love jazz", "likes", "opera"),
           ("OK", "note", "OK"), ("", "likes", "jazz")],
}  # fmt: skip


@pytest.mark.parametrize(("language", "wrong"), [(language, wrong) for language, all_ in ELSEWHERE.items() for wrong in all_])
def test_what_the_member_s_message_does_not_carry_is_not_taken(language: str, wrong: tuple[str, str, str]) -> None:
    message, liking, liked, _, _ = SAYS[language]
    assert kept(message, answer(fact(*wrong), fact(liking, "likes", liked))) == [("likes", liked)]


TURNED = [
    ("我以前住在杭州，现在住在苏州。", "我以前住在杭州", "residence", "杭州"),
    ("我不在杭州了，在苏州。", "我不在杭州了", "residence", "杭州"),
    ("I used to live in Oslo, now I live in Bergen.", "I used to live in Oslo", "residence", "Oslo"),
    ("I no longer work at Acme, I work at Zeta now.", "I no longer work at Acme", "employer", "Acme"),
    ("我不喜欢香菜，喜欢香草。", "我不喜欢香菜", "likes", "香菜"),
    ("I don't like coriander, I like basil.", "I don't like coriander", "likes", "coriander"),
]


@pytest.mark.parametrize(("message", "quote", "attribute", "old"), TURNED)
def test_the_old_told_as_the_new_is_not_taken(message: str, quote: str, attribute: str, old: str) -> None:
    assert (attribute, old) not in kept(message, answer(fact(quote, attribute, old)))
    short = answer(fact(old, attribute, old))
    assert (attribute, old) not in kept(message, short), "with a quote that leaves out what turns it round"
