"""Figures for whoever runs it: true, about nobody, and for nobody else."""

import uuid

import pytest
from django.test import Client, override_settings

from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted


def figures(**sent: str) -> dict[str, float]:
    answer = Client(HTTP_HOST="127.0.0.1", REMOTE_ADDR=sent.pop("address", "127.0.0.1")).get("/metrics", headers=sent)
    assert answer.status_code == 200
    lines = [line for line in answer.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_turns_failures_and_queues_are_counted(world: World, script: Scripted) -> None:
    before = figures()
    script.step("one", "fine")
    script.step("two", Reply(""))
    for words in ("one", "two"):
        ask(world.alice, words, uuid.uuid4())
    after = figures()
    added = {name: value - before.get(name, 0.0) for name, value in after.items()}
    assert added['kith_turns_total{state="answered"}'] == added['kith_turns_total{state="failed"}'] == 1
    assert added['kith_model_failures_total{code="empty"}'] == 1
    assert added["kith_turn_seconds_count"] == added["kith_prepare_seconds_count"] == 2
    assert after['kith_waiting{queue="to_remember"}'] >= 1
    assert added['kith_requests_total{method="GET",status="2xx"}'] >= 1


def test_they_say_nothing_of_a_person(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "我喜欢川菜", conversation)
    said = " ".join(figures())
    for words in ("川菜", str(conversation), str(world.alice.member), str(world.alice.community), world.alice.slug):
        assert words not in said


@pytest.mark.parametrize(
    ("token", "address", "sent", "status"),
    [("", "127.0.0.1", {}, 200), ("", "203.0.113.9", {}, 404), ("", "127.0.0.1", {"x-forwarded-for": "203.0.113.9"}, 404),
     ("t0p", "203.0.113.9", {"authorization": "Bearer t0p"}, 200), ("t0p", "127.0.0.1", {}, 404),
     ("t0p", "127.0.0.1", {"authorization": "Bearer other"}, 404)],
)  # fmt: skip
def test_they_are_for_this_machine_or_for_whoever_holds_the_token(
    token: str, address: str, sent: dict[str, str], status: int
) -> None:
    with override_settings(METRICS_TOKEN=token):
        assert Client(HTTP_HOST="127.0.0.1", REMOTE_ADDR=address).get("/metrics", headers=sent).status_code == status
