"""What memory must be handed, as it can't reach for it itself: a language model that completes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict


class Message(TypedDict):
    """One message to a model; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said in one go, and the tokens that it took; the text may be anything, or empty."""

    text: str
    input: int = 0
    output: int = 0


class Completer(Protocol):
    """A model that answers in one go; whatever it raises goes through to the caller of the verb."""

    @property
    def model(self) -> str:
        """The name of the model, for the record."""
        ...

    async def complete(self, messages: Sequence[Message], *, schema: dict[str, Any]) -> Completion:
        """One answer; `schema` is what its JSON should look like, which no caller may rely on."""
        ...
