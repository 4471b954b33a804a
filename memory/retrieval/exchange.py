"""A past exchange as a question meets it, and what is known of all those that it was picked from; pure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Exchange:
    """`place` counts within its conversation; `held` are the question's terms in it, with repeats; `cosine` is -1..1
    or, without a vector, None."""

    turn: uuid.UUID
    talk: uuid.UUID
    place: int
    at: datetime
    text: str
    length: int
    held: Sequence[str]
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Pool:
    """Some exchanges of one member, out of `total` with `length` terms on average; `usual` is the median cosine of
    all, `often` says how many hold a term."""

    rows: tuple[Exchange, ...] = ()
    total: int = 0
    length: float = 0.0
    usual: float | None = None
    often: Mapping[str, int] = field(default_factory=dict)
