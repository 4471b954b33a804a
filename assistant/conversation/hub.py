"""Who follows which conversation in this process; other processes are woken through the channel layer."""

import logging
import uuid
from collections import defaultdict
from typing import Any, Protocol

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)


class Follower(Protocol):
    """An open socket."""

    async def catch_up(self) -> None: ...


_followers: dict[uuid.UUID, set[Follower]] = defaultdict(set)


def follow(conversation: uuid.UUID, follower: Follower) -> None:
    """From now on this socket is told of new frames."""
    _followers[conversation].add(follower)


def leave(conversation: uuid.UUID, follower: Follower) -> None:
    """The socket has closed."""
    _followers[conversation].discard(follower)
    if not _followers[conversation]:
        del _followers[conversation]


async def publish(conversation: uuid.UUID) -> None:
    """New frames stand in the database: look there. Losing this message loses nothing but time."""
    for follower in list(_followers.get(conversation, ())):
        await follower.catch_up()
    layer: Any = get_channel_layer()
    try:
        await layer.group_send(group(conversation), {"type": "look"})
    except Exception:  # the broker is down: followers elsewhere catch up at their next ping
        log.warning("the channel layer could not be reached")


def group(conversation: uuid.UUID) -> str:
    """Name of the conversation's group in the channel layer."""
    return f"conversation.{conversation.hex}"
