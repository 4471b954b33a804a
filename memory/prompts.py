"""Prompts stand beside the code that sends them, one file a language: `<stem>.zh.md`, `<stem>.en.md`."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAME = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt ready to send, and the mark of its template (12 hexadecimal digits, without the values)."""

    text: str
    hash: str


def prompt(file: str, language: str, **values: str) -> Prompt:
    """The prompt beside `file` (the caller's `__file__`) in zh or en, its `{{names}}` filled in.

    Raises `ValueError` unless the names in it are exactly those given. Values are never filled in twice.
    """
    template = _read(str(Path(file).with_suffix(f".{language}.md")))
    wanted = set(_NAME.findall(template))
    if wanted != set(values):
        raise ValueError(f"{Path(file).stem}.{language}.md wants {sorted(wanted)}, not {sorted(values)}")
    text = _NAME.sub(lambda found: values[found[1]], template)
    return Prompt(text, hashlib.sha256(template.encode()).hexdigest()[:12])


@cache
def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
