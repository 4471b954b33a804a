"""Every frame of the socket, for every role: a frame that is not in the table fails the test."""

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any, get_args

import pytest
from asgiref.sync import async_to_sync
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from assistant.conversation import turn
from assistant.conversation.consumer import ConversationConsumer
from assistant.conversation.frames import Ask, Incoming
from assistant.conversation.models import Turn
from profiles.access import Reader, scoped
from tests.people import World
from tests.test_roles import ROLES, asking, things

ALONE = "4401 4403 not_found not_found in not_found not_found not_found"
"""A conversation is its owner's alone, for staff as for anybody: others learn not even that it is there."""
QUIET = "4401 4403 silent silent {} silent silent silent"
"""What is answered with nothing, and does nothing, where there is nothing of one's own."""
FRAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "ask": (ALONE, {"client_id": "{new}", "text": "你好"}),
    "edit": (ALONE, {"client_id": "{new}", "turn": "{turn}", "text": "tea, please?"}),
    "regenerate": (ALONE, {"client_id": "{new}", "turn": "{turn}"}),
    "human": (ALONE, {"client_id": "{new}", "turn": "{turn}"}),
    "stop": (QUIET.format("silent"), {}),
    "resume": (QUIET.format("in"), {"after": 0}),
    "ping": ("4401 4403 in in in in in in", {}),
}


def kinds() -> set[str]:
    return {get_args(frame.model_fields["type"].annotation)[0] for frame in get_args(Incoming)}


def test_every_frame_is_in_the_table() -> None:
    assert kinds() == set(FRAMES)


@pytest.mark.parametrize("role", ROLES)
def test_each_frame_does_for_each_role_what_it_should(world: World, role: str) -> None:
    client = asking(world, role)
    wanted, got = {}, {}
    for kind, (row, body) in FRAMES.items():
        found = things(world.alice) | {"new": str(uuid.uuid4())}
        said = {"type": kind, **{name: found[value[1:-1]] if str(value)[:1] == "{" else value for name, value in body.items()}}
        if kind == "resume":
            spoken(world.alice, found["conversation"])
        wanted[kind] = row.split()[ROLES.index(role)]
        before = turns(world.alice)
        got[kind] = async_to_sync(outcome)(client, found["conversation"], said)
        if wanted[kind] != "in" or kind in ("resume", "ping"):
            assert turns(world.alice) == before, kind
    assert got == wanted


def spoken(reader: Reader, conversation: str) -> None:
    """Something that can be resumed."""
    async def run() -> None:
        await turn.start(reader, uuid.UUID(conversation), Ask(type="ask", client_id=uuid.uuid4(), text="你好"))
        await asyncio.gather(*turn._tasks.values())

    async_to_sync(run)()


def turns(reader: Reader) -> int:
    with scoped(reader):
        return Turn.objects.filter(owner_id=reader.member).count()


async def outcome(client: Client, conversation: str, frame: dict[str, Any]) -> str:
    """The code that it is closed with, or of the error; "in" where it is served, "silent" where nothing comes."""
    app: Callable[..., Any] = ConversationConsumer.as_asgi()
    socket = WebsocketCommunicator(app, f"/ws/conversations/{conversation}/")
    socket.scope["url_route"] = {"kwargs": {"conversation": uuid.UUID(conversation)}}
    signed_in = client.cookies.get(settings.SESSION_COOKIE_NAME)
    socket.scope["session"] = SessionStore(signed_in.value if signed_in else None)
    assert (await socket.connect(timeout=10))[0]
    first = await received(socket, 0.3)
    if first is None:
        await socket.send_to(text_data=json.dumps(frame))
        first = await received(socket, 1.5)
    await asyncio.gather(*turn._tasks.values())
    await socket.disconnect()
    return first or "silent"


async def received(socket: WebsocketCommunicator, seconds: float) -> str | None:
    if await socket.receive_nothing(timeout=seconds):
        return None
    event = await socket.receive_output(timeout=5)
    if event["type"] == "websocket.close":
        return str(event["code"])
    told = json.loads(event["text"])
    return str(told["code"]) if told["type"] == "error" else "in"
