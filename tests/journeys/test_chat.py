"""What only a browser shows of the chat: branches, source text, quotes, keys, and text that is never lost."""

import json
import re
import uuid
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import SignIn
from tests.journeys.test_stream import wire
from tests.product import Product
from tests.scripted import Reply, Scripted

CODE = "def area(r):\n    return 3 * r ** 2\n"


@pytest.fixture
def product(telling: Product) -> str:
    """The one whose model says what a test scripts."""
    return telling.address


def asked(page: Page, script: Scripted, question: str, answer: str) -> None:
    script.step(lambda seen: seen.streamed and seen.user == question, Reply(answer))
    page.locator("#text").fill(question)
    page.locator("#text").press("Enter")
    expect(page.locator("[data-question]").last).to_have_text(question)
    expect(page.locator(".turn").last).to_have_attribute("data-state", "answered", timeout=15_000)


def fresh(words: str) -> str:
    return f"{words} {uuid.uuid4().hex[:6]}"


def test_a_message_is_edited_by_keys_and_its_versions_can_be_read(sign_in: SignIn, storyteller: Scripted) -> None:
    page, first, second = sign_in("alice"), fresh("one?"), fresh("two?")
    asked(page, storyteller, first, "The first answer.")
    expect(page.locator("[data-branches]:visible")).to_have_count(0)
    page.locator("#text").press("ArrowUp")
    expect(page.locator("#text")).to_have_value(first)
    asked(page, storyteller, second, "The second answer.")
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator("[data-place]").last).to_have_text("2 / 2")
    page.locator("[data-earlier]").last.click()
    expect(page.locator("[data-answer]")).to_have_text("The first answer.")
    expect(page.locator("#text, [data-again]:visible")).to_have_count(0)
    page.locator("[data-later]").last.click()
    expect(page.locator("[data-answer]")).to_have_text("The second answer.")
    page.context.close()


def test_source_text_is_copied_and_a_selection_quoted(sign_in: SignIn, storyteller: Scripted) -> None:
    page = sign_in("bob", permissions=["clipboard-read", "clipboard-write"])
    asked(page, storyteller, fresh("code?"), f"Some words here.\n\n```python\n{CODE}```\n\n$x^2$")
    expect(page.locator("[data-answer] math msup")).to_have_count(1)
    expect(page.locator(".code .top")).to_contain_text("python")
    page.locator("[data-copy-code]").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('return'))")
    assert page.evaluate("navigator.clipboard.readText()") == CODE
    page.evaluate("getSelection().selectAllChildren(document.querySelector('[data-answer] p'))")
    page.locator("[data-quote-selected]").click()
    expect(page.locator("#text")).to_have_value("> Some words here.\n\n")
    expect(page.locator("#text")).to_be_focused()
    page.context.close()


def test_keys_work_for_whoever_is_not_writing(sign_in: SignIn, storyteller: Scripted) -> None:
    page = sign_in("mei")
    asked(page, storyteller, fresh("keys?"), "An answer.")
    page.locator("#text").press_sequentially("?q")
    expect(page.locator("#text")).to_have_value("?q")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("Escape")
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: '?', isComposing: true, bubbles: true}))")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("q")
    page.keyboard.press("Escape")
    expect(page.locator("#text")).to_have_value("?q")
    page.keyboard.press("q")
    expect(page.locator("#text")).to_have_value("?q\n\n> An answer.\n\n")
    page.context.close()


def test_what_arrived_and_is_not_known_to_is_shown_once_after_a_reload(sign_in: SignIn, storyteller: Scripted) -> None:
    page, question, sent = sign_in("bob"), fresh("known?"), list[str]()
    asked(page, storyteller, fresh("before?"), "Before.")
    page.wait_for_url(re.compile("/c/"))
    page.on("websocket", lambda socket: socket.on("framesent", lambda words: sent.append(str(words))))
    page.reload()
    asked(page, storyteller, question, "Here.")
    [frame] = [json.loads(words) for words in sent if question in words]
    key = f"kith:outbox:{urlsplit(page.url).path.split('/')[2]}"
    kept = json.dumps([{"frame": frame, "text": question}])  # as it lies there until `accepted` comes
    page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [key, kept])
    page.reload()
    page.wait_for_function("(key) => !localStorage.getItem(key)", arg=key, timeout=10_000)
    expect(page.locator("[data-question]").filter(has_text=question)).to_have_count(1)
    expect(page.locator("[data-stop]")).to_be_hidden()
    asked(page, storyteller, fresh("after?"), "After.")
    expect(page.locator(".turn")).to_have_count(3)
    page.context.close()


DEAF = """
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(url) {
    super(window.cut ? url.replace(/:[0-9]+/, ":9") : url);
    window.link = this;
  }
  set onmessage(heard) { super.onmessage = (event) => window.deaf || heard(event); }
};"""
"""A connection that can hear nothing, and be cut."""


@pytest.mark.parametrize("at_once", [False, True])
def test_what_was_taken_back_and_had_arrived_stands_there_once(
    sign_in: SignIn, storyteller: Scripted, at_once: bool
) -> None:
    page, question = sign_in("bob", bypass_csp=True), fresh("taken back?")
    page.add_init_script(DEAF)
    page.goto("/")
    asked(page, storyteller, fresh("before?"), "Before.")
    page.evaluate("window.deaf = true")
    before = len(storyteller.asked(streamed=True))
    storyteller.step(lambda seen: seen.streamed and seen.user == question, Reply("It had arrived."))
    page.locator("#text").fill(question)
    page.locator("#text").press("Enter")
    storyteller.wait_for(before + 1, streamed=True)
    page.evaluate("window.cut = true; window.link.close()")
    page.wait_for_function("window.link.readyState > 1")
    page.locator("[data-stop]").click()
    expect(page.locator("#text")).to_have_value(question)
    if at_once:
        page.locator("#text").press("Enter")
    page.evaluate("window.cut = window.deaf = false; dispatchEvent(new Event('online'))")
    expect(page.locator("[data-answer]").last).to_have_text("It had arrived.", timeout=20_000)
    expect(page.locator("#text")).to_have_value("")
    expect(page.locator("[data-question]").filter(has_text=question)).to_have_count(1)
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator("#text")).to_have_value("")
    page.context.close()


def test_what_is_written_without_a_connection_outlives_a_reload_and_arrives_once(
    telling: Product, sign_in: SignIn, storyteller: Scripted
) -> None:
    question = fresh("offline?")
    with wire(telling.address) as (address, cut):
        page = sign_in("alice", bypass_csp=True)
        page.add_init_script(f"""
            const Real = WebSocket;
            window.WebSocket = class extends Real {{
              constructor(url) {{ super(url.replace("{urlsplit(telling.address).netloc}", "{urlsplit(address).netloc}")); }}
            }};""")  # the socket alone goes through the wire that is cut
        page.goto("/")
        asked(page, storyteller, fresh("online?"), "Here.")
        page.wait_for_url(re.compile("/c/"))
        page.locator("#text").fill("not yet sent")
        page.reload()
        expect(page.locator("#text")).to_have_value("not yet sent")
        cut.set()
        page.reload()
        expect(page.locator("[data-offline]")).to_be_visible(timeout=10_000)
        page.locator("#text").fill(question)
        page.locator("#text").press("Enter")
        expect(page.locator("[data-status]").last).to_contain_text("Waits for a connection")
        page.reload()
        expect(page.locator("[data-question]").last).to_have_text(question)
        storyteller.step(lambda seen: seen.streamed and seen.user == question, Reply("It arrived."))
        cut.clear()
        expect(page.locator("[data-answer]").last).to_have_text("It arrived.", timeout=20_000)
        page.reload()
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator("#text")).to_have_value("")
        page.context.close()
