"""Say who you are, be known at once, come back, be remembered; the neighbour hears none of it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import SignIn

SAYS = {
    "en": ("My name is Alice. I signed up for the March meetup.", "How do I sign up for a meetup?", "As last time"),
    "zh": ("我叫小雨，我报名了三月的线下活动。", "线下活动怎么报名？", "和上次一样"),
}
NAMES = {"en": "Alice", "zh": "小雨"}
WHO = {"en": "alice", "zh": "mei"}


def ask(page: Page, text: str) -> str:
    """Ask, wait for the end of the answer, and return it."""
    answers = page.locator("[data-answer]")
    before = answers.count()
    box = page.locator("textarea").first
    box.fill(text)
    box.press("Enter")
    expect(answers).to_have_count(before + 1, timeout=15_000)
    expect(page.get_by_role("button", name=re.compile("Regenerate")).last).to_be_visible(timeout=15_000)
    return answers.last.inner_text()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_knows_me_at_once_and_when_i_come_back(sign_in: SignIn, language: str) -> None:
    says, question, last_time = SAYS[language]
    page = sign_in(WHO[language])
    assert NAMES[language] in ask(page, says)
    page.context.close()

    page = sign_in(WHO[language])
    answer = ask(page, question)
    assert last_time in answer
    expect(page.locator("a.cite").first).to_be_visible()
    page.goto(page.locator("a.cite").first.get_attribute("href") or "")
    expect(page.locator("body")).to_contain_text(re.compile("March|三月"))

    neighbour = sign_in("bob")
    assert last_time not in ask(neighbour, question)
    expect(neighbour.locator("body")).not_to_contain_text(NAMES[language])


def test_a_reload_shows_what_is_stored(sign_in: SignIn) -> None:
    page = sign_in("bob")
    answer = ask(page, "What is the membership fee?")
    assert "120" in answer
    page.reload()
    assert page.locator("[data-answer]").last.inner_text() == answer


def test_a_member_is_told_who_opened_their_memories(sign_in: SignIn) -> None:
    bob, mei = sign_in("bob"), sign_in("mei")
    member = bob.evaluate("fetch('/api/v1/profile').then((r) => r.json())")["member"]
    mei.goto(f"/staff/members/{member}/?reason=a+question+of+his")
    expect(mei.locator("h1")).to_contain_text("bob")
    bob.goto("/me/memory/")
    expect(bob.locator("body")).to_contain_text("a question of his")
    expect(bob.locator("body")).not_to_contain_text("Nobody but you")
