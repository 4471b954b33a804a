"""The first page: what it says of memory, what it suggests to ask, and how much script it loads."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import override_settings

from assistant.conversation.suggestions import suggestions
from memory import knowledge
from profiles.access import scoped
from tests.people import World
from tests.test_staff import client, shown

MOST = 60 * 1024
"""Bytes of script, compressed, that a first page may cost a member on a phone."""
_IMPORT = re.compile(r'^import [^;]*?from "([^"]+)";', re.MULTILINE)


def loaded(page: str) -> dict[Path, bytes]:
    """Every script of a page, with all that its modules import."""
    waiting = [Path(str(finders.find(name))) for name in re.findall(r'<script[^>]* src="/static/([^"?]+)', page)]
    found: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop().resolve()
        if path not in found:
            found[path] = path.read_bytes()
            waiting += [path.parent / name for name in _IMPORT.findall(found[path].decode())]
    return found


@pytest.mark.parametrize("debug", [True, False])
def test_the_script_of_the_first_page_is_small(world: World, debug: bool) -> None:
    with override_settings(DEBUG=debug):
        scripts = loaded(shown(client(world.alice).get("/")))
    names = {path.name for path in scripts}
    assert {"chat.js", "thread.js", "turn.js", "words.js", "page.js", "early.js"} <= names
    assert any("htmx" in name for name in names)
    assert sum(len(gzip.compress(text)) for text in scripts.values()) <= MOST


@pytest.mark.parametrize(("language", "remembered", "seen", "off"), [
    ("en", "keeps short notes of what you tell it", "so can the moderators", "switch memory off"),
    ("zh-hans", "简短的笔记", "版主也能看到", "关闭记忆"),
])  # fmt: skip
def test_it_says_what_is_remembered_who_sees_it_and_how_it_ends(
    world: World, language: str, remembered: str, seen: str, off: str
) -> None:
    page = shown(client(world.alice).get("/", headers={"accept-language": language}))
    for words in (remembered, seen, off, 'href="/me/memory/"'):
        assert words in page


def test_questions_to_try_come_from_what_the_community_knows_in_the_language_of_the_page(world: World) -> None:
    with scoped(world.alice):
        assert suggestions(world.alice, "en") == suggestions(world.alice, "zh") == []
    assert "data-suggestion" not in shown(client(world.alice).get("/"))
    with scoped(world.mei):
        knowledge.write(world.mei, "Which tea is there?", "Green tea and black tea.")
        knowledge.write(world.mei, "哪里有茶？", "厨房里有绿茶和红茶。")
    for language, own, other in (("en", "Which tea is there?", "哪里有茶"), ("zh-hans", "哪里有茶？", "Which tea")):
        page = shown(client(world.bob).get("/", headers={"accept-language": language}))
        assert own in page
        assert other not in page
    assert "data-suggestion" not in shown(client(world.charlie).get("/"))
