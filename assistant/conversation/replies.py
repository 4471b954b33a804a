"""What REST answers on conversations, turns, votes, tokens and assistants: each shape with an example."""

from typing import Any, Literal

from assistant.conversation.models import State
from profiles.rest import Id, Moment, Reply, example

_ID, _TURN, _MEMORY = (f"5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f0{digit}" for digit in (6, 4, 1))
_AT = "2026-03-01T09:30:00+08:00"


class Talk(Reply):
    """One conversation of the reader's."""

    model_config = example(id=_ID, title="Glazes", memory=True, assistant="help", updated_at=_AT, created_at=_AT)

    id: Id
    title: str
    memory: bool
    assistant: str | None
    updated_at: Moment
    created_at: Moment


class ForgottenHere(Reply):
    """A memory that went with its conversation, and the change that brings it back."""

    id: Id
    change: Id


class Removed(Reply):
    """What was deleted."""

    model_config = example(id=_ID, turns=4, forgotten=[{"id": _MEMORY, "change": _ID}])

    id: Id
    turns: int
    forgotten: list[ForgottenHere]


class Answered(Reply):
    """One turn; `author` is `assistant`, or the id of the person who answered."""

    model_config = example(
        id=_TURN, question="我住在哪里？", answer="你住在苏州。[m1]", state="answered", asked_at=_AT,
        author="assistant", parent=None,
    )  # fmt: skip

    id: Id
    question: str
    answer: str
    state: State
    asked_at: Moment
    author: str
    parent: Id | None


class Region(Reply):
    """A part of what stood before an answer; `notes`: what an assistant had to leave out, and why."""

    name: Literal["rules", "persona", "profile", "memories", "knowledge", "overviews", "conversation", "message"]
    tokens: int
    text: str
    notes: list[str] = []


class Hit(Reply):
    """What was found for a turn: its score and the parts of that; `marker` where it was put into the context."""

    id: Id
    what: str
    score: float
    parts: dict[str, Any]
    marker: str
    cited: bool


class Step(Reply):
    """A tool that was used, how that went, and how much it found."""

    tool: str
    ok: bool
    found: int


class Context(Reply):
    """What an answer rested on."""

    model_config = example(
        turn=_TURN, regions=[{"name": "memories", "tokens": 12, "text": "[m1] 我住在苏州。"}],
        memories=[{"id": _MEMORY, "what": "memory", "score": 0.82, "parts": {"words": 0.9}, "marker": "m1",
                   "cited": True}],
        steps=[{"tool": "archival_memory_search", "ok": True, "found": 2}],
    )  # fmt: skip

    turn: Id
    regions: list[Region]
    memories: list[Hit]
    steps: list[Step]


class Voted(Reply):
    """The vote that counts."""

    model_config = example(turn=_TURN, rating="up")

    turn: Id
    rating: Literal["up", "down"]


class Issued(Reply):
    """A new token; `token` is shown this once."""

    model_config = example(
        id=_ID, token="kith_…", community="toolmakers", name="script",  # noqa: S106
        scopes=["chat", "memory:read"],
        expires_at="2027-03-01T09:30:00+08:00",
    )  # fmt: skip

    id: Id
    token: str
    community: str
    name: str
    scopes: list[Literal["chat", "memory:read", "memory:write"]]
    expires_at: Moment | None


class Revoked(Reply):
    """The token that has ended."""

    model_config = example(id=_ID)

    id: Id


class Assistant(Reply):
    """An assistant, and what it reads and writes, as `scope:kind`."""

    model_config = example(
        id=_ID, slug="help", name="Help", about="Answers questions about the workshop.", model="",
        reads=["personal:semantic", "community:semantic"], writes=["personal:semantic"], active=True, is_default=True,
        spaces=["kiln"],
    )  # fmt: skip

    id: Id
    slug: str
    name: str
    about: str
    model: str
    reads: list[str]
    writes: list[str]
    active: bool
    is_default: bool
    spaces: list[str]
