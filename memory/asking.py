"""Asking a model one thing: a prompt, some material, and an answer in JSON that counts only once it was checked."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from memory.prompts import Prompt, prompt
from memory.protocols import Completer, Message

log = logging.getLogger(__name__)
T = TypeVar("T")


class Unfit(ValueError):
    """An answer can't be used; the message says why in words for the model, without anybody's own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, in which language, about what; `schema` is how the answer should look."""

    prompt: Prompt
    language: str
    material: dict[str, Any]
    schema: dict[str, Any]


async def ask(completer: Completer, asked: Asked, read: Callable[[str], T]) -> T | None:
    """What `read` makes of the answer. Where that raises `ValueError` the model is told why, once; then it is None.

    What the completer raises goes through. To be called outside of any transaction.
    """
    messages: list[Message] = [
        {"role": "system", "content": asked.prompt.text},
        {"role": "user", "content": json.dumps(asked.material, ensure_ascii=False)},
    ]
    for again in (True, False):
        said = (await completer.complete(messages, schema=asked.schema)).text
        try:
            return read(said)
        except ValueError as problem:
            why = " ".join(str(problem).split())[:300]
        if again:
            mend = prompt(__file__, asked.language, problems=why)
            messages += [{"role": "assistant", "content": said[:4000]}, {"role": "user", "content": mend.text}]
    log.warning("what %s answered could not be used: %s", completer.model, why)
    return None


def made_by(name: str, asked: Asked, completer: Completer) -> str:
    """Prompt, its hash and the model, as a version keeps them."""
    return f"{name}@{asked.prompt.hash} {completer.model}"[:120]


def shape(fields: dict[str, Any]) -> dict[str, Any]:
    """A schema of one object, within what strict endpoints take: all fields required."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
