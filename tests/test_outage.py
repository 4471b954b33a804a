"""An outage is told as one, on pages and over REST; anything else is not called an outage."""

import pytest
import redis
from django.db import OperationalError
from django.test import Client

from profiles import access
from profiles.models import User
from tests.caller import Caller
from tests.people import World

HOST = "127.0.0.1"


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST=HOST, raise_request_exception=False)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("problem", [redis.ConnectionError("gone"), redis.TimeoutError("late"), OperationalError("gone")])
def test_a_page_says_to_come_back(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch, problem: Exception, language: str
) -> None:
    def raises(*args: object) -> None:
        raise problem

    client.force_login(User.objects.get(id=world.alice.person))
    monkeypatch.setattr(access, "readers", raises)
    answer = client.get("/me/memory/", headers={"accept-language": language})
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert ("Not available right now" if language == "en" else "暂时不可用") in answer.content.decode()
    api = client.get("/api/v1/memories")
    assert (api.status_code, api.json()["code"]) == (503, "temporarily_unavailable")


def test_a_fault_of_ours_is_no_outage(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*args: object, **more: object) -> None:
        raise KeyError("ours")

    alice = Caller(world.alice)
    alice.client.raise_request_exception = False
    monkeypatch.setattr(access, "readers", raises)
    answer = alice.client.get("/me/memory/")
    assert (answer.status_code, answer.has_header("Retry-After")) == (500, False)
    assert alice.client.get("/api/v1/memories").json()["code"] == "internal_error"


@pytest.mark.parametrize("path", ["/staff/?find=1&reason=x&q=%00", "/staff/?who=%00", "/staff/audit/?who=%00", "/api/v1/memories?q=%00"])
def test_a_character_that_can_not_be_stored_is_a_bad_request(world: World, path: str) -> None:
    mei = Caller(world.mei)
    mei.client.raise_request_exception = False
    assert mei.client.get(path).status_code in (200, 400, 422)
