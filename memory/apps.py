"""The app's name."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """What is kept."""

    name = "memory"
