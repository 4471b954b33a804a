"""Each log line names the request, turn and task it belongs to, and holds no word of anybody."""

import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from assistant import logs, tasks
from assistant.conversation.models import Turn
from memory import recall
from profiles.access import scoped
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted

CANARY = "紫色的窑 violet kiln"


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """All that is logged, whatever its level, as it would be written."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(self.format(record))

    handler, root = Kept(), logging.getLogger()
    handler.setFormatter(logs.Line())
    root.addHandler(handler)
    yield found
    root.removeHandler(handler)


def read(lines: list[str]) -> list[dict[str, Any]]:
    assert [line for line in lines if "violet" in line or "紫色" in line or "\n" in line] == []
    return [json.loads(line) for line in lines]


def test_a_turn_and_what_comes_after_it_say_which_and_nothing_of_its_words(
    world: World, lines: list[str], script: Scripted
) -> None:
    script.step(lambda seen: seen.streamed, Reply(f"{CANARY}?", fault="cut"), Reply(f"{CANARY}!", status=500, error=CANARY))
    script.default = f"{CANARY}: no JSON"
    turns = {str(ask(world.alice, f"I live in the {CANARY} {number}.", uuid.uuid4())) for number in range(2)}
    tasks.remember.apply()
    found = read(lines)
    ended = [line for line in found if line["message"].startswith("the turn ended")]
    assert {line["turn"] for line in ended} == turns and {line["level"] for line in ended} == {"INFO"}
    assert any(line["level"] == "WARNING" for line in found)
    assert all("task" in line for line in found if line["logger"].startswith("assistant.conversation.remembering"))


def test_what_breaks_in_a_unit_of_work_is_told_by_its_kind_and_place(
    world: World, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        logging.getLogger("assistant.test").warning("in a thread")
        raise ValueError(CANARY)

    monkeypatch.setattr(recall, "record", broken)
    with pytest.raises(ValueError, match="violet"):
        ask(world.alice, CANARY, uuid.uuid4())
    with scoped(world.alice):
        row = Turn.objects.get(owner_id=world.alice.member)
    thread = next(line for line in read(lines) if line["message"] == "in a thread")
    assert thread["turn"] == str(row.id)


def test_an_exception_says_no_more_than_what_it_was_and_where() -> None:
    try:
        try:
            raise KeyError(CANARY)
        except KeyError as first:
            raise ValueError(f"{CANARY}\nDETAIL: {CANARY}") from first
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, f"it broke\n{CANARY}", None, __import__("sys").exc_info())
    line = json.loads(logs.Line().format(record))
    assert line["error"] == ["ValueError", "KeyError"] and line["message"] == "it broke"
    assert "tests/test_logs.py" in line["where"][0] and CANARY not in json.dumps(line, ensure_ascii=False)


def test_a_task_that_breaks_names_itself_and_not_what_broke(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> int:
        raise ValueError(CANARY)

    monkeypatch.setattr(tasks.heads, "note", broken)
    logging.getLogger("celery.app.trace").setLevel(logging.ERROR)
    done = tasks.note_heads.apply()
    assert done.failed()
    (line,) = [line for line in read(lines) if line["logger"] == "celery.app.trace"]
    assert line["task"] == done.id and line["error"] == ["ValueError"] and "note_heads" in line["message"]


def test_a_request_has_an_id_that_a_proxy_may_choose_but_not_with_words(world: World, lines: list[str]) -> None:
    client = Caller(world.alice).client
    given = {"x-request-id": "0123-4567-89ab-cdef"}
    assert client.get("/me/nothing/", headers=given)["X-Request-ID"] == given["x-request-id"]
    other = client.get("/me/nothing/", headers={"x-request-id": "violet"})["X-Request-ID"]
    assert other != "violet"
    assert [line["request"] for line in read(lines) if line["logger"] == "django.request"] == [given["x-request-id"], other]
