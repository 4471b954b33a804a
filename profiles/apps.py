"""The app's name."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProfilesConfig(AppConfig):
    """People and what they may see."""

    name = "profiles"
    verbose_name = _("People and communities")
