"""A turn that could not be remembered: visible, tried again, given up on, and given another chance."""

import json
import uuid
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from assistant import tasks
from tests.conversation.test_remembering import SAID, extraction, memories, row, waited
from tests.conversation.test_turn import ask
from tests.memory.extraction.test_extract import answer, fact
from tests.people import World
from tests.scripted import Reply, Scripted

pytestmark = pytest.mark.usefixtures("chatting")

FAILURES = [
    ([Reply(status=500)] * 3, "http_500"),
    ([Reply("not json"), Reply("still not")], "bad_json"),
    ([Reply(fault="wrong_types")], "bad_shape"),
    ([Reply("{}", fault="broken_json")], "bad_json"),
    ([Reply(""), Reply("")], "empty"),
]


@pytest.mark.parametrize(("replies", "code"), FAILURES)
def test_a_failure_is_visible_and_tried_again_three_times_at_most(
    world: World, script: Scripted, replies: list[Reply], code: str, caplog: pytest.LogCaptureFixture
) -> None:
    extraction(script, *(replies * 3))
    asked = ask(world.alice, SAID["zh"][0], uuid.uuid4())
    for attempt in (1, 2, 3):
        tasks.remember()
        failed = row(world.alice, asked)
        assert (failed.remembered_at, failed.remember_attempts, failed.remember_error) == (None, attempt, code)
        before = len(script.requests)
        tasks.remember()
        assert len(script.requests) == before, "not before its time"
        waited(asked)
    tasks.remember()
    assert len(script.asked(streamed=False)) == 3 * len(replies)
    assert str(asked) in caplog.text
    assert "尤克里里" not in caplog.text


def test_the_second_attempt_may_succeed(world: World, script: Scripted) -> None:
    says, quote, value = SAID["zh"]
    extraction(script, "nonsense", "nonsense", answer(fact(quote, "likes", value)))
    asked = ask(world.alice, says, uuid.uuid4())
    tasks.remember()
    waited(asked)
    tasks.remember()
    done = row(world.alice, asked)
    assert (done.remember_error, done.remember_after) == ("", None)
    assert memories(world.alice) == [("likes", value, 1)]


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refused_request_is_not_tried_again(world: World, script: Scripted, status: int) -> None:
    extraction(script, Reply(status=status), endless=True)
    asked = ask(world.alice, SAID["zh"][0], uuid.uuid4())
    with override_settings(LLM_JSON="json_object"):
        tasks.remember()
        waited(asked)
        tasks.remember()
    assert len(script.asked(streamed=False)) == 1
    failed = row(world.alice, asked)
    assert (failed.remembered_at, failed.remember_error) == (None, f"http_{status}")


def test_what_was_given_up_is_counted_and_can_be_tried_again_when_the_cause_is_gone(
    world: World, script: Scripted
) -> None:
    def counted(*arguments: str) -> dict[str, Any]:
        said = StringIO()
        call_command("unremembered", "--json", *arguments, stdout=said)
        found: dict[str, Any] = json.loads(said.getvalue())
        return found

    says, quote, value = SAID["en"]
    extraction(script, Reply(status=401), answer(fact(quote, "likes", value)))
    ask(world.alice, says, uuid.uuid4())
    tasks.remember()
    assert counted() == {"failed": {"http_401": 1}, "again": 0}
    assert counted("--again")["again"] == 1
    assert counted() == {"failed": {}, "again": 0}
    tasks.remember()
    assert memories(world.alice) == [("likes", value, 1)]
