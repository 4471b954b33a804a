"""What REST answers on memories, blocks and profiles: each shape with an example."""

from typing import Any, Literal

from memory.terms import Category, Kind, Label, Origin, Scope, Status
from profiles.rest import Id, Moment, Reply, example

_ID, _CHANGE, _TURN = (f"5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f0{digit}" for digit in (1, 3, 4))
_AT = "2026-03-01T09:30:00+08:00"
_MEMORY: dict[str, Any] = {
    "id": _ID, "text": "我住在苏州。", "kind": "semantic", "category": "fact", "status": "active", "scope": "personal",
    "origin": "told", "version": 1, "subject": "me", "attribute": "residence", "value": "苏州", "pinned": False,
    "valid_from": None, "valid_to": None, "created_at": _AT, "sources": [{"turn": _TURN, "quote": "我住在苏州。"}],
}  # fmt: skip


class Quote(Reply):
    """The words of one turn that a memory rests on."""

    turn: Id
    quote: str


class Seen(Reply):
    """One memory; of a forgotten one only that it was there."""

    model_config = example(**_MEMORY)

    id: Id
    text: str
    kind: Kind
    category: Category
    status: Status
    scope: Scope
    origin: Origin
    version: int
    subject: str
    attribute: str
    value: str
    pinned: bool
    valid_from: Moment | None
    valid_to: Moment | None
    created_at: Moment
    sources: list[Quote]


class Changed(Seen):
    """The memory after a change, and the id by which the change is taken back."""

    model_config = example(**_MEMORY, change=_CHANGE)

    change: Id


class Forgotten(Reply):
    """What was forgotten, and the change that brings it back."""

    model_config = example(id=_ID, change=_CHANGE, version=2)

    id: Id
    change: Id
    version: int


class Told(Reply):
    """One version: what it said, how it stood, who made it and why."""

    model_config = example(
        number=1, action="added", text="我住在苏州。", value="苏州", status="active", actor="member", reason="",
        at=_AT, change=_CHANGE, turn=_TURN,
    )  # fmt: skip

    number: int
    action: str
    text: str
    value: str
    status: Status
    actor: str
    reason: str
    at: Moment
    change: Id
    turn: Id | None


class Used(Reply):
    """An answer that had the memory before it."""

    turn: Id
    cited: bool
    score: float


class Reached(Reply):
    """What hangs on a memory."""

    model_config = example(answers=[{"turn": _TURN, "cited": True, "score": 0.82}], derived=[_MEMORY])

    answers: list[Used]
    derived: list[Seen]


class Meant(Reply):
    """What would go, and how far that reaches: answers, derived memories, overviews."""

    model_config = example(
        memories=[_ID], exchanges=3, elsewhere=0, answers=2, cited=1, derived=1, overviews=1
    )

    memories: list[Id]
    exchanges: int
    elsewhere: int
    answers: int
    cited: int
    derived: int
    overviews: int


class Forgot(Reply):
    """What went as one change, and what was made anew of what is left, or went for want of it."""

    model_config = example(change=_CHANGE, memories=1, exchanges=3, rebuilt=1, dissolved=0, overviews=1)

    change: Id
    memories: int
    exchanges: int
    rebuilt: int
    dissolved: int
    overviews: int


class WentBack(Reply):
    """A memory that went back to an earlier version."""

    id: Id
    version: int
    status: Status


class Stayed(Reply):
    """A memory that stays as it is, and why."""

    id: Id
    why: str


class Rolled(Reply):
    """What went back, and what was changed since and stays as it is."""

    model_config = example(back=[{"id": _ID, "version": 1, "status": "forgotten"}], left=[])

    back: list[WentBack]
    left: list[Stayed]


class Undone(Reply):
    """The change that was taken back, where it held exchanges alone."""

    model_config = example(change=_CHANGE)

    change: Id


class Block(Reply):
    """A text that always stands in the context."""

    model_config = example(
        label="human", text="Prefers short answers.", version=3, limit=2000, updated_at="2026-03-01T09:30:00+08:00"
    )

    label: Label
    text: str
    version: int
    limit: int
    updated_at: Moment | None


class BlockVersion(Reply):
    """What a block said once."""

    model_config = example(number=2, text="Prefers short answers.", actor="member", reason="", at=_AT)

    number: int
    text: str
    actor: str
    reason: str
    at: Moment


class ProfileSeen(Reply):
    """Who the member is here; `member` is the id that staff use."""

    model_config = example(
        member="5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f05", name="Ally", interests=["ceramics"], expertise="expert",
        language="en", preferences={"answers": "short"}, last_topics=["glaze"], interaction_count=12, version=4,
        first_seen=_AT, last_seen=_AT, memory=True,
    )  # fmt: skip

    member: Id
    name: str
    interests: list[str]
    expertise: Literal["", "beginner", "intermediate", "expert"]
    language: str
    preferences: dict[str, Any]
    last_topics: list[str]
    interaction_count: int
    version: int
    first_seen: Moment | None
    last_seen: Moment | None
    memory: bool
