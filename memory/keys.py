"""Encryption under a key of each member's own, wrapped by the installation's; destroy the key, and nothing opens.

AES-256-GCM; `about` says what the bytes belong to, so that they open nowhere else. Pure.
"""

import os
import uuid
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

NONCE = 12


class Unopened(Exception):
    """These bytes were not shut with this key, or not for this place, or were changed."""


def wrapped(about: str) -> bytes:
    """A new key, to be kept."""
    return shut(_installation(settings.SECRET_KEY), AESGCM.generate_key(256), about)


def unwrapped(kept: bytes, about: str) -> bytes:
    """The key out of what was kept; under an earlier SECRET_KEY too, if it is among the fallbacks."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return opened(_installation(secret), kept, about)
        except Unopened:
            continue
    raise Unopened("the installation's SECRET_KEY is another one")


def of_community(community: uuid.UUID) -> bytes:
    """The key for what belongs to nobody alone."""
    return _derived(settings.SECRET_KEY, f"kith: {community}")


def opened_here(community: uuid.UUID, kept: bytes, about: str) -> bytes:
    """As `opened`, what was shut with a community's key; under an earlier SECRET_KEY too."""
    return opened_for(f"kith: {community}", kept, about)


def shut(key: bytes, content: bytes, about: str) -> bytes:
    """The content, encrypted, with its nonce before it."""
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, content, about.encode())


def opened(key: bytes, kept: bytes, about: str) -> bytes:
    """The content again; raises `Unopened`."""
    try:
        return AESGCM(key).decrypt(kept[:NONCE], kept[NONCE:], about.encode())
    except InvalidTag as wrong:
        raise Unopened(about) from wrong


def _installation(secret: str | bytes) -> bytes:
    return _derived(secret, "kith: keys of members")


@lru_cache(maxsize=64)
def _derived(secret: str | bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), 32, salt=None, info=purpose.encode()).derive(force_bytes(secret))


def of_purpose(purpose: str) -> bytes:
    """A key of the installation's for one purpose alone."""
    return _derived(settings.SECRET_KEY, purpose)


def opened_for(purpose: str, kept: bytes, about: str) -> bytes:
    """As `opened`, what was shut with a key of one purpose; under an earlier SECRET_KEY too."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return opened(_derived(secret, purpose), kept, about)
        except Unopened:
            continue
    raise Unopened(about)
