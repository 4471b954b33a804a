"""The whole product, started as an operator would, and a real browser in front of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.product import Product, running
from tests.scripted import Scripted

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
SignIn = Callable[..., Page]
"""The page of a demo account by its name; keywords are for its browser context."""


@contextmanager
def started(**settings: str) -> Iterator[str]:
    """The address of a running Kith with its demo community and these settings, stopped cleanly at the end."""
    with running(**settings) as product:
        yield product.address


@pytest.fixture(scope="session")
def product() -> Iterator[str]:
    """A running Kith without a language model."""
    with started() as address:
        yield address


@pytest.fixture(scope="session")
def storyteller() -> Iterator[Scripted]:
    """The model of `telling`: streams what a test scripts, and learns nothing."""
    with Scripted(default='{"facts": []}') as script:
        yield script


@pytest.fixture(scope="session")
def telling(storyteller: Scripted) -> Iterator[Product]:
    """A running Kith that may be hurt, with a scripted model."""
    with running(LLM_BASE_URL=storyteller.url, LLM_MODEL="big", LLM_SMALL_MODEL="small") as product:
        yield product


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)


@pytest.fixture
def sign_in(product: str, browser: Browser) -> SignIn:
    """Sign in as a demo account, in a browser of its own, and choose memory if asked."""

    def enter(name: str, **context: Any) -> Page:
        page = browser.new_context(base_url=product, viewport={"width": 1280, "height": 860}, **context).new_page()
        page.goto("/accounts/login/")
        page.fill("input[name=login]", name)
        page.fill("input[name=password]", f"demo-{name}")
        page.press("input[name=password]", "Enter")
        page.wait_for_url(f"{product}/")
        choice = page.locator("button[name=memory][value=on]")
        if choice.count():
            choice.first.click()
            page.wait_for_load_state()
        return page

    return enter
