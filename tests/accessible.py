"""What a page must have for who can't see it, or has no mouse: looked for in its HTML, one sentence for each fault."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
UNNAMED = frozenset({"hidden", "submit", "button", "reset", "image"})
"""Inputs that need no label: what is not shown, and what is a button."""


@dataclass(slots=True)
class Node:
    """An element, or, without a name, the page."""

    name: str = ""
    given: dict[str, str] = field(default_factory=dict)
    parent: "Node | None" = None
    inside: list["Node | str"] = field(default_factory=list)

    def all(self) -> Iterator["Node"]:
        for one in self.inside:
            if isinstance(one, Node):
                yield one
                yield from one.all()

    def above(self) -> Iterator["Node"]:
        if self.parent is not None:
            yield self.parent
            yield from self.parent.above()

    @property
    def says(self) -> str:
        """What is read out of it: its words, and what its pictures are called."""
        if self.given.get("aria-hidden") == "true":
            return ""
        parts = (one if isinstance(one, str) else one.given.get("alt", "") + one.says for one in self.inside)
        return " ".join(" ".join(parts).split())


class _Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = self.at = Node()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.inside.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.inside.append(Node(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        open_one = next((node for node in (self.at, *self.at.above()) if node.name == tag), None)
        if open_one is not None and open_one.parent is not None:
            self.at = open_one.parent

    def handle_data(self, data: str) -> None:
        if self.at.name not in ("script", "style"):
            self.at.inside.append(data)


def read(html: str) -> Node:
    """A page, or a part of one, as a tree."""
    reading = _Reading()
    reading.feed(html)
    return reading.page


def faults(html: str, *, language: str = "", whole: bool = True) -> list[str]:
    """What is wrong; `whole`: a page, which has a head, one h1 and one main, and is in `language`."""
    page = read(html)
    nodes = [node for node in page.all() if not _unseen(node)]
    ids = Counter(node.given["id"] for node in nodes if "id" in node.given)
    found = [f"the id {name} is there {count} times" for name, count in ids.items() if count > 1]
    labels = {node.given.get("for") for node in nodes if node.name == "label" and node.says}
    for node in nodes:
        found += _nameless(node, labels, ids) + _dangling(node, ids) + _misused(node)
    found += _headings([node for node in nodes if re.fullmatch("h[1-6]", node.name)], whole=whole)
    return found + (_frame(nodes, language) if whole else [])


def _unseen(node: Node) -> bool:
    """Nobody meets it as it stands: in a template that a script copies."""
    return any(one.name == "template" for one in node.above())


def _named(node: Node, ids: Counter[str]) -> bool:
    by = node.given.get("aria-labelledby", "").split()
    return bool(node.given.get("aria-label", "").strip() or (by and all(one in ids for one in by)))


def _nameless(node: Node, labels: set[str | None], ids: Counter[str]) -> list[str]:
    what = f"<{node.name} {' '.join(f'{name}={value[:40]!r}' for name, value in node.given.items())}>"
    if node.name in ("input", "select", "textarea") and node.given.get("type") not in UNNAMED:
        inside = any(one.name == "label" and one.says for one in node.above())
        if not (_named(node, ids) or inside or node.given.get("id") in labels):
            return [f"no label: {what}"]
    pressed = node.name in ("button", "summary") or (node.name == "a" and "href" in node.given)
    if pressed and not (_named(node, ids) or node.says or node.given.get("title")):
        return [f"no name: {what}"]
    if node.name == "img" and "alt" not in node.given:
        return [f"no alt: {what}"]
    drawn = node.name == "svg" and not any(one.name == "svg" for one in node.above())
    if drawn and node.given.get("aria-hidden") != "true" and not (node.given.get("role") == "img" and _named(node, ids)):
        return [f"a picture that says nothing: {what}"]
    if node.name in ("nav", "dialog") or node.given.get("role") in ("region", "dialog"):
        return [] if _named(node, ids) else [f"no name: {what}"]
    return []


def _dangling(node: Node, ids: Counter[str]) -> list[str]:
    names = ("aria-labelledby", "aria-describedby", "for")
    wanted = [one for name in names for one in node.given.get(name, "").split() if name != "for" or node.name == "label"]
    wanted += [node.given["href"][1:]] if re.fullmatch(r"#[\w-]+", node.given.get("href", "")) else []
    return [f"{node.name} names {one}, which is not there" for one in wanted if one not in ids]


def _misused(node: Node) -> list[str]:
    inner = [one.name for one in node.all()]
    if node.name == "table":
        heads = [one for one in node.all() if one.name == "th"]
        return [] if heads and all("scope" in one.given for one in heads) else ["a table whose heads have no scope"]
    if node.name in ("a", "button") and {"a", "button", "input"} & set(inner):
        return [f"something to press inside of <{node.name}>"]
    if node.name in ("ul", "ol") and any(isinstance(one, Node) and one.name not in ("li", "template") for one in node.inside):
        return ["a list that holds something else than its items"]
    if int(node.given.get("tabindex") or 0) > 0:
        return ["an order of the keyboard of its own"]
    return [f"<{node.name} style>"] if "style" in node.given else []


def _headings(heads: list[Node], *, whole: bool) -> list[str]:
    levels = [int(head.name[1]) for head in heads if not any(one.name == "dialog" for one in head.above())]
    found = [f"h{low} is followed by h{high}" for low, high in pairwise(levels) if high > low + 1]
    found += [f"an empty {head.name}" for head in heads if not head.says]
    return found + ([f"{levels.count(1)} h1"] if whole and levels.count(1) != 1 else [])


def _frame(nodes: list[Node], language: str) -> list[str]:
    counts = Counter(node.name for node in nodes if not any(one.name == "svg" for one in node.above()))
    found = [f"{counts[name]} <{name}>" for name in ("html", "title", "main") if counts[name] != 1]
    html = next((node for node in nodes if node.name == "html"), Node())
    if html.given.get("lang") != language:
        found.append(f"in {html.given.get('lang')!r}, not in {language}")
    skips = [node for node in nodes if node.name == "a" and node.given.get("href") == "#main"]
    return found + ([] if skips else ["no way to skip to the content"])
