"""The stock admin's door: accounts that are staff, and the moderators and admins of a community."""

from django.contrib.admin import AdminSite
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest

from profiles.access import EDITORS, AskedBy


class Desk(AdminSite):
    """Each model says for itself who may do what; here it is only who may come in."""

    site_header = site_title = "Kith"
    login_form = AuthenticationForm

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the account has anything to do here."""
        asked: AskedBy = request  # type: ignore[assignment]
        edits = any(reader.role in EDITORS for reader in asked.readers)
        return bool(request.user.is_active and (request.user.is_staff or edits))
