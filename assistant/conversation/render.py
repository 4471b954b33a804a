"""An answer's markdown → safe HTML with numbered citations."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import nh3
from markdown_it import MarkdownIt

_MARKER = re.compile(r"\[([mk]\d{1,2})\]")
_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
_TAGS = {"p", "br", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "a", "h2", "h3", "h4", "table",
         "thead", "tbody", "tr", "th", "td", "hr", "del"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cited:
    """One source that the answer names: its number on the page, its id and where it opens."""

    number: int
    id: uuid.UUID
    url: str
    marker: str


def cited(text: str, sources: Mapping[str, tuple[uuid.UUID, str]]) -> list[Cited]:
    """Sources in the order of their first mention; `sources` maps markers that were in the context to (id, url)."""
    found: dict[str, Cited] = {}
    for marker in _MARKER.findall(text):
        if marker in sources and marker not in found:
            found[marker] = Cited(len(found) + 1, *sources[marker], marker)
    return list(found.values())


def html(text: str, citations: list[Cited]) -> str:
    """Rendered once, at the end of an answer; markers that name nothing are left out."""
    chips = {cite.marker: cite for cite in citations}
    safe = nh3.clean(
        _markdown.render(text), tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )

    def chip(match: re.Match[str]) -> str:
        cite = chips.get(match.group(1))
        if cite is None:
            return ""
        return f'<a class="cite" href="{escape(cite.url)}" data-source="{cite.id}">{cite.number}</a>'

    return _MARKER.sub(chip, safe)
