"""A backup: database, archive and keys in one file; and its return, after which who was erased since is erased again.

`erased.jsonl` is in no backup and is never overwritten: it is what tells who must not come back. Nor are the noted
heads of the audit chains, which the restored ones must not fall behind unseen.
"""

import hashlib
import io
import json
import os
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone

from assistant import embedded, heads, schema, supervisor
from assistant.erasing import gone, order, receipt
from memory import depot, keys, shelf

FORMAT = 1
MANIFEST, DATABASE, ARCHIVE, SECRET = "manifest.json", "database.dump", "archive/", "secret.key"
KEYS = (SECRET, receipt.KEY)
CHUNK = 1 << 20
_NOT_DECIDED = """
UPDATE profiles_erasurerequest SET state = 'requested', confirmed_at = NULL, cools_until = NULL, approved_at = NULL,
    approved_by_id = NULL WHERE state IN ('confirmed', 'approved')
"""


class Refused(Exception):
    """It can't be done as things stand, and nothing was changed; the text says why in one sentence."""


class Lost(Exception):
    """A restore failed, and so did putting back what was there; the text says where that is."""


def make(path: Path) -> dict[str, Any]:
    """Write it, for its owner on the machine alone. Returns the manifest; raises `Refused`."""
    if path.exists():
        raise Refused(f"{path} is there already.")
    part, dump = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.dump")
    try:
        with _moment() as (snapshot, files), _private(dump) as handle:
            _dump(handle, f"--snapshot={snapshot}")
        whole = {ARCHIVE + name: content for name, content in files.items()} | _kept()
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in whole.items()}
        with dump.open("rb") as handle:
            digests[DATABASE] = hashlib.file_digest(handle, "sha256").hexdigest()
        manifest = {
            "format": FORMAT, "made_at": timezone.now().isoformat(timespec="seconds"), "secret": _fingerprint(),
            "archive": "in it" if settings.ARCHIVE_DIR else settings.ARCHIVE_URL, "digests": digests,
        }  # fmt: skip
        with _private(part) as handle, tarfile.open(fileobj=handle, mode="w") as tar:
            _add(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
            for name, content in whole.items():
                _add(tar, name, content)
            tar.add(dump, DATABASE, filter=_anonymous)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        dump.unlink(missing_ok=True)
    return manifest


def restore(path: Path, *, force: bool = False) -> int:
    """Everything as it was then, but for who was erased since. Returns how many these were; raises `Refused`."""
    with supervisor.alone() as nobody_else:
        if not nobody_else:
            raise Refused("Kith is running on this folder; stop it first.")
        with _opened(path) as tar:
            manifest = _checked(tar)
            _may(manifest, force=force)
            _database(tar, path.with_name(f"{path.name}.before"))
            _keys(tar, manifest)
            _archive(tar, manifest)
        heads.note(restored=True)
        return order.again()


def _may(manifest: dict[str, Any], *, force: bool) -> None:
    """Nothing is overwritten unasked, and nobody who was erased comes back because a key has changed."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM profiles_user)")
        if cursor.fetchone()[0] and not force:
            raise Refused("The database is not empty; with --force what is in it is lost.")
    if manifest["secret"] == _fingerprint():
        return
    if Path(settings.VAR_DIR, gone.FILE).exists():
        raise Refused(f"The backup was made under another SECRET_KEY, so {gone.FILE} could not tell who was erased.")
    if SECRET not in manifest["digests"] or os.environ.get("SECRET_KEY"):
        raise Refused("The backup was made under another SECRET_KEY; set that one.")


def _keys(tar: tarfile.TarFile, manifest: dict[str, Any]) -> None:
    """Those under which what the database holds, and the files of the archive, open."""
    for name in KEYS:
        if name in manifest["digests"]:
            fresh = Path(settings.VAR_DIR, f"{name}.new")
            fresh.unlink(missing_ok=True)
            with _private(fresh) as handle:
                handle.write(_read(tar, name))
            fresh.replace(Path(settings.VAR_DIR, name))
    if manifest["secret"] != _fingerprint():
        settings.SECRET_KEY = Path(settings.VAR_DIR, SECRET).read_text().strip()  # this process has begun with another


def _database(tar: tarfile.TarFile, before: Path) -> None:
    """Filled anew; where that fails, with what was there. Sessions and files of exports are not brought back."""
    content = tar.extractfile(DATABASE)
    assert content is not None
    with _private(before) as handle:
        _dump(handle)
    try:
        _fill(content)
    except Exception:
        try:
            with before.open("rb") as handle:
                _fill(handle)
        except Exception as worse:
            raise Lost(f"Neither the backup nor what was there could be restored; that is in {before}.") from worse
        before.unlink()
        raise
    before.unlink()
    with connections["owner"].cursor() as cursor:
        cursor.execute("TRUNCATE django_session, profiles_export")
        cursor.execute(_NOT_DECIDED)  # it may have been cancelled since
    _leave()


def _fill(content: IO[bytes]) -> None:
    """Emptied and filled as the tables' owner."""
    _leave()
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP OWNED BY CURRENT_USER CASCADE")
        cursor.execute("SELECT to_regnamespace('public') IS NULL")
        if cursor.fetchone()[0]:  # it belonged to the owner too
            cursor.execute("CREATE SCHEMA public")
        cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
    name = settings.DATABASES["owner"]["NAME"]
    _program(None, "pg_restore", "--no-owner", "--no-acl", "--exit-on-error", "--single-transaction", "-d", name,
             stdin=content)  # fmt: skip
    schema.bring_up_to_date()


def _archive(tar: tarfile.TarFile, manifest: dict[str, Any]) -> None:
    """Exactly the files of the backup; a bucket keeps its own."""
    if not settings.ARCHIVE_DIR or manifest["archive"] != "in it":
        return
    place = depot.here()
    wanted = {name.removeprefix(ARCHIVE) for name in manifest["digests"] if name.startswith(ARCHIVE)}
    for name in wanted:
        place.write(name, _read(tar, ARCHIVE + name))
    for name in set(place.names("")) - wanted:
        place.delete(name)


@contextmanager
def _moment() -> Iterator[tuple[str, dict[str, bytes]]]:
    """One moment of the database, by its snapshot, and the files of the archive that count in it.

    A file that is replaced before it is read is looked for in the next moment; one that is missing there too is lost.
    """
    missing: set[str] = set()
    while True:
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone() or ("",)
            cursor.execute("SELECT owner_id, shelf FROM memory_key WHERE shelf > 0 ORDER BY owner_id")
            names = [shelf.name(owner, version) for owner, version in cursor.fetchall()] if settings.ARCHIVE_DIR else []
            files = _read_all(names)
            without = set(names) - set(files)
            if without <= missing:
                yield snapshot, files
                return
            missing = without


def _read_all(names: Iterable[str]) -> dict[str, bytes]:
    place, found = depot.here(), {}
    for name in names:
        with suppress(FileNotFoundError):
            found[name] = place.read(name)
    return found


def _dump(handle: IO[bytes], *more: str) -> None:
    _program(handle, "pg_dump", "--format=custom", "--no-owner", "--no-acl", "--no-comments",
             "--exclude-extension=vector", *more)  # fmt: skip


def _kept() -> dict[str, bytes]:
    """The keys that lie here and are in use."""
    found = {name: Path(settings.VAR_DIR, name) for name in KEYS}
    there = {name: path.read_bytes() for name, path in found.items() if path.exists()}
    if there.get(SECRET, b"").decode().strip() != settings.SECRET_KEY:  # it is set from outside
        there.pop(SECRET, None)
    return there


def _checked(tar: tarfile.TarFile) -> dict[str, Any]:
    """What the backup says of itself, once everything in it is whole."""
    try:
        manifest: dict[str, Any] = json.loads(_read(tar, MANIFEST))
        if manifest["format"] != FORMAT:
            raise Refused(f"The backup has format {manifest['format']}, this Kith knows {FORMAT}.")
        if set(tar.getnames()) != {MANIFEST, *manifest["digests"]}:
            raise Refused("The backup is damaged: a part of it is missing, or there is one too many.")
        for name, digest in manifest["digests"].items():
            content = tar.extractfile(name)
            if content is None or hashlib.file_digest(content, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                raise Refused(f"The backup is damaged: {name}.")
    except (KeyError, TypeError, ValueError, tarfile.TarError, EOFError) as problem:
        raise Refused("This is no backup of Kith's, or it is damaged.") from problem
    return manifest


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        tar = tarfile.open(path)  # noqa: SIM115 - closed below
    except (OSError, tarfile.TarError) as problem:
        raise Refused(f"{path} can't be read as a backup.") from problem
    with tar:
        yield tar


def _read(tar: tarfile.TarFile, name: str) -> bytes:
    content = tar.extractfile(name)
    return content.read() if content else b""


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    tar.addfile(entry, io.BytesIO(content))


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _fingerprint() -> str:
    """Of the SECRET_KEY, under which members' keys are wrapped; it does not give it away."""
    return hashlib.sha256(keys.of_purpose("kith: whose backup")).hexdigest()[:16]


def _leave() -> None:
    """No connection of this process may hold on to tables that go, or know plans for them."""
    connections.close_all()
    connections["default"].close_pool()  # type: ignore[attr-defined]


def _program(out: IO[bytes] | None, name: str, *arguments: str, stdin: IO[bytes] | None = None) -> None:
    """One of PostgreSQL's, as the tables' owner; raises `Refused` with its last line."""
    database = settings.DATABASES["owner"]
    where = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    here = {variable: str(database[key]) for variable, key in where.items() if database.get(key)}
    ssl = {key: value for key, value in database["OPTIONS"].items() if key.startswith("ssl")}
    here |= {f"PG{key.upper()}": str(value) for key, value in ssl.items()}
    others = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    running = subprocess.Popen(
        [str(embedded.program(name)), *arguments], env=others | here, stdin=subprocess.PIPE if stdin else None,
        stdout=out or subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    if stdin and running.stdin:
        try:
            while chunk := stdin.read(CHUNK):
                running.stdin.write(chunk)
        except BrokenPipeError:  # it has ended; why, it says below
            pass
    said = running.communicate()[1].decode(errors="replace").strip()
    if running.returncode:
        raise Refused(f"{name} failed: {(said.splitlines() or ['no reason given'])[-1]}")
