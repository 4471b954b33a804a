"""What a question is about: the end of a long one, and without whom it names and what only makes it a question; pure.

Names draw a vector to everything that is said by or about somebody; they are found by words anyway. What several lines
come down to stands in the last ones.
"""

import re

NAME = re.compile(r"(?<=[a-z,;] )(?!I\b)[A-Z][a-z]+(?:['’]s\b)?")
"""A proper name inside an English sentence."""
END = 2
"""Lines at the end of a longer message that say what is wanted: what was said last, and what that answers."""
_FRAME = re.compile(
    r"\b(?:what|when|where|who|whom|whose|which|why|how|many|much|long|often"
    r"|did|does|do|is|are|was|were|has|have|had|would|will|could|can|might)\b",
    re.IGNORECASE,
)
_DATES = frozenset(
    """
    January February March April May June July August September October November December
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    """.split()  # noqa: SIM905 - a list of words reads as words
)


def names(text: str) -> list[str]:
    """The proper names in an English text, without those of days and months."""
    return [name for name in NAME.findall(text) if name not in _DATES]


def gist(question: str) -> str:
    """What it is about; empty where that is all of it, or where nothing is left."""
    lines = [line for line in question.split("\n") if line.strip()]
    if len(lines) > END:
        return "\n".join(lines[-END:])
    if not names(question):
        return ""
    nameless = NAME.sub(lambda match: match.group() if match.group() in _DATES else "", question)
    return " ".join(_FRAME.sub("", nameless).split()).strip(" ?!.,")
