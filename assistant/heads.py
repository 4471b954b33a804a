"""The heads of the audit chains, noted every hour outside the database, each one signed: a chain that was cut off or
written anew does not fit them. The file is in no backup; after a restore the chains go on from where they are then.
"""

import json
import os
import uuid
from collections import defaultdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from assistant.erasing import receipt
from memory import audit
from profiles.access import operator_in, scoped
from profiles.models import Community

FILE = "audit-heads.jsonl"
Heads = dict[uuid.UUID, dict[int, str]]
"""Community → position → digest."""


class Wrong(Exception):
    """The file was changed; the message says in which line."""


def note(*, restored: bool = False) -> int:
    """One line for each chain that has grown; `restored`: for each, and what was noted behind it counts no more."""
    known = {} if restored else read()
    lines = []
    for community in Community.objects.order_by("slug"):
        with scoped(operator_in(community.id, community.slug)):
            position, digest = audit.head(community.id)
        if restored or position not in known.get(community.id, {0: ""}):
            said = {"at": timezone.now().isoformat(timespec="seconds"), "community": str(community.id),
                    "position": position, "digest": digest, "restored": restored}  # fmt: skip
            lines.append(json.dumps(said | {"signature": receipt.sign(said)}))
    if lines:
        with os.fdopen(os.open(_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as handle:
            handle.write("\n".join(lines) + "\n")
            handle.flush()
            os.fsync(handle.fileno())
    return len(lines)


def read() -> Heads:
    """What was noted and still counts; raises `Wrong`."""
    found: Heads = defaultdict(dict)
    for number, line in enumerate(_path().read_text().splitlines() if _path().exists() else (), 1):
        said = _checked(line, number)
        heads = found[uuid.UUID(said["community"])]
        if said["restored"]:
            for position in [one for one in heads if one >= said["position"]]:
                del heads[position]
        if said["position"]:
            heads[said["position"]] = said["digest"]
    return found


def _checked(line: str, number: int) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(line)
        signature = said.pop("signature")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Wrong(f"line {number} of {FILE} can't be read") from problem
    if not receipt.signed(said, signature):
        raise Wrong(f"line {number} of {FILE} was changed")
    return said


def _path() -> Path:
    return Path(settings.VAR_DIR) / FILE
