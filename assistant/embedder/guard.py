"""What may reach the engine: text without the characters that crash or silence it, in pieces that it can take."""

import re
import unicodedata

LIMIT = 500
"""Characters of one piece: 10,000 take 14 seconds."""
PIECES = 8
"""Pieces of one text; what is longer is cut off."""
_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_BREAK = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)\s")


def clean(text: str) -> str:
    """NFKC (which removes the cause of a heap overflow), without NUL and surrogates, spaces as one."""
    folded = unicodedata.normalize("NFKC", _UNSAFE.sub(" ", text[: 4 * LIMIT * PIECES]))
    return " ".join(_UNSAFE.sub(" ", folded).split())


def pieces(text: str) -> list[str]:
    """At least one piece, none longer than `LIMIT`, cut between sentences where there is one."""
    found = [""]
    for sentence in _BREAK.split(clean(text)):
        if len(found[-1]) + len(sentence) + 1 <= LIMIT:
            found[-1] = f"{found[-1]} {sentence}".strip()
            continue
        found += [sentence[start : start + LIMIT] for start in range(0, len(sentence), LIMIT)]
    return [piece for piece in found if piece][:PIECES] or [""]
