"""Frame ↔ turn: reads a frame, calls one verb, forwards rows. No rules of its own."""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection

from assistant import logs, metrics
from assistant.conversation import hub, parting, replay, turn
from assistant.conversation.frames import Ask, Ping, Refusal, Resume, Stop, read
from assistant.conversation.models import Frame
from assistant.conversation.units import beginning, db
from profiles.access import Reader, as_person, entering, memberships, scoped

log = logging.getLogger(__name__)
SIGNED_OUT, NO_RIGHTS, FLOODING = 4401, 4403, 4429
CHECK_SECONDS = 5
"""Between two looks at the rights of an open socket, and at frames that nobody told it of."""
FRAMES_A_SECOND = 100
_SEQ = "SELECT seq FROM conversation_conversation WHERE id = %s AND owner_id = %s"


@dataclass(frozen=True, slots=True)
class Rights:
    """Who holds a socket: nobody if the session has ended; as which readers; and whose the conversation is."""

    person: uuid.UUID | None = None
    readers: tuple[Reader, ...] = ()
    owner: Reader | None = None
    seq: int = 0

    @property
    def lost(self) -> int:
        """The code to close the socket with; 0 while it may stay."""
        return SIGNED_OUT if self.person is None else 0 if self.readers else NO_RIGHTS


class ConversationConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket on one conversation."""

    channel_layer_alias = None  # the hub listens for all sockets of the process

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Without channels' care for connections in a thread that no unit of work runs in."""
        await getattr(self, message["type"].replace(".", "_"))(message)

    async def connect(self) -> None:
        """Take the socket if somebody is signed in; rights are asked again with each frame."""
        logs.begin(request=logs.number())  # of the socket, for as long as it is open
        self.conversation: uuid.UUID = self.scope["url_route"]["kwargs"]["conversation"]
        self.sent, self.following = 0, False
        self.owner: Reader | None = None
        self.sending = asyncio.Lock()
        self.second, self.count = 0, 0
        self.watch: asyncio.Task[None] | None = None
        await self.accept()
        metrics.sockets.inc()
        parting.sockets.add(self)
        if parting.begun():
            await self.close(parting.RESTART)
            return
        if lost := (await self._rights()).lost:
            await self.close(lost)
            return
        self.watch = asyncio.create_task(self._watch())

    async def disconnect(self, code: int) -> None:
        """Stop following; the turn goes on without us."""
        metrics.sockets.dec()
        parting.sockets.discard(self)
        if self.watch is not None:
            self.watch.cancel()
        if self.following:
            hub.leave(self.conversation, self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """One frame in: one verb, or one `error`."""
        if self._flooding():
            await self.close(FLOODING)
            return
        try:
            frame = read(text_data)
            if isinstance(frame, Ping):
                await self._send({"type": "pong"})
                return
            reader, rights = await self._reader(frame)
            if isinstance(frame, Resume):
                self.sent = frame.after
                self._follow()
                await self.catch_up()
            elif isinstance(frame, Stop):
                await turn.stop(reader, self.conversation)
            else:
                if not self.following:
                    self.sent = rights.seq
                self.owner = reader  # in their name alone: the wall shows them nothing of anybody else's
                self._follow()
                running = await turn.start(reader, self.conversation, frame)
                if not running.created:
                    seq = await db(_accepted_seq, reader, running.turn)
                    ids = {"turn": str(running.turn), "client_id": str(running.client_id)}
                    await self._send({"type": "accepted", **ids, **running.told, "seq": seq})
        except Refusal as refusal:
            await self._send({"type": "error", "code": refusal.code, "detail": refusal.detail})
        except DatabaseError as problem:
            state = getattr(problem.__cause__, "sqlstate", None)  # what it says may hold people's text
            log.warning("a frame could not be served: %s %s", type(problem).__name__, state)
            detail = "the database does not answer"
            await self._send({"type": "error", "code": "temporarily_unavailable", "detail": detail})

    async def push(self, member: uuid.UUID, frames: Sequence[dict[str, Any]]) -> None:
        """Frames that `member` was just written: sent as they are if they are the next ones, else looked up."""
        async with self.sending:
            fresh = [frame for frame in frames if frame["seq"] > self.sent]
            mine = self.owner is not None and self.owner.member == member
            if mine and fresh and fresh[0]["seq"] == self.sent + 1:
                await self._send_all(fresh)
                return
        await self.catch_up()

    async def catch_up(self) -> None:
        """Send what stands behind `sent`, each frame once and in order."""
        async with self.sending:
            if self.owner is None:
                self.owner = (await self._rights()).owner
            if self.owner is not None:
                await self._send_all(await db(replay.after, self.owner, self.conversation, self.sent))

    def _follow(self) -> None:
        if not self.following:
            self.following = True
            hub.follow(self.conversation, self)

    async def _reader(self, frame: Any) -> tuple[Reader, Rights]:
        rights = await self._rights()
        if rights.lost:
            await self.close(rights.lost)
            raise Refusal("forbidden", "signed out")
        if rights.owner is not None:
            return rights.owner, rights
        slug = frame.community if isinstance(frame, Ask) and frame.community else ""
        chosen = [reader for reader in rights.readers if reader.slug == slug] if slug else rights.readers
        if len(chosen) != 1:
            raise Refusal("bad_request", "say which community")
        return chosen[0], rights

    async def _rights(self) -> Rights:
        return await beginning(_rights, self.scope["session"].session_key, self.conversation)

    async def _watch(self) -> None:
        """Close the socket when its rights end; send what another process wrote and could not tell of."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                rights = await self._rights()
                if rights.lost:
                    await self.close(rights.lost)
                    return
                self.owner = rights.owner
                if self.following and rights.seq > self.sent:
                    await self.catch_up()
            except DatabaseError:  # asked again in a while
                log.warning("the rights of a socket could not be asked")

    async def _send_all(self, frames: Sequence[dict[str, Any]]) -> None:
        for frame in frames:
            await self._send(frame)
            self.sent = frame["seq"]

    async def _send(self, frame: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))

    def _flooding(self) -> bool:
        second = int(time.monotonic())
        self.count = self.count + 1 if second == self.second else 1
        self.second = second
        return self.count > FRAMES_A_SECOND


def _rights(session_key: str | None, conversation: uuid.UUID) -> Rights:
    """What the session's person may do here, in one unit of work: as each of their readers in turn."""
    signed_in = SessionStore(session_key).get(SESSION_KEY) if session_key else None
    if not signed_in:
        return Rights()
    person = uuid.UUID(signed_in)
    with as_person(person), connection.cursor() as cursor:
        found = tuple(memberships(person))
        for reader in found:
            cursor.execute(*entering(reader))
            cursor.execute(_SEQ, [conversation, reader.member])
            if row := cursor.fetchone():
                return Rights(person, found, reader, row[0])
    return Rights(person, found)


def _accepted_seq(reader: Reader, turn_id: uuid.UUID) -> int:
    with scoped(reader):
        return Frame.objects.filter(turn_id=turn_id, body__type="accepted").values_list("seq", flat=True)[0]
