"""HTML → its lines as they are read, with the depth of those that are headings; scripts, styles and menus left out."""

import re
from html.parser import HTMLParser

_SILENT = frozenset({"script", "style", "head", "nav", "template", "noscript", "svg", "iframe", "object"})
_BLOCKS = frozenset({"p", "div", "section", "article", "main", "header", "footer", "ul", "ol", "li", "dl", "dt", "dd",
                     "tr", "table", "pre", "blockquote", "figure", "figcaption", "br", "hr", "body"})  # fmt: skip
_APART = frozenset({"p", "div", "section", "article", "ul", "ol", "table", "pre", "blockquote"})
"""Behind these a paragraph ends."""


def lines(text: str) -> list[tuple[int, str]]:
    """What a page says, line by line: 0 and the words, or 1 to 6 and a heading."""
    reading = _Reading()
    reading.feed(text)
    reading.close()
    reading.end(0)
    return reading.found


class _Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self.words: list[str] = []
        self.silent: list[str] = []
        self.kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins a new line; an item of a list says that it is one."""
        if tag in _SILENT:
            self.silent.append(tag)
        elif tag in _BLOCKS or _depth(tag):
            self.end(0)
            self.kept += tag == "pre"
            self.words += ["- "] if tag == "li" else []
        elif tag in ("td", "th"):
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """A heading's words are one; behind a paragraph stands an empty line."""
        if tag in self.silent:
            del self.silent[self.silent.index(tag) :]
        elif tag in _BLOCKS or _depth(tag):
            self.end(_depth(tag))
            self.kept -= tag == "pre" and self.kept > 0
            if tag in _APART:
                self.found.append((0, ""))

    def handle_data(self, data: str) -> None:
        """Words, where somebody would see them."""
        if not self.silent:
            self.words.append(data)

    def end(self, depth: int) -> None:
        """The line that was begun is done."""
        said, self.words = "".join(self.words), []
        if self.kept:
            self.found += [(0, line) for line in said.splitlines()]
        elif (line := " ".join(said.split())) and line != "-":
            self.found.append((depth, line))


def _depth(tag: str) -> int:
    return int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
