"""Long answers of many pieces, asked for on the page, and what the socket holds of them."""

import re
import uuid
from typing import Any

from playwright.sync_api import Page, expect

from tests.journeys.test_socket import talk
from tests.scripted import Reply, Scripted


def story(parts: int) -> str:
    """Mixed text of numbered parts, so that nothing in it can be missed or doubled unseen."""
    each = "第{n}段：从前有座山，part {n} of a long tale 🎉👩‍👩‍👧‍👦 𠮷野 é — end {n}。"
    return "\n\n".join(each.format(n=number) for number in range(parts))


def begin(page: Page, script: Scripted, text: str, seconds: float, pieces: int = 200) -> tuple[str, str]:
    """Ask for `text` and wait for its first words; returns the question and the conversation."""
    question = f"tell me {uuid.uuid4().hex[:8]}"
    script.step(lambda seen: seen.streamed and seen.user == question, Reply(text, pieces, duration=seconds))
    box = page.locator("textarea").first
    box.fill(question)
    box.press("Enter")
    expect(page.locator("[data-answer]").last).to_contain_text(text[:3], timeout=15_000)
    page.wait_for_url(re.compile("/c/"))
    return question, page.url.split("/c/")[1].strip("/")


def squeezed(text: str) -> str:
    """Without the white space, which a page shows in its own way."""
    return "".join(text.split())


def shown(page: Page) -> str:
    """The last answer as the page shows it."""
    return squeezed(page.locator("[data-answer]").last.inner_text())


def ended(page: Page, seconds: float = 30) -> None:
    """Wait until the page says that the answer has ended, whichever way."""
    expect(page.locator(".turn").last).not_to_have_attribute("data-state", "running", timeout=seconds * 1000)


def stored(page: Page, conversation: str) -> list[dict[str, Any]]:
    """All frames of a conversation; gapless, with the deltas of each turn by `n` adding up to its text."""
    frames: list[dict[str, Any]] = talk(page, conversation, ['{"type":"resume","after":0}'], 700)["got"]
    assert [frame["seq"] for frame in frames] == list(range(1, len(frames) + 1))
    for done in (frame for frame in frames if frame["type"] == "done"):
        deltas = [frame for frame in frames if frame["type"] == "delta" and frame["turn"] == done["turn"]]
        assert [delta["n"] for delta in deltas] == list(range(len(deltas)))
        assert "".join(delta["text"] for delta in deltas) == done["text"]
    return frames
