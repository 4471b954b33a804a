"""The app's name."""

from django.apps import AppConfig


class ProfilesConfig(AppConfig):
    """People and what they may see."""

    name = "profiles"
