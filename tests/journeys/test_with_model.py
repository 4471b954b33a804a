"""With a language model: it is told who I am at once, what was said last time, and nothing of mine for the neighbour."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import SignIn, started
from tests.journeys.test_remembers import ask
from tests.scripted import Reply, Scripted, Seen

WHO = {"en": "alice", "zh": "mei"}
NAMES = {"en": "Alice", "zh": "小雨"}
SAYS = {
    "en": "My name is Alice. I signed up for the March meetup. Without my ukulele I can't relax at all.",
    "zh": "我叫小雨，我报名了三月的线下活动。没有尤克里里我一天都过不下去。",
}
LEARNT = {"en": ("Without my ukulele", "ukulele"), "zh": ("没有尤克里里我一天都过不下去", "尤克里里")}
SIGNED_UP = {"en": "signed up for the March", "zh": "报名了三月"}
HELLO = {"en": "Nice to meet you, Alice.", "zh": "认识你很高兴，小雨。"}
QUESTION = {"en": "How do I sign up for a meetup?", "zh": "线下活动怎么报名？"}
MONTH = {"en": "March", "zh": "三月"}
LAST_TIME = {"en": "As last time, for the March meetup [m1].", "zh": "和上次三月的活动一样 [m1]。"}
UNKNOWN = {"en": "Ask a moderator, please.", "zh": "请问版主。"}


@pytest.fixture(scope="module")
def model() -> Iterator[Scripted]:
    """One scripted model for the running product."""
    with Scripted() as script:
        yield script


@pytest.fixture(scope="module")
def product(model: Scripted) -> Iterator[str]:
    """A running Kith whose endpoint is the scripted model."""
    with started(LLM_BASE_URL=model.url, LLM_API_KEY="kk-private", LLM_MODEL="big", LLM_SMALL_MODEL="small") as address:
        yield address


def introduced(language: str) -> Callable[[Seen], bool]:
    def matches(seen: Seen) -> bool:
        if not seen.streamed or seen.user != SAYS[language]:
            return False
        assert NAMES[language] in seen.region("profile"), "the same prompt knows the name"
        return True

    return matches


def extracted(language: str) -> Reply:
    quote, value = LEARNT[language]
    fact = {"quote": quote, "subject": "me", "attribute": "likes", "value": value, "text": "", "when": "",
            "how": "stated", "importance": 6}  # fmt: skip
    return Reply(json.dumps({"facts": [fact]}, ensure_ascii=False))


def recalled(language: str) -> Callable[[Seen], bool]:
    def matches(seen: Seen) -> bool:
        if not seen.streamed or seen.user != QUESTION[language]:
            return False
        assert MONTH[language] in seen.region("memories").partition("[m2]")[0], (
            "the first memory is the one of last time"
        )
        assert NAMES[language] in seen.region("profile")
        return True

    return matches


def foreign(language: str) -> Callable[[Seen], bool]:
    def matches(seen: Seen) -> bool:
        if not seen.streamed or seen.user != QUESTION[language]:
            return False
        told = json.dumps(seen.body, ensure_ascii=False)
        for canary in (NAMES[language], LEARNT[language][1], SIGNED_UP[language]):
            assert canary not in told, "hers is not told to him"
        assert MONTH[language] not in seen.region("memories"), "only the shared knowledge may speak of it"
        return True

    return matches


def in_time(page: Page, words: str) -> None:
    """The worker reads an exchange some seconds after it."""
    for _ in range(30):
        page.goto("/me/memory/")
        if words in page.locator("main").inner_text():
            return
        page.wait_for_timeout(1000)
    raise AssertionError(f"never remembered: {words}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_knows_me_and_the_last_time_and_tells_nobody(sign_in: SignIn, model: Scripted, language: str) -> None:
    model.step(introduced(language), Reply(HELLO[language], duration=0.3))
    model.step(lambda seen: not seen.streamed and LEARNT[language][1] in seen.user, extracted(language))
    page = sign_in(WHO[language])
    assert HELLO[language] in ask(page, SAYS[language])
    in_time(page, LEARNT[language][1])
    page.context.close()

    model.step(recalled(language), Reply(LAST_TIME[language]))
    page = sign_in(WHO[language])
    assert LAST_TIME[language].partition(" [m1]")[0] in ask(page, QUESTION[language])
    cite = page.locator("a.cite").first
    expect(cite).to_be_visible()
    place = cite.get_attribute("href") or ""
    cite.click()
    expect(page.locator(".source blockquote").last).to_contain_text(MONTH[language])
    page.goto(place)
    expect(page.locator("body")).to_contain_text(re.compile(MONTH[language]))

    model.step(foreign(language), Reply(UNKNOWN[language]))
    neighbour = sign_in("bob")
    assert UNKNOWN[language] in ask(neighbour, QUESTION[language])
    expect(neighbour.locator("body")).not_to_contain_text(NAMES[language])
    expect(neighbour.locator("a.cite")).to_have_count(0)


def test_a_model_that_fails_is_said_so_and_can_be_tried_again(sign_in: SignIn, model: Scripted) -> None:
    question = "What about the weather?"
    model.step(lambda seen: seen.streamed and seen.user == question, Reply("half a sen", fault="cut"), Reply("Sunny."))
    page = sign_in("bob")
    box = page.locator("textarea").first
    box.fill(question)
    box.press("Enter")
    expect(page.locator("[data-ended]").last).to_be_visible(timeout=15_000)
    expect(page.locator("[data-question]").last).to_have_text(question)
    page.locator("[data-ended] [data-again]").last.click()
    expect(page.locator("[data-answer]").last).to_contain_text("Sunny.", timeout=15_000)


def test_stop_ends_the_call_of_the_model(sign_in: SignIn, model: Scripted) -> None:
    question = "Tell me a long story"
    model.step(lambda seen: seen.streamed and seen.user == question, Reply("once upon a time " * 60, 120, duration=90))
    page = sign_in("bob")
    box = page.locator("textarea").first
    box.fill(question)
    box.press("Enter")
    expect(page.locator("[data-answer]").last).to_contain_text("once upon", timeout=15_000)
    page.get_by_role("button", name=re.compile("Stop")).click()
    expect(page.locator("[data-ended]").last).to_be_visible(timeout=15_000)
    assert model.asked(streamed=True)[-1].gone.wait(10)
    expect(page.locator("[data-answer]").last).to_contain_text("once upon")
