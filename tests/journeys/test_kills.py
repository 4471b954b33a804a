"""Kill -9 in the middle of an answer: the question is kept, the turn ends once, and whoever died comes back."""

import time
import uuid

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import SignIn
from tests.journeys.stories import begin, ended, shown, squeezed, stored, story
from tests.product import Product
from tests.scripted import Reply, Scripted

WITHIN = 60
"""Seconds in which a turn whose process died has ended, by the contract."""
PROCESSES = {"web": ("daphne",), "worker": ("celery", " worker"), "beat": ("celery", " beat"),
             "embedder": ("assistant.embedder",)}  # fmt: skip


@pytest.fixture
def product(telling: Product) -> str:
    """The one that is hurt here."""
    return telling.address


def kill(telling: Product, *names: str) -> None:
    """Kill them, and wait until each is said to have ended and runs again under another number."""
    said = len(telling.lines)
    gone = {name: telling.kill(*PROCESSES[name]) for name in names}
    for name, number in gone.items():
        telling.wait_for_line(f"{name} ended", after=said)
        deadline = time.monotonic() + WITHIN
        while (now := telling.pid(*PROCESSES[name])) in (None, number):
            assert time.monotonic() < deadline, f"{name} was not started again"
            time.sleep(0.1)
        assert now is not None


@pytest.mark.parametrize("names", [("web",), ("web", "worker", "beat")], ids=" ".join)
def test_a_turn_whose_process_died_ends_interrupted_and_can_be_tried_again(
    sign_in: SignIn, telling: Product, storyteller: Scripted, names: tuple[str, ...]
) -> None:
    page, text = sign_in("alice"), story(60)
    question, conversation = begin(page, storyteller, text, 40)
    began = time.monotonic()
    kill(telling, *names)
    ended(page, WITHIN)
    assert time.monotonic() - began < WITHIN
    expect(page.locator(".turn").last).to_have_attribute("data-state", "interrupted")
    expect(page.locator("[data-question]").last).to_have_text(question)
    frames = stored(page, conversation)
    assert [frame["state"] for frame in frames if frame["type"] == "done"] == ["interrupted"]
    assert text.startswith(frames[-1]["text"])
    assert shown(page) == squeezed(frames[-1]["text"]) != ""
    storyteller.step(lambda seen: seen.streamed and seen.user == question, Reply("In short: 山。"))
    page.locator("[data-ended] [data-again]").last.click()
    expect(page.locator("[data-answer]").last).to_contain_text("In short: 山。", timeout=15_000)
    ended(page)
    assert [frame["state"] for frame in stored(page, conversation) if frame["type"] == "done"] == [
        "interrupted", "answered",
    ]  # fmt: skip
    page.context.close()


@pytest.mark.parametrize("name", ["worker", "beat", "embedder"])
def test_an_answer_does_not_need_whoever_is_not_writing_it(
    sign_in: SignIn, telling: Product, storyteller: Scripted, name: str
) -> None:
    page, text = sign_in("bob"), story(12)
    _, conversation = begin(page, storyteller, text, 2)
    kill(telling, name)
    ended(page, WITHIN)
    assert shown(page) == squeezed(text)
    assert [frame["state"] for frame in stored(page, conversation) if frame["type"] == "done"] == ["answered"]
    page.context.close()


def test_a_question_asked_just_after_the_embedder_died_is_answered(
    sign_in: SignIn, telling: Product, storyteller: Scripted
) -> None:
    page, said = sign_in("bob"), len(telling.lines)
    telling.kill(*PROCESSES["embedder"])
    words = f"还在吗 {uuid.uuid4().hex[:6]}"
    _, conversation = begin(page, storyteller, words, 0.2, 3)
    ended(page, WITHIN)
    assert [frame["state"] for frame in stored(page, conversation) if frame["type"] == "done"] == ["answered"]
    telling.wait_for_line("embedder ended", after=said)
    page.context.close()
