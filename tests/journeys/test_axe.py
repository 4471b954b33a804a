"""Every page of members and of staff, as a browser draws it, in both languages, by day and by night: axe finds nothing."""

import mimetypes
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.staticfiles import finders
from django.db import connections
from django.test import Client
from django.utils.translation import override
from playwright.sync_api import Browser, Page, Route

from tests.people import make_world
from tests.product import ROOT
from tests.test_accessible import LANGUAGES, MINE, STAFF, lived
from tests.test_staff import client

STYLES = sorted((ROOT / "static/css").glob("*.css"))
HERE = "http://kith.test"
FRAME = (
    "<!doctype html><html lang='{language}'><title>x</title>"
    + "".join(f"<link rel='stylesheet' href='/static/css/{path.name}'>" for path in STYLES)
    + "<main><h1>x</h1><h2>x</h2>{part}</main></html>"
)
"""Around what a script fetches into a page."""
OUTSIDE = ("/accounts/login/", "/accounts/signup/", "/nowhere/")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": TAGS, "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def pages() -> dict[str, dict[str, str]]:
    """The HTML of each page, by language and path, from somebody with something of everything.

    In a thread of its own: the browser's driver keeps an event loop in this one, where the ORM refuses to work.
    """
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(_rendered).result()


def _rendered() -> dict[str, dict[str, str]]:
    world = make_world(uuid.uuid4().hex[:12])
    ids = lived(world)
    askers = ((Client(HTTP_HOST="127.0.0.1"), OUTSIDE), (client(world.alice), MINE), (client(world.mei), STAFF))
    found: dict[str, dict[str, str]] = {}
    for language in LANGUAGES:
        with override(language):  # what a request chooses would outlast it here
            found[language] = {
                path: asker.get(path.format(**ids), headers={"accept-language": language}).content.decode()
                for asker, paths in askers for path in paths
            }  # fmt: skip
    connections.close_all()
    return found


@pytest.mark.parametrize(("colours", "width"), [("light", 1280), ("dark", 360)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(
    browser: Browser, pages: dict[str, dict[str, str]], language: str, colours: Literal["light", "dark"], width: int
) -> None:
    found = []
    page = browser.new_page(color_scheme=colours, viewport={"width": width, "height": 860})
    for path, html in pages[language].items():
        show(page, html if "<html" in html else FRAME.format(language=language, part=html))
        for fault in Axe().run(page, options=OPTIONS).response["violations"]:
            found += [f"{path}: {fault['id']}: {node['html'][:200]}" for node in fault["nodes"]]
    page.close()
    assert "\n".join(found) == ""


def test_axe_would_find_something(browser: Browser) -> None:
    page = browser.new_page()
    show(page, "<html lang='en'><title>x</title><main><h1>x</h1><img src='/favicon.svg'><p style='color:#bbb'>pale</p>")
    faults = {fault["id"] for fault in Axe().run(page, options=OPTIONS).response["violations"]}
    assert {"image-alt", "color-contrast"} <= faults


def show(page: Page, html: str) -> None:
    """A page as the server has made it, with our own styles and scripts; there is nobody behind them."""

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        kept = finders.find(path.removeprefix("/static/")) if path.startswith("/static/") else None
        if path == "/page":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif isinstance(kept, str):
            route.fulfill(path=kept, content_type=mimetypes.guess_type(kept)[0])
        else:
            route.fulfill(status=404, body="")

    page.unroute_all()
    page.route("**/*", answer)
    page.goto(f"{HERE}/page")
