"""Who was erased, as keyed hashes of ids outside the database and its backups: who comes back with one goes again."""

import hashlib
import hmac
import json
import os
import uuid
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db import connections
from django.utils import timezone

from assistant.erasing.plan import Target
from memory import keys

FILE = "erased.jsonl"


def note(request: uuid.UUID, ids: Iterable[str]) -> None:
    """One line for each erasure, on the disk when it returns."""
    line = {"at": timezone.now().isoformat(timespec="seconds"), "request": str(request),
            "ids": sorted(_mark(one) for one in ids)}  # fmt: skip
    with os.fdopen(os.open(_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
        handle.flush()
        os.fsync(handle.fileno())


def returned() -> list[Target]:
    """Whom a restored backup has brought back, although they were erased."""
    marked = {mark for line in _lines() for mark in json.loads(line)["ids"]}
    if not marked:
        return []
    with connections["erase"].cursor() as cursor:
        cursor.execute("SELECT u.id, array_remove(array_agg(m.id), NULL) FROM profiles_user u "
                       "LEFT JOIN profiles_membership m ON m.user_id = u.id GROUP BY u.id")  # fmt: skip
        people = cursor.fetchall()
    found = []
    for person, members in people:
        account = _mark(str(person)) in marked
        gone = members if account else [one for one in members if _mark(str(one)) in marked]
        if account or gone:
            found.append(Target(person, tuple(gone), account))
    return found


def _mark(one: str) -> str:
    return hmac.new(keys.of_purpose("kith: who was erased"), one.encode(), hashlib.sha256).hexdigest()


def _lines() -> list[str]:
    return _path().read_text(encoding="utf-8").splitlines() if _path().exists() else []


def _path() -> Path:
    return Path(settings.VAR_DIR) / FILE
