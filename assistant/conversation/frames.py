"""The shapes of the socket's frames: what a client may send, and how a bad one is refused."""

import json
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from memory import policy


class Refusal(Exception):
    """A frame that is answered with one `error`; `code` is the contract's."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _clean(text: str) -> str:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("the text holds characters that can't be stored")
    if not text.strip():
        raise ValueError("the text is empty")
    return text


class _Spoken(_Frame):
    client_id: Annotated[uuid.UUID, Field(strict=False)]
    text: str
    _text = field_validator("text")(_clean)


class Ask(_Spoken):
    """A question; the last four count in a conversation's first ask only."""

    type: Literal["ask"]
    community: str | None = None
    space: str | None = None
    assistant: str | None = None
    memory: bool = True


class Edit(_Spoken):
    """The question of `turn`, asked in other words."""

    type: Literal["edit"]
    turn: Annotated[uuid.UUID, Field(strict=False)]


class Regenerate(_Frame):
    """The same question again."""

    type: Literal["regenerate"]
    turn: Annotated[uuid.UUID, Field(strict=False)]
    client_id: Annotated[uuid.UUID, Field(strict=False)]


class Human(_Frame):
    """The question of `turn` once more, for a person to answer."""

    type: Literal["human"]
    turn: Annotated[uuid.UUID, Field(strict=False)]
    client_id: Annotated[uuid.UUID, Field(strict=False)]


class Stop(_Frame):
    """End the running answer, keep what there is; or wait for a person no longer."""

    type: Literal["stop"]


class Resume(_Frame):
    """Send everything after this `seq`, then follow."""

    type: Literal["resume"]
    after: Annotated[int, Field(ge=0, le=2**53)]


class Ping(_Frame):
    """Are you there?"""

    type: Literal["ping"]


Asked = Ask | Edit | Regenerate | Human
Incoming = Ask | Edit | Regenerate | Human | Stop | Resume | Ping
_adapter: TypeAdapter[Incoming] = TypeAdapter(Annotated[Incoming, Field(discriminator="type")])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def read(text: str | None) -> Incoming:
    """One text frame → its shape; raises `Refusal` (`bad_request`, `too_long`)."""
    if text is None:
        raise Refusal("bad_request", "text frames only")
    large = len(text.encode("utf-8", "surrogatepass")) > policy.FRAME_LIMIT
    try:
        raw = json.loads(text, parse_constant=_refuse_constant) if len(text) < 4 * 2**20 else None
        frame = _adapter.validate_python(raw)
    except (ValidationError, ValueError, RecursionError) as problem:
        raise Refusal("bad_request", "not a frame of this protocol") from problem
    if isinstance(frame, (Ask, Edit)) and len(frame.text) > policy.ASK_LIMIT:
        raise Refusal("too_long", f"at most {policy.ASK_LIMIT} characters")
    if large:
        raise Refusal("bad_request", f"at most {policy.FRAME_LIMIT} bytes")
    return frame
