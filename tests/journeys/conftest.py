"""The whole product, started as an operator would, and a real browser in front of it."""

import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
SignIn = Callable[[str], Page]


@contextmanager
def started(**settings: str) -> Iterator[str]:
    """The address of a running Kith with its demo community and these settings, stopped cleanly at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="kith-") as var:
        environment = {name: value for name, value in os.environ.items() if name != "KITH_DATABASE"}
        environment |= {"VAR_DIR": str(Path(var) / "v"), "PORT": str(port), **settings}
        command = [sys.executable, "manage.py", "up"]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as running:
            try:
                assert running.stdout is not None
                assert any("Ctrl-C" in line for line in running.stdout), "it never became ready"
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5)
                yield f"http://127.0.0.1:{port}"
            finally:
                running.terminate()
                running.communicate(timeout=60)
        assert running.returncode == 0


@pytest.fixture(scope="session")
def product() -> Iterator[str]:
    """A running Kith without a language model."""
    with started() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)


@pytest.fixture
def sign_in(product: str, browser: Browser) -> SignIn:
    """Sign in as a demo account, in a browser of its own, and choose memory if asked."""

    def enter(name: str) -> Page:
        page = browser.new_context(base_url=product, viewport={"width": 1280, "height": 860}).new_page()
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
