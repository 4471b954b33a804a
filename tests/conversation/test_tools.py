"""Tools in an answer: what a model may do, what it is told, and what it can't do however it asks."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest

from assistant.conversation.models import State, Turn
from assistant.llm import chat
from memory import blocks, correct, policy
from memory.models import Memory, Recalled
from profiles.access import Reader, scoped
from tests.conversation.test_turn import ask, frames
from tests.people import World
from tests.scripted import Reply, Scripted, Seen

ASKED = {"zh": "我住在苏州，请记一下我喜欢简短的回答。", "en": "I live in Oslo, and please note that I like short answers."}
NOTE = {"zh": "喜欢简短的回答", "en": "likes short answers"}


def told(seen: Seen) -> list[dict[str, Any]]:
    """What the model was told of its calls."""
    return [json.loads(one["content"]) for one in seen.body["messages"] if one["role"] == "tool"]


def notes(reader: Reader) -> str:
    with scoped(reader):
        return blocks.read(reader, None).human


def turn_of(reader: Reader, turn: uuid.UUID) -> Turn:
    with scoped(reader):
        return Turn.objects.get(id=turn)


@pytest.mark.parametrize("language", ASKED)
def test_a_note_is_written_and_stands_in_the_next_context(world: World, script: Scripted, language: str) -> None:
    script.step(ASKED[language][:4], Reply("", calls=(("memory_insert", {"text": NOTE[language]}),), usage=(100, 10)))
    script.step(lambda seen: bool(told(seen)), Reply("OK.", usage=(200, 20)))
    script.step("?", "Yes.")
    row = turn_of(world.alice, ask(world.alice, ASKED[language], uuid.uuid4()))
    assert (row.state, row.answer, row.steps) == (
        State.ANSWERED, "OK.", [{"tool": "memory_insert", "ok": True, "found": 0}]
    )  # fmt: skip
    assert (row.usage["input"], row.usage["output"]) == (300, 30), "both steps are paid for"
    assert notes(world.alice) == NOTE[language]
    ask(world.alice, "Really?", uuid.uuid4())
    assert NOTE[language] in script.asked(streamed=True)[-1].region("profile")
    assert notes(world.bob) == ""


def test_after_words_a_tool_ends_the_answer_unless_it_asks_for_a_heartbeat(world: World, script: Scripted) -> None:
    script.step("first", Reply("Noted.", calls=(("memory_insert", {"text": "a"}),)))
    beat = {"text": "b", "request_heartbeat": True}
    script.step("second", Reply("One moment.", calls=(("memory_insert", beat),)))
    script.step(lambda seen: bool(told(seen)), "Done.")
    assert turn_of(world.alice, ask(world.alice, "first", uuid.uuid4())).answer == "Noted."
    assert turn_of(world.alice, ask(world.alice, "second", uuid.uuid4())).answer == "One moment.\n\nDone."
    assert notes(world.alice) == "a\nb"


def test_a_model_that_only_calls_tools_is_stopped_at_the_limit(world: World, script: Scripted) -> None:
    calls = (("conversation_search", {"query": "x"}),)
    script.step(lambda seen: seen.streamed, Reply("", calls=calls), endless=True)
    row = turn_of(world.alice, ask(world.alice, "hello", uuid.uuid4()))
    asked = script.asked(streamed=True)
    assert len(asked) == policy.TOOL_STEPS + 1
    assert [seen.body.get("tool_choice") for seen in asked] == [None] * policy.TOOL_STEPS + ["none"]
    assert (row.state, row.answer) == (State.FAILED, "")
    assert len(row.steps) == policy.TOOL_STEPS, "what it wanted last is not done"


@pytest.mark.parametrize(("name", "arguments", "why"), [
    ("memory_replace", {"old": "new words", "new": "old words"}, "does not stand"),
    ("memory_replace", {"old": "", "new": "x"}, "empty"),
    ("memory_insert", {"text": "x", "label": "persona"}, "label"),
    ("memory_insert", {"text": 5}, "text"),
    ("memory_insert", {}, "text"),
    ("memory_rethink", {"text": "字" * 2001}, "2000"),
    ("memory_insert", "{\"text\": \"x\"", "JSON"),
    ("memory_insert", "[1]", "arguments"),
    ("memory_insert", {"text": "password: hunter2secret"}, "never kept"),
    ("memory_insert", {"text": "x" * 5000}, "4000"),
    ("archival_memory_insert", {"quote": "I live in Paris", "value": "Paris", "attribute": "residence"}, "quote"),
    ("archival_memory_insert", {"quote": "hello there", "value": "Paris", "attribute": "residence"}, "Not kept"),
    ("conversation_search", {}, "words, dates"),
    ("conversation_search", {"since": "yesterday"}, "since"),
    ("drop\u0000tables", {}, "no such tool"),
    ("conversation_search", {"until": "-1"}, "until"),
])  # fmt: skip
def test_what_is_refused_is_said_to_the_model_and_changes_nothing(
    world: World, script: Scripted, name: str, arguments: dict[str, Any] | str, why: str
) -> None:
    script.step("hello there", Reply("", calls=((name, arguments),)))
    script.step(lambda seen: bool(told(seen)), "Never mind.")
    row = turn_of(world.alice, ask(world.alice, "hello there", uuid.uuid4()))
    (outcome,) = told(script.asked(streamed=True)[-1])
    assert outcome["ok"] is False
    assert why in outcome["error"]
    assert (row.state, row.answer, row.steps[0]["ok"]) == (State.ANSWERED, "Never mind.", False)
    assert notes(world.alice) == ""
    with scoped(world.alice):
        assert not Memory.objects.filter(owner_id=world.alice.member).exists()


@pytest.mark.parametrize(("said", "fact", "text"), [
    ("顺便说一句，我来管三月的值班表。", {"quote": "我来管三月的值班表", "value": "三月的值班表"}, "值班"),
    ("By the way, I look after the March rota.", {"quote": "I look after the March rota", "value": "the March rota"},
     "rota"),
])  # fmt: skip
def test_a_fact_is_kept_with_the_members_words_and_shown(
    world: World, script: Scripted, said: str, fact: dict[str, Any], text: str
) -> None:
    script.step(said[:5], Reply("", calls=(("archival_memory_insert", fact),)))
    script.step(lambda seen: bool(told(seen)), "好 / OK")
    conversation = uuid.uuid4()
    asked = ask(world.alice, said, conversation)
    with scoped(world.alice):
        (memory,) = Memory.objects.filter(owner_id=world.alice.member)
        source = memory.sources.get()
    assert text in memory.text
    assert (source.turn, source.quote in said) == (asked, True)
    (noticed,) = [frame for frame in frames(world.alice, conversation) if frame["type"] == "noticed"]
    assert [one["text"] for one in noticed["memories"]] == [memory.text]


def test_what_a_search_finds_can_be_cited_and_is_the_readers_alone(world: World, script: Scripted) -> None:
    for reader, text in ((world.alice, "The parcel code is Blue-17."), (world.bob, "The parcel code is Red-99.")):
        with scoped(reader):
            correct.state(reader, text, owner=reader.member)
    script.step("hello", Reply("", calls=(("archival_memory_search", {"query": "parcel code"}),)))
    script.step(lambda seen: bool(told(seen)), "It is Blue-17 [m1], not [m9].")
    conversation = uuid.uuid4()
    asked = ask(world.alice, "hello", conversation)
    (outcome,) = told(script.asked(streamed=True)[-1])
    assert [line.startswith("[m1]") and "Blue-17" in line for line in outcome["found"]] == [True]
    assert "Red-99" not in json.dumps([seen.body for seen in script.requests])
    done = frames(world.alice, conversation)[-1]
    with scoped(world.alice):
        found = Recalled.objects.get(turn=asked, what="memory")
    assert done["cited"] == [str(found.target)]
    assert (found.marker, found.cited) == ("m1", True)


@pytest.mark.parametrize(("said", "words"), [("报名表在共享文件夹里。", "报名表"), ("The form is in the shared folder.", "form")])
def test_past_talks_are_searched_by_words_and_by_dates(world: World, script: Scripted, said: str, words: str) -> None:
    script.step(said[:4], "OK.")
    day = turn_of(world.alice, ask(world.alice, said, uuid.uuid4())).asked_at.date()
    around = {"since": f"{day - timedelta(days=1)}", "until": f"{day + timedelta(days=1)}"}
    searches = ({"query": words}, around, {"query": words, "until": "2020-01-01"})
    script.step("again", Reply("", calls=tuple(("conversation_search", one) for one in searches)))
    script.step(lambda seen: bool(told(seen)), "Found.")
    ask(world.alice, "again", uuid.uuid4())
    outcomes = told(script.asked(streamed=True)[-1])
    assert [any(said in line for line in outcome["found"]) for outcome in outcomes] == [True, True, False]


def test_a_search_without_an_end_and_after_some_words_is_heard(world: World, script: Scripted) -> None:
    script.step("hello", Reply("Let me look.", calls=(("conversation_search", {"until": "9999-12-31"}),)))
    script.step(lambda seen: bool(told(seen)), "Nothing.")
    row = turn_of(world.alice, ask(world.alice, "hello", uuid.uuid4()))
    assert (row.answer, row.steps[0]["ok"]) == ("Let me look.\n\nNothing.", True)


def test_an_endpoint_that_takes_no_tools_is_asked_without_them(world: World, script: Scripted) -> None:
    script.step(lambda seen: "tools" in seen.body, Reply(status=400, error="tools are not supported"))
    script.step("hello", "Hi.")
    script.step("again", "Hi again.")
    try:
        assert turn_of(world.alice, ask(world.alice, "hello", uuid.uuid4())).answer == "Hi."
        assert turn_of(world.alice, ask(world.alice, "again", uuid.uuid4())).answer == "Hi again."
        assert ["tools" in seen.body for seen in script.asked()] == [True, False, False]
        assert chat.takes_tools("another model")
    finally:
        chat._no_tools.clear()
