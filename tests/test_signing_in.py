"""Passwords can't be tried at will, whoever tries them."""

import uuid

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from profiles.models import User

RIGHT = "a-good-long-password-of-hers"


@pytest.fixture
def name() -> str:
    user = User.objects.using("owner").create(username=f"door-{uuid.uuid4().hex[:10]}")
    user.set_password(RIGHT)
    user.save(using="owner")
    return user.username


def enters(name: str, password: str, address: str) -> bool:
    client = Client(HTTP_HOST="127.0.0.1", REMOTE_ADDR=address)
    client.post(reverse("account_login"), {"login": name, "password": password})
    return "_auth_user_id" in client.session


@override_settings(ACCOUNT_RATE_LIMITS={})
def test_after_some_wrong_passwords_the_right_one_does_not_help_either(name: str) -> None:
    assert enters(name, RIGHT, "203.0.113.1")
    assert not any(enters(name, f"guess {number}", f"203.0.113.{number}") for number in range(2, 12))
    assert not enters(name, RIGHT, "203.0.113.99"), "from another address too"


@override_settings(ACCOUNT_RATE_LIMITS={})
def test_one_address_can_not_try_one_password_on_everybody(name: str) -> None:
    address = f"198.51.100.{uuid.uuid4().int % 250 + 1}"
    tried = [enters(f"nobody-{uuid.uuid4().hex[:8]}", "123456", address) for _ in range(40)]
    assert not any(tried)
    assert not enters(name, RIGHT, address)
