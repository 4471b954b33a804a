"""What is looked up for a message, and by which words; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.follow_up import is_follow_up


@dataclass(frozen=True, slots=True)
class Route:
    """How a message is looked up: by its own words, or, where it only goes on, by those that it goes on from."""

    kind: Literal["question", "follow_up"]
    text: str

    @property
    def goes_on(self) -> bool:
        """The conversation at hand comes first: no other talk is brought in, and its own vectors say nothing."""
        return self.kind == "follow_up"


def plan(text: str, before: Sequence[str] = ()) -> Route:
    """`before` are the earlier messages of the conversation at hand, oldest first."""
    if not before or not is_follow_up(text):
        return Route("question", text)
    return Route("follow_up", next((said for said in reversed(before) if not is_follow_up(said)), before[-1]))
