"""Who follows which conversation in this process; other processes are told through the channel layer where to look."""

import asyncio
import logging
import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)
TELL_SECONDS = 0.05
"""New frames of all conversations are told to other processes in one message, so often at most."""
AGAIN_SECONDS = 1.0
JOIN_SECONDS = 600.0
"""Membership in the group is renewed; the layer forgets it after a day."""
_GROUP = "conversations"
_PROCESS = uuid.uuid4().hex


class Follower(Protocol):
    """An open socket."""

    async def push(self, member: uuid.UUID, frames: Sequence[dict[str, Any]]) -> None: ...

    async def catch_up(self) -> None: ...


class _Ears:
    """What one event loop has for the other processes: conversations to tell of, and the two tasks."""

    def __init__(self) -> None:
        self.waiting: set[uuid.UUID] = set()
        self.telling: asyncio.Task[None] | None = None
        self.listening: asyncio.Task[None] | None = None


_followers: dict[uuid.UUID, set[Follower]] = defaultdict(set)
_ears: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ears] = WeakKeyDictionary()


def follow(conversation: uuid.UUID, follower: Follower) -> None:
    """From now on this socket is told of new frames."""
    _followers[conversation].add(follower)
    ears = _mine()
    if ears.listening is None or ears.listening.done():
        ears.listening = asyncio.create_task(_listen())


def leave(conversation: uuid.UUID, follower: Follower) -> None:
    """The socket has closed."""
    _followers[conversation].discard(follower)
    if not _followers[conversation]:
        del _followers[conversation]


async def publish(conversation: uuid.UUID, member: uuid.UUID, frames: Sequence[dict[str, Any]] = ()) -> None:
    """New frames of `member` stand in the database; `frames` are those, where a socket may get them as they are.

    Losing the message to the other processes loses nothing but time.
    """
    for follower in list(_followers.get(conversation, ())):
        try:
            await follower.push(member, frames)
        except Exception:  # one socket's trouble is no trouble of the answer
            log.warning("a socket could not be served", exc_info=True)
    ears = _mine()
    ears.waiting.add(conversation)
    if ears.telling is None or ears.telling.done():
        ears.telling = asyncio.create_task(_tell_soon(ears))


async def tell(*conversations: uuid.UUID) -> None:
    """New frames stand in the database: whoever follows these conversations, look there."""
    layer: Any = get_channel_layer()
    event = {"type": "look", "by": _PROCESS, "conversations": [one.hex for one in conversations]}
    try:
        await layer.group_send(_GROUP, event)
    except Exception:  # the broker is down: sockets look by themselves every few seconds
        log.warning("the channel layer could not be reached")


async def _tell_soon(ears: _Ears) -> None:
    while ears.waiting:
        await asyncio.sleep(TELL_SECONDS)
        told, ears.waiting = ears.waiting, set()
        await tell(*told)


async def _listen() -> None:
    """Wake the followers here when another process has written; ends with the loop."""
    layer: Any = get_channel_layer()
    channel = await layer.new_channel()
    while True:
        try:
            await layer.group_add(_GROUP, channel)
            async with asyncio.timeout(JOIN_SECONDS):  # `wait_for` would swallow a cancel that comes with a message
                event = await layer.receive(channel)
        except TimeoutError:
            continue
        except Exception:
            await asyncio.sleep(AGAIN_SECONDS)
            continue
        if event["by"] != _PROCESS:
            await _wake([uuid.UUID(one) for one in event["conversations"]])


async def _wake(conversations: list[uuid.UUID]) -> None:
    for conversation in conversations:
        for follower in list(_followers.get(conversation, ())):
            try:
                await follower.catch_up()
            except Exception:
                log.warning("a socket could not be served", exc_info=True)


def _mine() -> _Ears:
    loop = asyncio.get_running_loop()
    return _ears.get(loop) or _ears.setdefault(loop, _Ears())
