"""The app's name, and what follows the end of a member's key."""

from typing import Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete


class MemoryConfig(AppConfig):
    """What is kept."""

    name = "memory"

    def ready(self) -> None:
        """The key first, then the file that it opened."""
        from memory.models import Key

        post_delete.connect(_burn, sender=Key, dispatch_uid="memory.shelf")


def _burn(instance: Any, using: str, **_: Any) -> None:
    from memory import shelf

    transaction.on_commit(lambda: shelf.tidy(instance.owner_id), using=using)
