"""Door: secrets by which programs act for a member in one community; the secret is shown once and kept as a hash."""

import hashlib
import secrets
import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import AuthenticationError
from ninja.security import HttpBearer

from assistant.conversation.models import Token
from profiles.access import Reader, reader_for, scoped
from profiles.rest import Problem

MARK = "kith_"
"""So that a secret that leaked is known for what it is."""
CHAT, READ, WRITE = SCOPES = ("chat", "memory:read", "memory:write")
TALKS = ("conversations", "turns")
"""What comes first in the path of what belongs to `chat`; all else is what is kept: read, or written."""


class Bearer(HttpBearer):
    """`Authorization: Bearer <token>`: the reader that the token stands for, as `request.by_token`."""

    def authenticate(self, request: HttpRequest, token: str) -> Reader:
        """Raises where there is no such token, its member has gone, or it may not do this: no session helps it then."""
        found = _known(token)
        if found is None:
            raise AuthenticationError
        reader, scopes = found
        if (needed := scope_of(request)) not in scopes:
            raise Problem(403, "forbidden", f"the token lacks the scope {needed}")
        request.by_token = reader  # type: ignore[attr-defined]
        return reader


def scope_of(request: HttpRequest) -> str:
    """What a token needs for it."""
    first = request.path.removeprefix("/api/v1/").partition("/")[0]
    talks = first in TALKS and request.method != "DELETE"  # a conversation goes with what it has taught
    return CHAT if talks else READ if request.method in ("GET", "HEAD") else WRITE


def make(
    reader: Reader, name: str = "", days: int | None = None, scopes: Sequence[str] = SCOPES
) -> tuple[Token, str]:
    """A new token of the reader's, and its secret, which nobody can read again."""
    secret = MARK + secrets.token_urlsafe(32)
    ends = timezone.now() + timedelta(days=days) if days else None
    with scoped(reader):
        row = Token.objects.create(
            owner_id=reader.member, community_id=reader.community, name=name, digest=_digest(secret), expires_at=ends,
            scopes=[scope for scope in SCOPES if scope in scopes],
        )  # fmt: skip
    return row, secret


def revoke(reader: Reader, token: uuid.UUID) -> bool:
    """End it at once; False where there is no such token of the reader's."""
    with scoped(reader):
        return bool(Token.objects.filter(id=token, owner_id=reader.member).delete()[0])


def _known(secret: str) -> tuple[Reader, list[str]] | None:
    """Whom the secret stands for, in which community, and what it may do."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT person, community, scopes FROM kith_token(%s)", [_digest(secret)])
        row = cursor.fetchone()
    reader = reader_for(*row[:2]) if row else None
    return (reader, row[2]) if reader else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
