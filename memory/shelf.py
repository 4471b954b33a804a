"""The files of the archive: one for each member, encrypted under the member's key, which names the version that counts.

A change writes a whole new file, which counts once that row is committed; the one before goes after that. So a crash at
any moment leaves the file that counts.
"""

import json
import uuid
import zlib
from typing import Any

from memory import depot, keys

Entries = dict[str, dict[str, Any]]
"""Memory id → what it says."""


def read(owner: uuid.UUID, version: int, key: bytes) -> Entries:
    """What is in that version; raises `FileNotFoundError` where it has just been replaced, and `keys.Unopened`."""
    content = keys.opened(key, depot.here().read(name(owner, version)), _about(owner, version))
    entries: Entries = json.loads(zlib.decompress(content))
    return entries


def write(owner: uuid.UUID, version: int, key: bytes, entries: Entries) -> None:
    """There for sure when it returns; an unfinished one never bears the name of a version."""
    content = zlib.compress(json.dumps(entries, ensure_ascii=False).encode())
    depot.here().write(name(owner, version), keys.shut(key, content, _about(owner, version)))


def files(owner: uuid.UUID) -> list[str]:
    """The names of all that bear the owner's id."""
    return sorted(depot.here().names(f"{owner}."))


def tidy(owner: uuid.UUID, *, before: int | None = None) -> None:
    """Delete the owner's files, or only the versions before that one."""
    place = depot.here()
    for file in files(owner):
        number = file.split(".")[1]
        if before is None or (number.isdigit() and int(number) < before):
            place.delete(file)


def name(owner: uuid.UUID, version: int) -> str:
    """Of the file that holds this version."""
    return f"{owner}.{version}.kith"


def _about(owner: uuid.UUID, version: int) -> str:
    return f"archive {owner} {version}"
