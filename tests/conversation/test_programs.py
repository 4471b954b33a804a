"""Programs: an answer as server-sent events, and tokens that may do one thing and not another."""

import json
import uuid
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, override_settings

from assistant.conversation import asking, replay
from assistant.conversation.models import Conversation, Frame
from assistant.conversation.running import Running
from assistant.conversation.units import db
from profiles.access import scoped
from tests.caller import ADDRESS, Caller
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted


def streamed(token: str, conversation: uuid.UUID, **body: Any) -> tuple[int, list[tuple[int, dict[str, Any]]]]:
    """Status, and the events: their ids and frames."""

    async def run() -> tuple[int, bytes]:
        client = AsyncClient()
        answer = await client.post(
            f"{ADDRESS}/conversations/{conversation}/ask", json.dumps(body), content_type="application/json",
            headers={"authorization": f"Bearer {token}", "accept": "text/event-stream"},
        )  # fmt: skip
        if not answer.streaming:
            return answer.status_code, answer.content
        assert answer["Content-Type"] == "text/event-stream"
        return answer.status_code, b"".join([part async for part in answer])

    with override_settings(ALLOWED_HOSTS=["testserver"]):  # as this client calls it
        status, said = async_to_sync(run)()
    if status != 200:
        return status, [(0, json.loads(said))]
    found = []
    for event in said.decode().split("\n\n")[:-1]:
        head, _, data = event.partition("\n")
        found.append((int(head.removeprefix("id: ")), json.loads(data.removeprefix("data: "))))
    return status, found


@pytest.mark.parametrize(("question", "answer"), [("会费是多少？", "每月二十元。🎉"), ("What is the fee?", "Twenty a month. 🎉")])
def test_an_answer_comes_as_the_frames_of_the_socket(
    world: World, script: Scripted, question: str, answer: str
) -> None:
    script.step(question, Reply(answer, pieces=4, duration=0.5))
    conversation, client = uuid.uuid4(), str(uuid.uuid4())
    token = Caller(world.alice)("post", "/tokens", scopes=["chat"])["token"]
    status, events = streamed(token, conversation, text=question, client_id=client)
    frames = [frame for _, frame in events]
    assert status == 200 and frames == replay.after(world.alice, conversation, 0)
    assert [number for number, _ in events] == list(range(1, len(events) + 1))
    assert (frames[0]["type"], frames[-1]["type"], frames[-1]["text"]) == ("accepted", "done", answer)
    assert sum(frame["type"] == "delta" for frame in frames) > 1
    assert streamed(token, conversation, text=question, client_id=client)[1] == events, "asked again: the same turn"
    assert streamed(token, conversation, text="another", client_id=client)[1][0][1]["code"] == "conflict"
    assert streamed(token, conversation, text=" ")[0] == 422


def test_a_stream_ends_with_its_conversation(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "ALIVE_SECONDS", 0.05)
    conversation = uuid.uuid4()
    turn = ask(world.alice, "hello", conversation)
    with scoped(world.alice):
        Frame.objects.filter(turn_id=turn, body__type="done").delete()  # as while it is being answered
    running = Running(world.alice, conversation, turn, uuid.uuid4(), uuid.uuid4(), "hello", True)

    async def run() -> list[bytes]:
        said, gone = [], False
        async for part in asking.events(world.alice, running):
            said.append(part)
            if part.startswith(b":") and not gone:
                gone = bool(await db(removed))
            assert len(said) < 100
        return said

    def removed() -> int:
        with scoped(world.alice):
            return Conversation.objects.filter(id=conversation).delete()[0]

    assert b": still there\n\n" in async_to_sync(run)()


MAY = {
    "chat": {("get", "/conversations"): 200, ("get", "/memories"): 403, ("post", "/memories"): 403, ("get", "/profile"): 403},
    "memory:read": {("get", "/conversations"): 403, ("get", "/memories"): 200, ("post", "/memories"): 403, ("get", "/blocks"): 200},
    "memory:write": {("get", "/conversations"): 403, ("get", "/memories"): 403, ("post", "/memories"): 200, ("get", "/profile"): 403},
}  # fmt: skip


@pytest.mark.parametrize("scope", MAY)
def test_a_token_does_what_it_was_made_for_and_nothing_else(world: World, scope: str) -> None:
    alice = Caller(world.alice)
    made = alice("post", "/tokens", name="script", scopes=[scope])
    assert made["scopes"] == [scope]
    program = Caller(token=made["token"])
    for (method, path), status in MAY[scope].items():
        problem = program(method, path, status, **({"text": "我喜欢川菜"} if method == "post" else {}))
        assert status == 200 or problem["detail"].startswith("the token lacks the scope")
    turn = program("post", f"/conversations/{uuid.uuid4()}/ask", 200 if scope == "chat" else 403, text="hello")
    assert scope != "chat" or turn["state"] == "answered"
    removed = program("delete", f"/conversations/{uuid.uuid4()}", 404 if scope == "memory:write" else 403)
    assert removed["code"] == ("not_found" if scope == "memory:write" else "forbidden")


def test_scopes_are_named_right_or_refused_and_none_named_are_all(world: World) -> None:
    alice = Caller(world.alice)
    assert alice("post", "/tokens")["scopes"] == ["chat", "memory:read", "memory:write"]
    alice("post", "/tokens", 422, scopes=["everything"])
    alice("post", "/tokens", 422, scopes=[])
