"""Text as staff must see it: what is hidden in it, and what one wording changed of another. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from memory.extraction import guard

_WORD = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[A-Za-z\u00c0-\u2fff\\d_'’-]+|\\s+|.", re.DOTALL)
SAME, ADDED, REMOVED = "same", "added", "removed"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; of a hidden mark its code point as `text` and its name."""

    text: str
    how: str = SAME
    name: str = ""

    @property
    def hidden(self) -> bool:
        return bool(self.name)


def pieces(text: str, how: str = SAME) -> list[Piece]:
    """The text, with each mark that turns, hides or smuggles words spelt out."""
    kept, found, run = guard.hidden(text), [], ""
    place = 0
    for mark in text:
        if place < len(kept) and kept[place] == mark:
            run, place = run + mark, place + 1
            continue
        found += [Piece(run, how)] if run else []
        found.append(Piece(f"U+{ord(mark):04X}", how, unicodedata.name(mark, "control character").lower()))
        run = ""
    return [*found, Piece(run, how)] if run else found


def difference(old: str, new: str) -> list[Piece]:
    """What became of `old`, word by word, Chinese by the character."""
    return [piece for text, how in _runs(_WORD.findall(old), _WORD.findall(new)) for piece in pieces(text, how)]


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for step, i, j, k, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if step == "equal":
            yield "".join(old[i:j]), SAME
            continue
        if j > i:
            yield "".join(old[i:j]), REMOVED
        if end > k:
            yield "".join(new[k:end]), ADDED
