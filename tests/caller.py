"""Whoever calls REST in the tests: a member by session or by token."""

import json
import uuid
from typing import Any

from django.test import Client

from memory.models import Memory
from profiles.access import Reader, reader_for, scoped
from profiles.models import Membership, Role, User
from tests.people import World

ADDRESS = "/api/v1"


class Caller:
    """Speaks JSON as one member, by session or by token."""

    def __init__(self, reader: Reader | None = None, token: str = "", *, csrf: bool = False) -> None:
        self.client = Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=csrf)
        self.headers = {"authorization": f"Bearer {token}"} if token else {}
        if reader is not None:
            self.client.force_login(User.objects.get(id=reader.person), "django.contrib.auth.backends.ModelBackend")

    def __call__(self, method: str, path: str, status: int = 200, **body: Any) -> dict[str, Any]:
        sent = {"data": json.dumps(body), "content_type": "application/json"} if method not in ("get", "delete") else {}
        answer = getattr(self.client, method)(ADDRESS + path, headers=self.headers, **sent)
        assert answer.status_code == status, answer.content.decode()
        found: dict[str, Any] = answer.json()
        if status >= 400:
            assert set(found) >= {"code", "detail"}
        return found


def colleague(world: World, role: Role) -> Reader:
    user = User.objects.using("owner").create(username=f"{role}-{uuid.uuid4().hex[:8]}")
    Membership.objects.using("owner").create(user=user, community_id=world.alice.community, role=role, memory_on=True)
    reader = reader_for(user.id)
    assert reader is not None
    return reader


def current(reader: Reader) -> list[str]:
    with scoped(reader):
        return sorted(Memory.objects.live().filter(owner_id=reader.member).values_list("text", flat=True))
