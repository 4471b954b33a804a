"""Other wordings of a question, by a model: they find what its own words miss, and nothing waits for them in vain."""

import json
import uuid
from typing import Any

import pytest
from django.test import override_settings

from assistant.conversation.models import State, Turn
from memory import policy
from profiles.access import Reader, scoped
from tests.conversation.test_turn import ask, frames
from tests.people import World
from tests.scripted import Reply, Scripted

TOLD = {
    "zh": ("记住：灰鹭归周宁管。", "测试机的负责人是谁？", {"words": "灰鹭 归 管", "meaning": "灰鹭归谁管？"}),
    "en": ("Remember: heron belongs to Zhou Ning.", "Who looks after the test box?",
           {"words": "heron belongs", "meaning": "Whom does heron belong to?"}),
}  # fmt: skip


def found(reader: Reader, text: str) -> tuple[list[str], Turn]:
    """What stood in the context, and the turn."""
    conversation = uuid.uuid4()
    turn = ask(reader, text, conversation)
    (context,) = (frame for frame in frames(reader, conversation) if frame["type"] == "context")
    with scoped(reader):
        row = Turn.objects.get(id=turn)
        shown = next((region["text"] for region in row.regions if region["name"] == "memories"), "")
    assert bool(context["memories"]) == bool(shown)
    return [line for line in shown.splitlines() if line.startswith("[m")], row


def small(script: Scripted, answer: Any) -> None:
    script.step(lambda seen: not seen.streamed, answer)


@pytest.mark.parametrize("language", TOLD)
@override_settings(EMBEDDING_BASE_URL="http://127.0.0.1:9/v1", EMBEDDING_MODEL="none", EMBEDDING_API_KEY="x")
def test_words_that_the_member_used_find_what_the_question_misses(
    world: World, script: Scripted, language: str
) -> None:
    told, question, wordings = TOLD[language]
    script.step(lambda seen: seen.streamed, Reply("OK.", usage=(100, 10)), endless=True)
    ask(world.alice, told, uuid.uuid4())
    without, row = found(world.alice, question)
    assert without == []
    assert (row.usage["input"], row.usage["output"]) == (100, 10)
    small(script, Reply(json.dumps(wordings, ensure_ascii=False), usage=(40, 20)))
    with override_settings(LLM_REWRITES=True):
        lines, row = found(world.alice, question)
    assert told.partition("：" if language == "zh" else ": ")[2].rstrip(".。") in lines[0]
    assert (row.usage["input"], row.usage["output"]) == (140, 30)
    (sent,) = (seen for seen in script.requests if not seen.streamed)
    assert json.loads(sent.user) == {"before": [], "message": question}


def test_a_question_that_goes_on_is_sent_with_what_it_goes_on_from(world: World, script: Scripted) -> None:
    script.step(lambda seen: seen.streamed, "OK.", endless=True)
    conversation = uuid.uuid4()
    ask(world.alice, "Who leads the pottery evening?", conversation)
    small(script, json.dumps({"words": "pottery", "meaning": "When does the pottery evening begin?"}))
    with override_settings(LLM_REWRITES=True):
        ask(world.alice, "And when does it begin?", conversation)
    (sent,) = (seen for seen in script.requests if not seen.streamed)
    assert json.loads(sent.user)["before"] == ["Who leads the pottery evening?"]


@pytest.mark.parametrize("answers", [["no JSON", "still none"], ['{"words": 3, "meaning": []}'] * 2, [Reply(status=401)],
                                     [Reply("{}", delay=9)]], ids=["no json", "wrong types", "refused", "late"])  # fmt: skip
def test_whatever_the_model_does_the_question_is_answered_as_it_stands(
    world: World, script: Scripted, answers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "REWRITE_SECONDS", 0.5)
    script.step(lambda seen: seen.streamed, "OK.", endless=True)
    for answer in answers:
        small(script, answer)
    with override_settings(LLM_REWRITES=True):
        _, row = found(world.alice, "Where do we meet?")
    assert (row.state, row.answer) == (State.ANSWERED, "OK.")


@pytest.mark.parametrize("text", ["你好", "hello", "What do you know about me?"])
def test_what_needs_no_look_asks_for_no_wordings(world: World, script: Scripted, text: str) -> None:
    script.default = "OK."
    with override_settings(LLM_REWRITES=True):
        ask(world.alice, text, uuid.uuid4())
    assert all(seen.streamed for seen in script.requests)
