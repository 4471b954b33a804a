"""The app's name."""

from django.apps import AppConfig


class ConversationConfig(AppConfig):
    """Conversations and turns."""

    name = "assistant.conversation"
