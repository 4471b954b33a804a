"""The stock admin for accounts and communities; nobody is deleted here, that is an erasure."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from profiles.models import Community, Invitation, User

admin.site.site_header = admin.site.site_title = "Kith"


@admin.register(User)
class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts, without deletion."""

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
