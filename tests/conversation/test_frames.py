"""A malformed frame is refused with one error, whatever it is."""

import json
import uuid

import pytest

from assistant.conversation.frames import Ask, Refusal, read

ASK = {"type": "ask", "client_id": str(uuid.uuid4()), "text": "你好"}
BAD = {
    "binary": None,
    "nothing": "",
    "no json": "{",
    "no object": "[1]",
    "a number": "1",
    "NaN": '{"type":"resume","after":NaN}',
    "deep": "[" * 100_000,
    "unknown type": json.dumps({"type": "shout"}),
    "unknown field": json.dumps(ASK | {"role": "system"}),
    "NUL": json.dumps(ASK | {"text": "a\x00b"}),
    "lone surrogate": '{"type":"ask","client_id":"' + str(uuid.uuid4()) + '","text":"\\ud800"}',
    "blank": json.dumps(ASK | {"text": "  "}),
    "text a number": json.dumps(ASK | {"text": 1}),
    "bad id": json.dumps(ASK | {"client_id": "1"}),
    "negative": json.dumps({"type": "resume", "after": -1}),
    "huge": json.dumps({"type": "ping"}) + " " * 70_000,
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_a_bad_request(name: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(BAD[name])
    assert refusal.value.code == "bad_request"


@pytest.mark.parametrize("length", [4001, 200_000])
def test_a_long_question_is_too_long(length: int) -> None:
    with pytest.raises(Refusal) as refusal:
        read(json.dumps(ASK | {"text": "长" * length}))
    assert refusal.value.code == "too_long"


def test_four_thousand_code_points_are_taken() -> None:
    frame = read(json.dumps(ASK | {"text": "𠮷" * 4000}, ensure_ascii=False))
    assert isinstance(frame, Ask)
    assert len(frame.text) == 4000
