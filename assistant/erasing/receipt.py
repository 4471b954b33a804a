"""The receipt of an erasure: what was done, store by store, and not to whom; signed, for a stranger to check."""

import base64
import hashlib
import json
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from django.conf import settings
from django.db import connections

from assistant.erasing.sweep import Found
from assistant.erasure import TABLES
from profiles.models import ErasureRequest

VERSION = 1
KEY = "receipts.key"


class Wrong(Exception):
    """The receipt is not what was signed, or is none; the message says which."""


def commit(name: str) -> tuple[str, str]:
    """A fresh salt, and what ties the receipt to a name for whoever has both."""
    salt = secrets.token_hex(16)
    return salt, commitment(salt, name)


def commitment(salt: str, name: str) -> str:
    """SHA-256 of both, in hexadecimal."""
    return hashlib.sha256(f"{salt}|{name.casefold()}".encode()).hexdigest()


def make(row: ErasureRequest, found: Found) -> dict[str, Any]:
    """`{"receipt": …, "signature": base64, "public_key": PEM}`."""
    assert row.started_at and row.ended_at
    stores = [
        {"store": name, "rule": str(TABLES[name].how) if name in TABLES else "key destroyed, then files",
         "before": pair[0], "after": pair[1]}
        for name, pair in sorted(row.counts.items()) if isinstance(pair, list)
    ]  # fmt: skip
    body = {
        "version": VERSION, "request": str(row.id), "state": str(row.state),
        "covers": "account" if "account" in row.counts else "community",
        "requested_at": _iso(row.requested_at), "started_at": _iso(row.started_at), "ended_at": _iso(row.ended_at),
        "stores": stores, "left": found.traces, "looked_through": found.looked,
        "named_in_the_words_of_others": found.mentions,
        "pending": {
            "backups_until": _iso(row.ended_at + timedelta(days=settings.BACKUP_DAYS)),
            "providers": [name for name, used in (("language model", settings.LLM_BASE_URL),
                                                  ("embeddings", settings.EMBEDDING_BASE_URL)) if used],
        },
        "commitment": row.counts.get("commitment", ""),
        "audit": _audited(row),
    }  # fmt: skip
    return {"receipt": body, "signature": sign(body), "public_key": public_key()}


def check(said: dict[str, Any], key: str | None = None) -> dict[str, Any]:
    """What the receipt says, once its signature fits `key` (PEM; without it, this installation's); raises `Wrong`."""
    try:
        body, signature = said["receipt"], base64.b64decode(said["signature"], validate=True)
        public = load_pem_public_key((key or public_key()).encode())
    except (KeyError, TypeError, ValueError):
        raise Wrong("this is no receipt, or no key") from None
    if not isinstance(public, Ed25519PublicKey) or not isinstance(body, dict):
        raise Wrong("this is no receipt, or no key")
    try:
        public.verify(signature, _canonical(body))
    except InvalidSignature:
        raise Wrong("the signature does not fit: the receipt was changed, or is another's") from None
    return body


def public_key() -> str:
    """PEM, to be given to anybody."""
    return _key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def sign(body: dict[str, Any]) -> str:
    """The signature of this installation, in base64."""
    return base64.b64encode(_key().sign(_canonical(body))).decode()


def signed(body: dict[str, Any], signature: str) -> bool:
    """Whether this installation has signed it."""
    try:
        _key().public_key().verify(base64.b64decode(signature, validate=True), _canonical(body))
    except (InvalidSignature, ValueError):
        return False
    return True


def _canonical(body: dict[str, Any]) -> bytes:
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _key() -> Ed25519PrivateKey:
    """Made once; whoever loses it can sign nothing more, and what was signed stays true."""
    path = Path(settings.VAR_DIR) / KEY
    if not path.exists():
        made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        fresh = path.with_suffix(f".{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_bytes(made)
        try:
            path.hardlink_to(fresh)  # of two at once the first counts
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    found = load_pem_private_key(path.read_bytes(), None)
    if not isinstance(found, Ed25519PrivateKey):
        raise Wrong(f"{path.name} holds another kind of key")
    return found


def _audited(row: ErasureRequest) -> dict[str, Any]:
    """Where the community's chain says so; nowhere for who was in none."""
    with connections["sweep"].cursor() as cursor:
        cursor.execute("SELECT position, digest FROM memory_auditevent WHERE community_id = %s AND target = %s "
                       "AND action = 'erased' ORDER BY position DESC LIMIT 1", [row.community_id, row.id])  # fmt: skip
        position, digest = cursor.fetchone() or (None, None)
    return {"position": position, "digest": digest}


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
