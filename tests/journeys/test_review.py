"""A moderator clears the review queue by keys alone, in English and in Chinese."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import SignIn

DOUBT = """async (texts) => {
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
  const post = async (path, body) => (await fetch('/api/v1' + path, {
    method: 'POST', headers: {'Content-Type': 'application/json', 'X-CSRFToken': token}, body: JSON.stringify(body),
  })).json();
  for (const text of texts) {
    const made = await post('/memories', {text});
    await post(`/memories/${made.id}/flag`, {reason: 'who knows'});
  }
}"""
WAIT = {"en-GB": re.compile(r"^(\d+) waits?$"), "zh-CN": re.compile(r"^(\d+) 条等待处理$")}


def waiting(page: Page, language: str) -> int:
    """How many wait, as the page says."""
    found = WAIT[language].match(page.locator(".told .quiet").inner_text())
    assert found is not None
    return int(found[1])


def press(page: Page, key: str, language: str, fewer: int) -> None:
    """Press a key, and wait until that many fewer wait."""
    before = waiting(page, language)
    page.keyboard.press(key)
    wanted = before - fewer
    if wanted:
        expect(page.locator(".told .quiet")).to_have_text(re.compile(rf"^{wanted} "))
    else:
        expect(page.locator(".waiting")).to_have_count(0)


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_twenty_are_decided_without_a_mouse(sign_in: SignIn, language: str) -> None:
    alice = sign_in("alice")
    alice.evaluate(DOUBT, [f"note {number:02} of {language}: the kiln 窑炉 is free" for number in range(20)])
    mei = sign_in("mei", locale=language)
    mei.goto("/staff/review/")
    assert waiting(mei, language) == 20
    expect(mei.locator(".waiting [data-row]")).to_have_count(20)

    mei.keyboard.press("?")
    expect(mei.locator("#keys")).to_be_visible()
    mei.keyboard.press("Escape")
    expect(mei.locator("#keys")).to_be_hidden()

    mei.keyboard.press("j")
    expect(mei.locator("#thing h2")).to_contain_text("note 01")
    mei.keyboard.press("n")
    expect(mei.locator("#thing h2")).to_contain_text("note 02")
    mei.keyboard.press("k")
    expect(mei.locator("#thing h2")).to_contain_text("note 01")

    press(mei, "a", language, 1)
    expect(mei.locator("#thing h2")).to_contain_text("note 02")
    press(mei, "r", language, 1)
    press(mei, "u", language, -1)
    expect(mei.locator("#thing h2")).to_contain_text("note 02")

    mei.keyboard.press("e")
    expect(mei.locator("#edit-text")).to_be_focused()
    mei.keyboard.press("Control+End")
    mei.keyboard.type(" on Mondays")
    press(mei, "Control+Enter", language, 1)

    for _ in range(3):
        mei.keyboard.press("x")
        mei.keyboard.press("j")
    expect(mei.locator(".waiting input:checked")).to_have_count(3)
    press(mei, "r", language, 3)
    press(mei, "u", language, -3)
    for _ in range(18):
        press(mei, "a", language, 1)
    expect(mei.locator(".empty")).to_be_visible()

    alice.goto("/me/memory/")
    expect(alice.locator("body")).to_contain_text(f"note 02 of {language}: the kiln 窑炉 is free on Mondays")
    expect(alice.locator("body")).to_contain_text("review")
