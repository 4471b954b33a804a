"""Door: secrets by which programs act for a member in one community; the secret is shown once and kept as a hash."""

import hashlib
import secrets
import uuid
from datetime import timedelta

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from assistant.conversation.models import Token
from profiles.access import Reader, reader_for, scoped

MARK = "kith_"
"""So that a secret that leaked is known for what it is."""


class Bearer(HttpBearer):
    """`Authorization: Bearer <token>`: the reader that the token stands for, as `request.by_token`."""

    def authenticate(self, request: HttpRequest, token: str) -> Reader | None:
        """None where there is no such token, or its member has gone."""
        reader = reader_of(token)
        if reader is not None:
            request.by_token = reader  # type: ignore[attr-defined]
        return reader


def make(reader: Reader, name: str = "", days: int | None = None) -> tuple[Token, str]:
    """A new token of the reader's, and its secret, which nobody can read again."""
    secret = MARK + secrets.token_urlsafe(32)
    ends = timezone.now() + timedelta(days=days) if days else None
    with scoped(reader):
        row = Token.objects.create(
            owner_id=reader.member, community_id=reader.community, name=name, digest=_digest(secret), expires_at=ends
        )
    return row, secret


def revoke(reader: Reader, token: uuid.UUID) -> bool:
    """End it at once; False where there is no such token of the reader's."""
    with scoped(reader):
        return bool(Token.objects.filter(id=token, owner_id=reader.member).delete()[0])


def reader_of(secret: str) -> Reader | None:
    """Whom the secret stands for, and in which community."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT person, community FROM kith_token(%s)", [_digest(secret)])
        row = cursor.fetchone()
    return reader_for(*row) if row else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
