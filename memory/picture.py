"""How things belong together, as a small picture: the member in the middle, what is named most around them. Pure."""

import math
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memory import policy
from memory.entities import Known, Neighbour

WIDE, TALL = 340, 310
"""Size of the drawing, in its own units: a letter is about 7 of them wide."""
ACROSS, DOWN = 125, 125
"""Half the width and half the height of the ellipse on which things stand."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One thing: where it stands, what it is called, and how high that is written."""

    x: float
    y: float
    name: str
    text_y: float


@dataclass(frozen=True, slots=True)
class Line:
    """From one thing to another, and what ties them."""

    x1: float
    y1: float
    x2: float
    y2: float
    said: str


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, and how many things are only in the list beside it."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    left: int
    wide: int = WIDE
    tall: int = TALL


def drawn(edges: Sequence[Neighbour], member: str) -> Picture | None:
    """None where nothing is named."""
    things = {one.id: one for edge in edges for one in (edge.subject, edge.object) if one is not None}
    ties = Counter(one.id for edge in edges for one in (edge.subject, edge.object) if one is not None)
    shown = sorted(things.values(), key=lambda one: (-ties[one.id], one.name))[: policy.PICTURE_THINGS]
    if not shown:
        return None
    middle = Dot(WIDE / 2, TALL / 2, _short(member), TALL / 2 - 14)
    around = {one.id: _placed(one, place, len(shown)) for place, one in enumerate(sorted(shown, key=_kind))}
    seen = {one.id for one in shown}
    lines = tuple(
        Line(start.x, start.y, end.x, end.y, f"{start.name} · {edge.relation.label} · {end.name}")
        for edge in edges
        if edge.object.id in seen and (edge.subject is None or edge.subject.id in seen)
        for start, end in [(around[edge.subject.id] if edge.subject else middle, around[edge.object.id])]
    )
    return Picture((middle, *around.values()), lines, len(things) - len(shown))


def _kind(one: Known) -> tuple[str, str, uuid.UUID]:
    return str(one.kind), one.name, one.id


def _placed(one: Known, place: int, count: int) -> Dot:
    """On the ellipse; the name above it in the upper half, below it in the lower: few are written over lines."""
    angle = 2 * math.pi * place / count - math.pi / 2
    x, y = WIDE / 2 + ACROSS * math.cos(angle), TALL / 2 + DOWN * math.sin(angle)
    return Dot(round(x, 1), round(y, 1), _short(one.name), round(y + (20 if math.sin(angle) > 0 else -11), 1))


def _short(name: str) -> str:
    """As much of it as stands beside a dot; a Chinese letter is as wide as two others."""
    wide = 0
    for place, letter in enumerate(name):
        wide += 2 if ord(letter) > 0x2E80 else 1
        if wide > policy.PICTURE_LETTERS:
            return f"{name[:place]}…"
    return name
