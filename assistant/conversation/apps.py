"""The app's name, and what it listens to."""

import uuid
from typing import Any

from django.apps import AppConfig


class ConversationConfig(AppConfig):
    """Conversations and turns."""

    name = "assistant.conversation"

    def ready(self) -> None:
        """What is forgotten leaves the copies in working memory."""
        from memory.signals import forgotten

        forgotten.connect(_drop, dispatch_uid="conversation.window")


def _drop(sender: object, member: uuid.UUID, **more: Any) -> None:
    from assistant.conversation import window

    window.drop(member)
