"""JSON as models write it: behind thinking and prose, in fences, with a comma too many, or cut off in the middle."""

import json
import re
from typing import Any

LONGEST = 20_000
"""Marks that are read."""
_TRIES = 400
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_DECODER = json.JSONDecoder(strict=False)


def items(text: str, name: str, mark: str) -> tuple[list[Any], bool]:
    """The list called `name` in the last object of the text, and whether it was whole.

    Of a broken one, whatever objects in it are whole and have the field `mark`. Raises `ValueError` where nothing is.
    """
    values = _values(_spoken(text[:LONGEST]))
    for value in reversed(values):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            return value[name], True
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value, True
    rest = [value for value in values if isinstance(value, dict) and mark in value]
    if not rest:
        raise ValueError("no JSON of that shape")
    return rest, False


def one(text: str, mark: str) -> dict[str, Any]:
    """The last whole object of the text that has the field `mark`; raises `ValueError` where there is none."""
    for value in reversed(_values(_spoken(text[:LONGEST]))):
        if isinstance(value, dict) and mark in value:
            return value
    raise ValueError("no JSON of that shape")


def _spoken(text: str) -> str:
    """What was said after the thinking; a thinking that never ends says nothing."""
    return text.rpartition("</think>")[2].partition("<think>")[0]


def _values(text: str) -> list[Any]:
    plain = _COMMA.sub(lambda found: found[1] or "", text)
    found: list[Any] = []
    place = 0
    for _ in range(_TRIES):
        start = min((at for at in (plain.find("{", place), plain.find("[", place)) if at >= 0), default=-1)
        if start < 0:
            break
        try:
            value, place = _DECODER.raw_decode(plain, start)
            found.append(value)
        except (ValueError, RecursionError):
            place = start + 1
    return found
