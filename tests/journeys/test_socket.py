"""The real socket: every malformed frame gets one error and leaves it open; sign-out closes it; a stranger sees nothing."""

import json
import uuid
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.journeys.conftest import SignIn

OPEN = """([path, frames, wait]) => new Promise((resolve) => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + path);
  const got = [];
  socket.onmessage = (event) => got.push(JSON.parse(event.data));
  socket.onopen = () => frames.forEach((frame) => socket.send(frame));
  socket.onclose = (event) => resolve({got, code: event.code});
  setTimeout(() => { resolve({got, code: 0}); socket.close(); }, wait);
})"""


def talk(page: Page, conversation: str, frames: list[str], wait: int = 1500) -> dict[str, Any]:
    result: dict[str, Any] = page.evaluate(OPEN, [f"/ws/conversations/{conversation}/", frames, wait])
    return result


@pytest.mark.parametrize(
    "bad", ["{", "[]", '{"type":"ask"}', '{"type":"resume","after":NaN}', "[" * 50_000, "x" * 70_000]
)
def test_a_malformed_frame_gets_one_error_and_the_socket_stays_open(sign_in: SignIn, bad: str) -> None:
    result = talk(sign_in("alice"), str(uuid.uuid4()), [bad, '{"type":"ping"}'])
    assert [(frame["type"], frame.get("code")) for frame in result["got"]] == [("error", "bad_request"), ("pong", None)]
    assert result["code"] == 0


def test_an_asked_question_is_answered_and_resumed_whole_and_a_stranger_gets_none_of_it(sign_in: SignIn) -> None:
    conversation = str(uuid.uuid4())
    ask = json.dumps({"type": "ask", "client_id": str(uuid.uuid4()), "text": "会费是多少？"})
    live = talk(sign_in("alice"), conversation, [ask], 4000)["got"]
    assert live[-1]["type"] == "done"
    assert "120" in live[-1]["text"]
    assert live == talk(sign_in("alice"), conversation, ['{"type":"resume","after":0}'])["got"]
    assert talk(sign_in("bob"), conversation, ['{"type":"resume","after":0}'])["got"] == []


def test_an_idle_socket_lives_and_one_without_a_session_is_closed(sign_in: SignIn) -> None:
    page = sign_in("bob")
    idle = talk(page, str(uuid.uuid4()), ['{"type":"resume","after":0}'], 31_000)
    assert (idle["code"], idle["got"]) == (0, [])
    page.context.clear_cookies()
    assert talk(page, str(uuid.uuid4()), ['{"type":"ping"}'], 12_000)["code"] == 4401
