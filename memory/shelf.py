"""The files of the archive: one for each member, encrypted under the member's key, which names the version that counts.

A change writes a whole new file, which counts once that row is committed; the one before goes after that. So a crash at
any moment leaves the file that counts.
"""

import json
import os
import uuid
import zlib
from pathlib import Path
from typing import Any

from django.conf import settings

from memory import keys

Entries = dict[str, dict[str, Any]]
"""Memory id → what it says."""


def read(owner: uuid.UUID, version: int, key: bytes) -> Entries:
    """What is in that version; raises `FileNotFoundError` where it has just been replaced, and `keys.Unopened`."""
    content = keys.opened(key, _path(owner, version).read_bytes(), _about(owner, version))
    entries: Entries = json.loads(zlib.decompress(content))
    return entries


def write(owner: uuid.UUID, version: int, key: bytes, entries: Entries) -> None:
    """On the disk for sure when it returns; an unfinished one never bears the name of a version."""
    path = _path(owner, version)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = zlib.compress(json.dumps(entries, ensure_ascii=False).encode())
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(keys.shut(key, content, _about(owner, version)))
        handle.flush()
        os.fsync(handle.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def files(owner: uuid.UUID) -> list[Path]:
    """All that bear the owner's id."""
    return sorted(settings.ARCHIVE_DIR.glob(f"{owner}.*"))


def tidy(owner: uuid.UUID, *, before: int | None = None) -> None:
    """Delete the owner's files, or only the versions before that one."""
    for path in files(owner):
        number = path.name.split(".")[1]
        if before is None or (number.isdigit() and int(number) < before):
            path.unlink(missing_ok=True)


def _path(owner: uuid.UUID, version: int) -> Path:
    return Path(settings.ARCHIVE_DIR) / f"{owner}.{version}.kith"


def _about(owner: uuid.UUID, version: int) -> str:
    return f"archive {owner} {version}"
