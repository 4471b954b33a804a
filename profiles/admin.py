"""The stock admin for accounts and communities; nobody is deleted here, that is an erasure."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from profiles.models import Community, Invitation, User

admin.site.unregister(EmailAddress)
"""An address belongs to its account: it is changed there, and goes with an erasure."""


@admin.register(User)
class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts, without deletion; the admin's own log knows them by id, so that it holds nobody's name."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """By id."""
        return _by_id(super().log_addition(request, obj, message), obj)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """By id."""
        return _by_id(super().log_change(request, obj, message), obj)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """An account goes by erasure only."""
        return False


@admin.register(Community)
class CommunityAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tenants, without deletion."""

    list_display = ("slug", "name", "is_open")

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """A community goes by erasure only."""
        return False


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Codes that let people in."""

    list_display = ("community", "role", "uses_left", "expires_at")
    readonly_fields = ("code",)


def _by_id(entry: LogEntry, row: Any) -> LogEntry:
    entry.object_repr = str(row.pk)
    entry.save(update_fields=["object_repr"])
    return entry
