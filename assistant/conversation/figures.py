"""Door: what became of answers, with memory and without: votes, cost, tokens, who came back; in sums, for staff."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from assistant.conversation.views import REGIONS
from profiles.access import Reader

ARMS = ("with", "without")
LATER = ("remembering", "folding")
"""What a model does after an answer; its cost is noted with the answer."""
LAST = {name: place for place, name in enumerate(("answer", *LATER), 1)}


@dataclass(frozen=True, slots=True)
class Arm:
    """The answers of one arm. None: not measured. Tokens and cost are means of one answer, times are milliseconds."""

    answers: int = 0
    satisfied: float | None = None
    satisfied_again: float | None = None
    returning: float | None = None
    tokens: float | None = None
    cost: float | None = None
    hits: float | None = None
    cited: float | None = None
    recall_half: float | None = None
    recall_most: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One component of an answer: a region of its context, or its own words; in tokens, and in money where it has a
    price."""

    name: str
    label: str
    tokens: dict[str, float | None]
    cost: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Measured:
    """Both arms, their components, and day by day what can be drawn."""

    arms: dict[str, Arm]
    parts: tuple[Part, ...]
    days: dict[tuple[date, str], Mapping[str, Any]]


def measured(reader: Reader, since: datetime) -> Measured:
    """Since then, on the reader's calendar."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT kith_turn_figures(%s, %s)", [since, reader.time_zone])
        found = json.loads(cursor.fetchone()[0] or "{}")
    arms = found.get("arms") or {}
    days = {(date.fromisoformat(row["day"]), row["arm"]): row for row in found.get("days") or []}
    return Measured({name: _arm(arms[name]) if name in arms else Arm() for name in ARMS}, _parts(arms), days)


def _arm(row: Mapping[str, Any]) -> Arm:
    return Arm(
        row["answers"], _share(row["up"], row["votes"]), _share(row["again_up"], row["again_votes"]),
        _share(row["came_back"], row["members"]), row["tokens"], row["cost"], _share(row["hits"], row["answers"]),
        _share(row["cited"], row["hits"]), row["recall_half"], row["recall_most"],
    )  # fmt: skip


def _parts(arms: Mapping[str, Mapping[str, Any]]) -> tuple[Part, ...]:
    said = {arm: {**(row["parts"] or {}), "answer": row["tokens"]} for arm, row in arms.items()}
    names = dict.fromkeys(name for parts in said.values() for name in parts)
    return tuple(
        Part(name, _label(name), {arm: said.get(arm, {}).get(name) for arm in ARMS},
             {arm: _cost(name, said.get(arm, {}).get(name), arms.get(arm, {}).get("spent") or {}) for arm in ARMS})
        for name in sorted(names, key=lambda name: LAST.get(name, 0))
    )  # fmt: skip


def _label(name: str) -> str:
    more = {"answer": _("the answer itself"), "remembering": _("reading what was said, afterwards"),
            "folding": _("summing up a long conversation")}  # fmt: skip
    return str(more.get(name) or REGIONS[name])


def _cost(name: str, tokens: float | None, spent: Mapping[str, float]) -> float | None:
    """What it took where that was noted, else by the prices of the settings; without a price there is none."""
    if name in LATER:
        return spent.get(name) or None
    price = settings.LLM_PRICE_OUT if name == "answer" else settings.LLM_PRICE_IN
    return None if tokens is None or not price else float(tokens * price) / 1_000_000


def _share(part: int, of: int) -> float | None:
    return part / of if of else None
