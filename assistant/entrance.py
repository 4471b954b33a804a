"""Signing in; in demo mode the page says who can."""

from typing import Any

from allauth.account.forms import LoginForm
from allauth.account.views import LoginView
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from assistant import demo
from profiles.models import User


class SignInForm(LoginForm):  # type: ignore[misc]
    """allauth's form in words that fit: in a product about memory, "remember me" would say something else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or email address")
        self.fields["login"].widget.attrs.pop("placeholder", None)
        self.fields["password"].widget.attrs.pop("placeholder", None)
        self.fields["remember"].label = _("Stay signed in on this device")


class SignIn(LoginView):  # type: ignore[misc]
    """allauth's page, with the demo accounts beside the form where there are any."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Demo accounts are listed in demo mode only, and only those that were not erased."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"demo_accounts": demo_accounts() if settings.DEMO else []}


def demo_accounts() -> list[dict[str, str]]:
    """Name, password and role of each demo account that is there."""
    there = set(User.objects.filter(username__in=demo.ACCOUNTS).values_list("username", flat=True))
    return [
        {"username": name, "password": demo.password(name), "role": str(role.label)}
        for name, role in demo.ACCOUNTS.items()
        if name in there
    ]
