"""Who leads what, what needs what, who somebody is: read where a clause says it, and left where it does not."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.extraction.rules import read
from memory.extraction.ties import ties
from tests.memory.extraction.test_extract import claims, fact
from tests.scripted import Scripted

AT = datetime(2026, 3, 1, 4, tzinfo=UTC)


def tied(text: str) -> list[tuple[str, str, str]]:
    said = read(text, at=AT, zone=ZoneInfo("Asia/Shanghai")).claims
    found = [tie for claim in said for tie in ties(claim.subject, claim.attribute, claim.value, claim.text)]
    return [(tie.subject.name if tie.subject else "me", tie.relation.value, tie.object.name) for tie in found]


TIES = {
    "报销需要主管审批": [("报销", "needs", "主管审批")],
    "出差都要先提交经理签字": [("出差", "needs", "经理签字")],
    "Expenses need the manager's approval.": [("Expenses", "needs", "manager's approval")],
    "Every room booking requires a deposit": [],
    "Room bookings require a deposit": [("Room bookings", "needs", "deposit")],
    "小明是我的同事": [("me", "works_with", "小明")],
    "我妹妹叫小雨": [("me", "family", "小雨")],
    "Anna is my colleague": [("me", "works_with", "Anna")],
    "My boss is Anna.": [("me", "works_with", "Anna")],
    "my best friend's name is Joan": [("me", "knows", "Joan")],
    "Anna leads project Falcon": [("Falcon", "led_by", "Anna")],
    "The Falcon project is managed by Tom": [("Falcon", "led_by", "Tom")],
    "Falcon 项目由王芳负责": [("Falcon", "led_by", "王芳")],
    "小明负责前端": [("前端", "led_by", "小明")],
    "I'm in charge of project Falcon": [("me", "leads", "Falcon")],
    "我负责 Falcon 项目": [("me", "leads", "Falcon")],
    "my sister Lena lives in Oslo": [("me", "family", "Lena"), ("Lena", "lives_in", "Oslo")],
    "我妈妈在市医院上班": [("me", "family", "妈妈"), ("妈妈", "works_at", "市医院")],
    "小明在星河科技工作": [("小明", "works_at", "星河科技")],
    "Anna works at Acme": [("Anna", "works_at", "Acme")],
    "Falcon uses Django": [("Falcon", "uses", "Django")],
    "Falcon 依赖 Redis": [("Falcon", "depends_on", "Redis")],
    "I met Anna yesterday": [("me", "knows", "Anna")],
    "我去了成都": [("me", "visits", "成都")],
    "I signed up for the March meetup": [("me", "attends", "March meetup")],
    "我参加了北京马拉松": [("me", "attends", "北京马拉松")],
    "I finished the report on Monday": [],
    "我住在苏州，在星河科技工作，我用Docker": [
        ("me", "lives_in", "苏州"), ("me", "works_at", "星河科技"), ("me", "uses", "Docker")],
}  # fmt: skip


@pytest.mark.parametrize("text", TIES)
def test_a_clause_ties_two_things_together(text: str) -> None:
    assert tied(text) == TIES[text]


@pytest.mark.parametrize(
    "text",
    ["I need help", "this needs review", "我需要时间", "项目需要更多时间", "He needs approval", "Anna runs Linux",
     "Anna runs marathons", "老师负责作业", "她负责 Falcon", "Our team leads project Falcon", "Who leads Falcon?",
     "谁负责 Falcon？", "报销需要主管审批吗？", "如果小明负责 Falcon 就好了", "小明说王芳负责 Falcon",
     "Maybe Anna leads Falcon", "> Anna leads project Falcon", "Anna no longer leads Falcon", "小明不负责 Falcon",
     "报销不需要主管审批", "报销无需审批", "报销现在不用主管审批", "Expenses don't need approval", "Expenses never need a receipt",
     "Expenses no longer require approval", "Falcon doesn't use Django", "Falcon 不依赖 Redis", "Falcon 没用 Django",
     "Anna isn't my boss", "小明不是我的同事", "Anna stopped leading Falcon", "小明不在星河科技工作", "Falcon isn't led by Anna",
     "Falcon 不再由王芳负责", "Is Anna my boss?", "if expenses need approval, tell me", "My PR needs review"],
)  # fmt: skip
def test_what_is_asked_supposed_reported_or_of_nobody_ties_nothing(text: str) -> None:
    assert tied(text) == []


@pytest.mark.parametrize(("says", "ends"), [
    ("Anna leads project Falcon", "Anna no longer leads Falcon"), ("Falcon uses Django", "Falcon no longer uses Django"),
    ("Expenses need a receipt", "Expenses no longer need a receipt"), ("Falcon 由王芳负责", "Falcon 不再由王芳负责"),
    ("报销需要主管审批", "报销现在不需要主管审批了"), ("小明住在北京", "小明已经不住在北京了")])  # fmt: skip
def test_what_is_so_no_longer_ends_what_was_said(says: str, ends: str) -> None:
    first, last = (read(text, at=AT, zone=ZoneInfo("UTC")) for text in (says, ends))
    assert last.claims == () and [one.slot for one in last.endings] == [one.slot for one in first.claims]
    assert [one.value for one in last.endings] == [one.value for one in first.claims]


@pytest.mark.parametrize(("before", "after"), [("Anna leads project Falcon", "Tom now leads Falcon"),
                                               ("Falcon 项目由王芳负责", "小明现在负责 Falcon"),
                                               ("小明住在北京", "小明搬到上海了"), ("Anna lives in Oslo", "Anna moved to Bergen"),
                                               ("Anna works at Acme", "Anna works for Zeta now")])  # fmt: skip
def test_a_new_lead_home_or_employer_is_of_the_same_slot(before: str, after: str) -> None:
    old, new = (read(text, at=AT, zone=ZoneInfo("UTC")).claims[0] for text in (before, after))
    assert old.attribute == new.attribute and old.value != new.value
    assert old.slot == new.slot


TOLD = [
    ("The person who keeps Falcon going these days is Anna, she leads it.", "keeps Falcon going these days is Anna, she leads it",
     "Falcon", "led_by", "Anna", "Falcon is led by Anna"),
    ("说到报销，这边一律要主管审批才行。", "报销，这边一律要主管审批才行", "报销", "needs", "主管审批", "报销需要主管审批"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "quote", "subject", "attribute", "value", "text"), TOLD)
def test_a_model_may_say_what_no_shape_fits_where_the_words_carry_it(
    script: Scripted, message: str, quote: str, subject: str, attribute: str, value: str, text: str
) -> None:
    found = claims(script, message, fact(quote, attribute, value, subject=subject))
    assert [(one.subject, one.attribute, one.value, one.text, one.category) for one in found] == [
        (subject, attribute, value, text, "relation")]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "quote", "subject", "attribute", "value"),
    [("Anna met Tom at Falcon's launch.", "Anna met Tom at Falcon's launch", "Falcon", "led_by", "Tom"),
     ("Anna leads Falcon. Tom was there too.", "Tom was there too", "Falcon", "led_by", "Tom"),
     ("Falcon needs more time.", "Falcon needs more time", "Falcon", "needs", "more time"),
     ("报销不需要主管审批了", "报销不需要主管审批", "报销", "needs", "主管审批"),
     ("Falcon isn't led by Anna.", "Falcon isn't led by Anna", "Falcon", "led_by", "Anna"),
     ("Does Anna lead Falcon?", "Anna lead Falcon", "Falcon", "led_by", "Anna"),
     ("她负责 Falcon 项目。", "她负责 Falcon 项目", "Falcon", "led_by", "她"),
     ("小明说王芳负责 Falcon。", "王芳负责 Falcon", "Falcon", "led_by", "王芳"),
     ("小明和王芳去了 Falcon 的发布会", "小明和王芳去了 Falcon 的发布会", "小明", "kin", "王芳")],
)  # fmt: skip
def test_a_model_may_not_tie_what_the_words_do_not(
    script: Scripted, message: str, quote: str, subject: str, attribute: str, value: str
) -> None:
    assert claims(script, message, fact(quote, attribute, value, subject=subject)) == []


def test_what_a_model_ties_to_the_member_is_the_member_s_own_fact(script: Scripted) -> None:
    (found,) = claims(script, "I moved on: nowadays I live in Kyoto.", fact("I live in Kyoto", "lives_in", "Kyoto"))
    assert (found.subject, found.attribute) == ("me", "residence")
