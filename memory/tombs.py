"""The mark that keeps a forgotten memory away: a keyed hash of owner, slot and value, without their words."""

import hashlib
import hmac
import uuid

from django.conf import settings
from django.db.models import QuerySet
from django.utils.encoding import force_bytes

from memory.models import Memory, Tombstone


def over(owner: uuid.UUID, slot: str, value: str) -> QuerySet[Tombstone]:
    """The mark over what says this, if there is one."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = [_digest(secret, owner, slot, value) for secret in secrets]
    return Tombstone.objects.filter(owner_id=owner, digest__in=digests)


def lay(memory: Memory) -> None:
    """From now on it does not come back by itself; what is shared has no mark, as it is written by hand alone."""
    if memory.owner_id is not None:
        Tombstone.objects.get_or_create(
            owner_id=memory.owner_id,
            digest=_digest(settings.SECRET_KEY, memory.owner_id, memory.slot, memory.value),
            defaults={"community_id": memory.community_id, "memory": memory.id},
        )  # fmt: skip


def lift(memory: Memory) -> None:
    """It may come back."""
    Tombstone.objects.filter(owner_id=memory.owner_id, memory=memory.id).delete()


def plain(value: str) -> str:
    """Two values are one if they differ only in case and spaces."""
    return "".join(value.casefold().split())


def _digest(secret: str | bytes, owner: uuid.UUID, slot: str, value: str) -> str:
    return hmac.new(force_bytes(secret), f"{owner}|{slot}|{plain(value)}".encode(), hashlib.sha256).hexdigest()
