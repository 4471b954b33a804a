"""One conversation as a file for its member: Markdown of what is shown, or JSON of every branch."""

import json
import re
import uuid
from typing import Any, Literal

from assistant.conversation import branches
from assistant.conversation.models import Conversation, Turn
from memory.mask import masker
from memory.shapes import iso
from profiles.access import Reader

Shape = Literal["md", "json"]
TYPES: dict[Shape, str] = {"md": "text/markdown; charset=utf-8", "json": "application/json"}
_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+')
"""What a name of a file can't hold on some system, or what makes it look like another one."""
NAME = 60
"""Characters of the title that name the file."""


def taken(reader: Reader, talk: Conversation, shape: Shape, asked: str, answered: str) -> str:
    """The text of the file, without what was forgotten; `asked` and `answered` head the parts of the Markdown."""
    black, turns = masker(reader), branches.all_of(talk.id)
    if shape == "json":
        items = [_item(turn, black(turn.question), black(turn.answer)) for turn in turns.values()]
        body = {"id": str(talk.id), "title": black(talk.title), "created_at": iso(talk.created_at), "turns": items,
                "shown": [str(turn.id) for turn in branches.newest(turns)]}  # fmt: skip
        return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    parts = [f"# {black(talk.title)}"]
    for turn in branches.newest(turns):
        parts += [f"## {asked} · {turn.asked_at:%Y-%m-%d %H:%M} UTC", black(turn.question), f"## {answered}",
                  black(turn.answer) or f"({turn.get_state_display()})"]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def named(reader: Reader, talk: Conversation, shape: Shape) -> str:
    """A name for the file that every system takes, in the words of the title that were not forgotten."""
    words = " ".join(_UNFIT.sub(" ", masker(reader)(talk.title)).split())[:NAME].strip(" .")
    return f"{words or 'conversation'}.{shape}"


def _item(turn: Turn, question: str, answer: str) -> dict[str, Any]:
    parent: uuid.UUID | None = turn.parent_id
    return {"id": str(turn.id), "parent": str(parent) if parent else None, "asked_at": iso(turn.asked_at),
            "state": turn.state, "question": question, "answer": answer,
            "author": "person" if turn.author_id else "assistant"}  # fmt: skip
