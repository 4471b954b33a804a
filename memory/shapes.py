"""The JSON shapes of memories: what REST takes and gives."""

import uuid
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from memory.forget_many import From, Meant
from memory.ledger import Change
from memory.models import Memory, Version
from memory.rollback import Rolled
from memory.terms import Category, Kind, Scope, Status
from profiles.rest import Strict, either, example

TEXT = 2000
"""Code points of a memory that is written by hand."""
PAGE = 100
"""Memories of one page."""
Words = Annotated[str, Field(min_length=1, max_length=TEXT, pattern=r"\S")]
Reason = Annotated[str, Field(max_length=200)]
_FIRST, _LAST = date(1970, 1, 1), date(2999, 1, 1)
"""Nothing was said before or after, and no zone can be put to the ends of the calendar."""
_PLAIN = ("text", "kind", "category", "status", "scope", "origin", "version", "subject", "attribute", "value", "pinned")
_SAID = ("text", "subject", "attribute", "value")


class New(Strict):
    """A memory to write; what is not given is read from the text."""

    model_config = example(text="我住在苏州。")

    text: Words
    kind: Kind | None = None
    category: Category | None = None
    subject: Words | None = None
    attribute: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    value: Words | None = None
    scope: Scope = Scope.PERSONAL
    space: str | None = None


class Edit(Strict):
    """Fields to set; `version` is the one that was read."""

    model_config = example(version=2, text="I live in Bergen.", valid_from="2026-03-01T00:00:00+01:00", pinned=True)

    version: int
    text: Words | None = None
    kind: Kind | None = None
    category: Category | None = None
    subject: Words | None = None
    attribute: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    value: Words | None = None
    scope: Scope | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    pinned: bool | None = None


class Why(Strict):
    """A reason; `version`, where given, must be the current one."""

    model_config = example(reason="moved away", version=2)

    reason: Reason = ""
    version: int | None = None


class Instead(Strict):
    """The sentence that takes its place."""

    model_config = example(text="I live in Oslo.", version=2)

    text: Words
    version: int | None = None


class Back(Strict):
    """The version to go back to."""

    model_config = example(version=1, reason="it was right")

    version: Annotated[int, Field(ge=1)]
    reason: Reason = ""


class Together(Strict):
    """Memories that become one, and what that says."""

    model_config = example(
        ids=["5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f01", "5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f02"], text="我喜欢川菜和粤菜。"
    )

    ids: Annotated[list[uuid.UUID], Field(min_length=2, max_length=50)]
    text: Words


class Much(Strict):
    """Everything from one turn, or from one day on the caller's calendar; with `dry_run` only how far that reaches."""

    model_config = example(either("turn", "day"), day="2026-03-01", dry_run=True)

    turn: uuid.UUID | None = None
    day: Annotated[date, Field(strict=False)] | None = None
    dry_run: bool = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.turn is None) == (self.day is None):
            raise ValueError("either a turn or a day")
        return self

    def which(self, zone: str) -> From:
        """As the door takes it."""
        if self.day is None:
            return From(turn=self.turn)
        day = min(max(self.day, _FIRST), _LAST)
        since, until = (datetime.combine(day + timedelta(days), time(), ZoneInfo(zone)) for days in (0, 1))
        return From(since=since, until=until)


class Undo(Strict):
    """What to take back: one change, or all that a turn wrote."""

    model_config = example(either("change", "turn"), change="5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f03")

    change: uuid.UUID | None = None
    turn: uuid.UUID | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.change is None) == (self.turn is None):
            raise ValueError("either a change or a turn")
        return self


def meant(found: Meant) -> dict[str, Any]:
    """What would go, by id, and how far that reaches, in numbers."""
    return {"memories": [str(row.id) for row in found.memories], "exchanges": found.exchanges,
            "elsewhere": found.elsewhere, **asdict(found.reach)}  # fmt: skip


Listed = Literal["active", "under_review", "superseded", "archived", "forgotten", "all"]


def memory(row: Memory) -> dict[str, Any]:
    """One memory with its sources; of a forgotten one only that it was there."""
    gone = row.status == Status.FORGOTTEN
    said = {name: "" if gone and name in _SAID else getattr(row, name) for name in _PLAIN}
    sources = [] if gone else [{"turn": str(source.turn), "quote": source.quote} for source in row.sources.all()]
    return {"id": str(row.id), **said, "valid_from": iso(row.valid_from), "valid_to": iso(row.valid_to),
            "created_at": iso(row.created_at), "sources": sources}  # fmt: skip


def changed(change: Change) -> dict[str, Any]:
    """The memory after a change, and the id by which the change is taken back."""
    return memory(change.memory) | {"change": str(change.id)}


def rolled(done: Rolled) -> dict[str, Any]:
    """What went back, by id; and what was changed since and stays as it is."""
    back = [{"id": str(one.memory), "version": one.to, "status": one.status} for one in done.back]
    return {"back": back, "left": [{"id": str(one.memory), "why": one.why} for one in done.left]}


def version(row: Version) -> dict[str, Any]:
    """One version: what it said, how it stood, who made it and why."""
    plain = ("number", "action", "text", "value", "status", "actor", "reason")
    return {**{name: getattr(row, name) for name in plain}, "at": iso(row.at), "change": str(row.change),
            "turn": str(row.turn) if row.turn else None}  # fmt: skip


def iso(moment: datetime | None) -> str | None:
    """A moment with its zone, or nothing."""
    return moment.isoformat() if moment else None
