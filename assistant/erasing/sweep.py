"""The sweep: looks for what an erasure was to take, in every table, key and file, by a way of its own.

It knows no rule and no order: only the words, the database's catalogue, the store's keys and the folder of all files.
"""

import gzip
import uuid
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import redis
from django.conf import settings
from django.db import connections

from assistant.erasing.marks import Marks
from assistant.erasing.search import holding, stands, tables
from memory import shelf

SHORTEST_NAME = 3
"""Code points of a name that is worth counting in other people's words."""
PIECE = 8 * 2**20
"""Bytes of a file that are read at once."""
OVERLAP = 4096
"""Bytes read twice, at the end of a piece and before the next: more than anything that is looked for."""
NOT_READ = ("postgres", "valkey")
"""Folders of the stores, which are asked themselves; their logs are read."""


class Unread(Exception):
    """What a file says could not be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """`traces`: place → how often, of what must be gone. `mentions`: rows of others in which the name stands."""

    traces: dict[str, int] = field(default_factory=dict)
    mentions: int = 0
    looked: dict[str, int] = field(default_factory=dict)


def look(marks: Marks) -> Found:
    """Everywhere; an error is no finding and stops it."""
    needles = marks.needles()
    traces: Counter[str] = Counter()
    for counts in holding(needles).values():
        for table, count in counts.items():
            traces[f"table {table}"] += count
    for table, count in _rows_of(marks.members).items():
        traces[f"rows {table}"] += count
    for place, count in [*_keys(needles).items(), *_files(needles).items()]:
        traces[place] += count
    for member in marks.members:
        traces["archive"] += len(shelf.files(member))
    names = [name for name in marks.names if len(name) >= SHORTEST_NAME]
    mentions = sum(count for counts in holding(names).values() for count in counts.values()) if names else 0
    looked = {"tables": len(tables()), "words": len(needles), "files": sum(1 for _ in _paths())}
    return Found({place: count for place, count in traces.items() if count}, mentions, looked)


def _rows_of(members: Sequence[uuid.UUID]) -> dict[str, int]:
    """Rows that a foreign key or a column of that name ties to one of the memberships."""
    with connections["sweep"].cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND udt_name = 'uuid' ORDER BY table_name"
        )
        columns: dict[str, list[str]] = defaultdict(list)
        for table, column in cursor.fetchall():
            columns[table].append(column)
        found = {}
        for table, names in columns.items():
            either = " OR ".join(f'"{name}" = ANY(%(members)s)' for name in names)
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE {either}', {"members": list(members)})  # noqa: S608
            found[table] = cursor.fetchone()[0]
    return found


def _keys(needles: Sequence[str]) -> dict[str, int]:
    """In names of keys, and in what they hold."""
    store: Any = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5)
    found: Counter[str] = Counter()
    for key in store.scan_iter(count=1000):
        held = b"\n".join([key, *_held(store, key)]).decode(errors="replace")
        if any(stands(needle, held) for needle in needles):
            found[f"key {key.split(b':')[1].decode(errors='replace') if b':' in key else 'without a prefix'}"] += 1
    return found


def _held(store: Any, key: bytes) -> list[bytes]:
    kind = store.type(key).decode()
    if kind == "string":
        return [store.get(key) or b""]
    if kind == "hash":
        return [part for pair in store.hgetall(key).items() for part in pair]
    if kind == "list":
        return list(store.lrange(key, 0, -1))
    if kind == "set":
        return list(store.smembers(key))
    if kind == "zset":
        return [member for member, _ in store.zrange(key, 0, -1, withscores=True)]
    streamed = store.xrange(key) if kind == "stream" else []
    return [part for _, fields in streamed for pair in fields.items() for part in pair]


def _files(needles: Sequence[str]) -> dict[str, int]:
    """In names, in what files say, and in what packed ones say. One that can't be unpacked was not looked into, so it
    counts as something left."""
    found: Counter[str] = Counter()
    for path in _paths():
        place = path.relative_to(settings.VAR_DIR)
        with suppress(FileNotFoundError):
            try:
                if any(stands(needle, text) for text in (str(place), *_said(path)) for needle in needles):
                    found[f"file {place.parts[0]}"] += 1
            except Unread:
                found[f"unread {place.parts[0]}"] += 1
    return found


def _said(path: Path) -> Iterator[str]:
    """What a file says, and what it says unpacked, whatever its size; raises `Unread`."""
    with path.open("rb") as handle:
        yield from _pieces(handle)
        handle.seek(0)
        start = handle.read(2)
        try:
            if zipfile.is_zipfile(handle):
                with zipfile.ZipFile(handle) as packed:
                    for name in packed.namelist():
                        yield name
                        with packed.open(name) as member:
                            yield from _pieces(member)
            elif start == b"\x1f\x8b":
                handle.seek(0)
                with gzip.GzipFile(fileobj=handle) as unpacked:
                    yield from _pieces(unpacked)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as problem:
            # RuntimeError and its kinds: locked with a password, or packed in a way that zipfile does not know
            raise Unread from problem
        if start[:1] == b"\x78":  # a weak mark: a text may begin so too, and then what follows is no stream
            with suppress(zlib.error):
                yield zlib.decompressobj().decompress(path.read_bytes()).decode(errors="replace")


def _pieces(handle: IO[bytes] | gzip.GzipFile) -> Iterator[str]:
    """Piece by piece, each with the end of the one before."""
    before = b""
    while piece := handle.read(PIECE):
        yield (before + piece).decode(errors="replace")
        before = piece[-OVERLAP:]


def _paths() -> Iterator[Path]:
    for top in sorted(settings.VAR_DIR.iterdir()):
        inside = [top] if top.is_file() else [path for path in sorted(top.rglob("*")) if path.is_file()]
        yield from (path for path in inside if top.name not in NOT_READ or path.suffix == ".log")
