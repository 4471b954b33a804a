r"""Formulas in an answer: `$…$`, `$$…$$`, `\(…\)` and `\[…\]` → MathML, made here; whatever is no formula stays text.

Money ("$5 and $10"), variables of a shell ("$HOME/$USER") and whatever can't be read are shown as they were written.
"""

import re
from html import escape, unescape
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 2000
"""Characters of one formula; a longer one is shown as it was written."""
LINES = 40
"""Lines of one formula: so far the end of one that was begun is sought."""
MOST = 300
"""Formulas of one answer; those behind are shown as they were written, so that no answer takes long to render."""
TAGS = {
    "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup",
    "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose",
}  # fmt: skip
ATTRIBUTES = {
    "display", "alttext", "mathvariant", "stretchy", "fence", "form", "separator", "accent", "accentunder",
    "linethickness", "columnalign", "displaystyle", "scriptlevel", "movablelimits", "largeop", "symmetric", "linebreak",
    "width", "lspace", "rspace", "minsize", "maxsize", "notation",
}  # fmt: skip
_VALUE = re.compile(r"-?[a-z0-9]{1,2}(\.\d{1,4})?(em|ex|%)?|[a-z -]{1,40}")
_CLOSES = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_SIGN = re.compile(r"[\\^_=<>+*/|{}-]|^\s*\w\s*$")
_AMOUNT = re.compile(r"\d[\d.,]*\s[^\\^_=<>+*/|{}]*$")
"""“$5 or 10$”: an amount and words."""
_ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|gathered|split)\}")


def plugin(markdown: MarkdownIt) -> None:
    """Read formulas, and render them."""
    markdown.inline.ruler.before("escape", "formula", _inline)
    markdown.block.ruler.before("fence", "formulas", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    markdown.add_render_rule("formula", _rendered)


def mathml(source: str, *, display: bool) -> str:
    """The formula as MathML; "" where it can't be read."""
    try:
        tree = convert_to_element(_ALIGNED.sub(r"\\\1{align*}", source), display="block" if display else "inline")
        body = "".join(map(_written, tree))
    except Exception:  # its parser fails in many ways on what is no LaTeX, and one is as good as another
        return ""
    alt = escape(source.strip())
    return f'<math display="{"block" if display else "inline"}" alttext="{alt}">{body}</math>'


def _written(node: Element) -> str:
    """Only what MathML has: the converter passes on whatever stands in a formula."""
    if node.tag not in TAGS:
        raise ValueError(node.tag)
    harmless = [pair for pair in node.attrib.items() if pair[0] in ATTRIBUTES and _VALUE.fullmatch(pair[1])]
    attributes = "".join(f' {name}="{value}"' for name, value in harmless)
    inner = escape(unescape(node.text or ""), quote=False) + "".join(map(_written, node))
    return f"<{node.tag}{attributes}>{inner}</{node.tag}>"


def _rendered(_renderer: Any, tokens: Any, index: int, _options: Any, env: dict[str, Any]) -> str:
    token = tokens[index]
    env["formulas"] = env.get("formulas", 0) + 1
    found = mathml(token.content, display=token.info == "display") if env["formulas"] <= MOST else ""
    shown = found or f"<code>{escape(token.markup + token.content + _CLOSES[token.markup], quote=False)}</code>"
    return f"<p>{shown}</p>\n" if token.block else shown


def _inline(state: StateInline, silent: bool) -> bool:
    opens = _opening(state.src, state.pos)
    if not opens:
        return False
    start = state.pos + len(opens)
    end = _end(state.src, opens, start, min(state.posMax, start + LONGEST))
    if end < 0 or not _reads(state.src, opens, state.pos, start, end):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.markup = state.src[start:end], opens
        token.info = "display" if opens in ("$$", "\\[") else ""
    state.pos = end + len(_CLOSES[opens])
    return True


def _opening(text: str, at: int) -> str:
    if text[at] not in "$\\":
        return ""
    pair = text[at : at + 2]
    return pair if pair in _CLOSES else "$" if text[at] == "$" else ""


def _end(text: str, opens: str, start: int, most: int) -> int:
    """Where the formula ends; -1 where it does not within its limit."""
    end = text.find(_CLOSES[opens], start, most)
    while end > 0 and opens[0] == "$" and (end - len(text[:end].rstrip("\\"))) % 2:
        end = text.find(_CLOSES[opens], end + 1, most)
    return end


def _reads(text: str, opens: str, at: int, start: int, end: int) -> bool:
    """Whether what stands between the marks is a formula."""
    inner = text[start:end]
    if not inner.strip() or "\n\n" in inner:
        return False
    if opens != "$":
        return opens == "$$" or _SIGN.search(inner) is not None
    before, after = text[at - 1 : at], text[end + 1 : end + 2]
    attached = _joins(before) or _joins(after) or inner[0].isspace() or inner[-1].isspace()
    return not attached and not _AMOUNT.match(inner)


def _joins(letter: str) -> bool:
    """A digit or a Latin letter beside a dollar makes it money or a name: “US$”, “5$”."""
    return letter.isascii() and letter.isalnum()


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    line = _line(state, first)
    opens = next((mark for mark in ("$$", "\\[") if line.startswith(mark)), "")
    if not opens:
        return False
    closes, found = _CLOSES[opens], [line[2:]]
    number = first
    while not (found[-1].rstrip().endswith(closes) and (number > first or len(found[0].rstrip()) >= len(closes))):
        number += 1
        enough = number - first > LINES or sum(map(len, found)) > LONGEST
        if enough or number >= last or state.isEmpty(number) or state.sCount[number] < state.blkIndent:
            return False
        found.append(_line(state, number))
    source = "\n".join(found).rstrip()[: -len(closes)]
    if closes in source or not source.strip() or len(source) > LONGEST:
        return False
    if not silent:
        state.line = number + 1
        token = state.push("formula", "", 0)
        token.block, token.content, token.markup, token.info = True, source, opens, "display"
        token.map = [first, state.line]
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
