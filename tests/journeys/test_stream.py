"""A long answer while the page is reloaded, followed by a second tab, cut off; and typing and hearing meanwhile."""

import random
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import SignIn
from tests.journeys.stories import begin, ended, shown, squeezed, stored, story
from tests.product import Product
from tests.scripted import Scripted

RELOADS = 20
WATCH = """() => {
  window.said = [];
  const live = document.getElementById("live");
  new MutationObserver(() => window.said.push(live.textContent)).observe(live, {childList: true, characterData: true, subtree: true});
}"""
FRAMES = """() => {
  window.longest = 0;
  let last = performance.now();
  const tick = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


@pytest.fixture
def product(telling: Product) -> str:
    """The one whose model tells stories."""
    return telling.address


def whole(page: Page, conversation: str, text: str) -> None:
    """The answer is on the page and in the database as the model said it: once, and nothing else."""
    ended(page)
    assert shown(page) == squeezed(text)
    expect(page.locator(".turn")).to_have_count(1)
    frames = stored(page, conversation)
    assert [frame["text"] for frame in frames if frame["type"] == "done"] == [text]


def test_twenty_reloads_at_random_moments_lose_and_double_nothing(sign_in: SignIn, storyteller: Scripted) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # shown where the test fails
    dice, text = random.Random(seed), story(60)
    page = sign_in("alice")
    _, conversation = begin(page, storyteller, text, 14)
    running = 0
    for _ in range(RELOADS):
        page.wait_for_timeout(dice.uniform(0, 500))
        page.reload()
        page.wait_for_timeout(dice.uniform(0, 250))
        running += page.locator(".turn[data-state=running]").count()
        assert squeezed(text).startswith(shown(page)), "what is there is the beginning, each part once"
    assert running >= RELOADS // 2, "the answer was still being written"
    whole(page, conversation, text)
    page.reload()
    assert shown(page) == squeezed(text)
    page.context.close()


def test_a_second_tab_follows_live_and_so_does_one_that_was_open_before(sign_in: SignIn, storyteller: Scripted) -> None:
    page, text = sign_in("bob"), story(20)
    _, conversation = begin(page, storyteller, story(2), 0.2, 4)
    ended(page)
    early = page.context.new_page()
    early.goto(f"/c/{conversation}/")
    expect(early.locator(".turn")).to_have_count(1)
    begin(page, storyteller, text, 4)
    late = page.context.new_page()
    late.goto(f"/c/{conversation}/")
    for tab in (early, late):
        expect(tab.locator(".turn")).to_have_count(2)
        expect(tab.locator("[data-answer]").last).to_contain_text("part 1 ", timeout=5000)
        assert tab.locator(".turn").last.get_attribute("data-state") == "running", "it follows while it is written"
    for tab in (page, early, late):
        ended(tab)
        assert shown(tab) == squeezed(text)
    page.context.close()


def test_a_lost_network_in_the_middle_resumes(telling: Product, sign_in: SignIn, storyteller: Scripted) -> None:
    with wire(telling.address) as (address, cut):
        page, text = sign_in("mei", bypass_csp=True), story(30)
        page.add_init_script(f"""
            const Real = WebSocket;
            window.WebSocket = class extends Real {{
              constructor(url) {{ super(url.replace("{urlsplit(telling.address).netloc}", "{urlsplit(address).netloc}")); }}
            }};""")  # the socket alone goes through the wire that is cut
        page.goto("/")
        _, conversation = begin(page, storyteller, text, 6)
        page.context.set_offline(True)
        cut.set()
        before = shown(page)
        page.wait_for_timeout(1500)
        assert shown(page) == before, "nothing comes through"
        assert page.locator(".turn").last.get_attribute("data-state") == "running"
        cut.clear()
        page.context.set_offline(False)
        expect(page.locator("[data-answer]").last).to_contain_text("end 20", timeout=20_000)
        whole(page, conversation, text)
        page.context.close()


@contextmanager
def wire(address: str) -> Iterator[tuple[str, threading.Event]]:
    """A way to the product that can be cut: while the event is set, open connections break and new ones fail."""
    place, cut = urlsplit(address), threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def carry(a: socket.socket, b: socket.socket) -> None:
        with suppress(OSError):
            while not cut.is_set() and (data := a.recv(65536)):
                if cut.is_set():
                    break
                b.sendall(data)
        for end in (a, b):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                if cut.is_set():
                    near.close()
                    continue
                far = socket.create_connection((str(place.hostname), place.port or 80))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=carry, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", cut
    finally:
        cut.set()
        listening.close()


@pytest.mark.parametrize("typed", ["nihao", "ni hao ma"])
def test_enter_that_confirms_a_candidate_does_not_send(sign_in: SignIn, storyteller: Scripted, typed: str) -> None:
    page = sign_in("bob")
    box = page.locator("textarea").first
    box.focus()
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": typed, "selectionStart": len(typed), "selectionEnd": len(typed)})
    pressed = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    keyboard.send("Input.dispatchKeyEvent", pressed)
    box.evaluate(
        "(box) => box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    box.evaluate(
        "(box) => box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', keyCode: 229, bubbles: true}))"
    )
    keyboard.send("Input.insertText", {"text": "你好"})
    page.wait_for_timeout(300)
    expect(page.locator(".turn")).to_have_count(0)
    expect(box).to_have_value("你好")
    storyteller.step(lambda seen: seen.streamed and seen.user == "你好", f"好 {uuid.uuid4().hex[:6]}")
    box.press("Enter")
    expect(page.locator("[data-answer]").last).to_contain_text("好", timeout=15_000)
    ended(page)
    page.context.close()


def test_a_long_answer_leaves_the_page_free_and_is_announced_twice(sign_in: SignIn, storyteller: Scripted) -> None:
    page, text = sign_in("mei"), story(1200)
    page.evaluate(WATCH)
    page.evaluate(FRAMES)
    _, conversation = begin(page, storyteller, text, 5, 600)
    box = page.locator("textarea").first
    while page.locator(".turn").last.get_attribute("data-state") == "running":
        began = time.monotonic()
        box.fill("still typing, 还在打字")
        assert time.monotonic() - began < 10, "one can go on typing"
    whole(page, conversation, text)
    said = [words for words in page.evaluate("window.said") if words]
    assert len(said) == 2, f"a screen reader hears the start and the end: {said}"
    assert (
        page.locator("[data-answer]").last.evaluate("(node) => node.closest('[aria-live], [role=status], [role=log]')")
        is None
    )
    page.context.close()
