"""An answer's markdown → safe HTML: numbered citations, marked source text, formulas as MathML."""

import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from assistant.conversation import formulas, highlighting

_MARKER = re.compile(r"\[([mk]\d{1,2})\]")
_PLACE = re.compile("\ue000([mk][0-9]{1,2})\ue001")
"""Where a marker stood in running text, while the rest is made safe; the two signs are taken out of what is given."""
_TAGS = {"p", "br", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "a", "h2", "h3", "h4", "table",
         "thead", "tbody", "tr", "th", "td", "hr", "s", "span"}  # fmt: skip
_ATTRIBUTES = {"a": {"href"}, "pre": {"data-language"}} | {tag: formulas.ATTRIBUTES for tag in formulas.TAGS}


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
    """An answer as its page shows it."""
    return with_chips(safe(text), citations)


def with_chips(made: str, citations: list[Cited]) -> str:
    """What `safe` made, with its citations; markers that name nothing are left out."""
    chips = {cite.marker: cite for cite in citations}

    def chip(match: re.Match[str]) -> str:
        cite = chips.get(match.group(1))
        if cite is None:
            return ""
        return f'<a class="cite" href="{escape(cite.url)}" data-source="{cite.id}">{cite.number}</a>'

    return _PLACE.sub(chip, made)


def safe(text: str) -> str:
    """The part that takes a while: everything but what stands behind the markers."""
    return nh3.clean(
        _markdown.render(text.replace("\ue000", "").replace("\ue001", "")), tags=_TAGS | formulas.TAGS,
        attributes=_ATTRIBUTES, allowed_classes={"span": highlighting.CLASSES}, url_schemes={"http", "https", "mailto"},
    )  # fmt: skip


def _cite(state: StateInline, silent: bool) -> bool:
    """A marker in running text: in source text and in formulas the same signs are what they look like."""
    match = _MARKER.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.push("cite", "", 0).content = match.group(1)
    state.pos = match.end()
    return True


def _place(_renderer: Any, tokens: Any, index: int, _options: Any, _env: Any) -> str:
    return f"\ue000{tokens[index].content}\ue001"


def _source(_renderer: Any, tokens: Any, index: int, _options: Any, env: dict[str, Any]) -> str:
    language = highlighting.language_of(tokens[index].info)
    named = f' data-language="{escape(language)}"' if language else ""
    left, began = env.get("seconds", highlighting.SECONDS), time.monotonic()
    shown = highlighting.highlighted(tokens[index].content, language, left)
    env["seconds"] = left - (time.monotonic() - began)
    return f"<pre{named}><code>{shown}</code></pre>\n"


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
_markdown.use(formulas.plugin)
_markdown.inline.ruler.before("link", "cite", _cite)
_markdown.add_render_rule("cite", _place)
_markdown.add_render_rule("fence", _source)
