"""Frame ↔ turn: reads a frame, calls one verb, forwards rows. No rules of its own."""

import asyncio
import json
import time
import uuid
from typing import Any

from asgiref.sync import ThreadSensitiveContext
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from assistant.conversation import hub, replay, turn
from assistant.conversation.frames import Ask, Ping, Refusal, Resume, Stop, read
from assistant.conversation.models import Conversation, Frame
from assistant.conversation.running import db
from profiles.access import Reader, readers, scoped

SIGNED_OUT, NO_RIGHTS, FLOODING = 4401, 4403, 4429
CHECK_SECONDS = 5
FRAMES_A_SECOND = 100


class ConversationConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket on one conversation."""

    async def connect(self) -> None:
        """Take the socket if somebody is signed in; rights are asked again with each frame."""
        self.conversation: uuid.UUID = self.scope["url_route"]["kwargs"]["conversation"]
        self.sent, self.following = 0, False
        self.sending = asyncio.Lock()
        self.second, self.count = 0, 0
        self.watch: asyncio.Task[None] | None = None
        await self.accept()
        if not await self._readers():
            await self.close(SIGNED_OUT if await self._person() is None else NO_RIGHTS)
            return
        self.watch = asyncio.create_task(self._watch())

    async def disconnect(self, code: int) -> None:
        """Stop following; the turn goes on without us."""
        if self.watch is not None:
            self.watch.cancel()
        if self.following:
            hub.leave(self.conversation, self)
            await self.channel_layer.group_discard(hub.group(self.conversation), self.channel_name)

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
            reader = await self._reader(frame)
            if isinstance(frame, Resume):
                self.sent = frame.after
                await self._follow()
            elif isinstance(frame, Stop):
                await turn.stop(reader, self.conversation)
            else:
                if not self.following:
                    self.sent = await db(_seq, reader, self.conversation)
                await self._follow()
                running = await turn.start(reader, self.conversation, frame)
                if not running.created:
                    seq = await db(_accepted_seq, reader, running.turn)
                    ids = {"turn": str(running.turn), "client_id": str(running.client_id)}
                    await self._send({"type": "accepted", **ids, "seq": seq})
        except Refusal as refusal:
            await self._send({"type": "error", "code": refusal.code, "detail": refusal.detail})

    async def look(self, event: dict[str, Any]) -> None:
        """Another process has written frames."""
        await self.catch_up()

    async def catch_up(self) -> None:
        """Send what stands behind `sent`, each frame once and in order."""
        async with self.sending:
            found = await self._readers()
            if not found:
                return
            for frame in await db(_frames, found, self.conversation, self.sent):
                await self._send(frame)
                self.sent = frame["seq"]

    async def _follow(self) -> None:
        if not self.following:
            self.following = True
            hub.follow(self.conversation, self)
            await self.channel_layer.group_add(hub.group(self.conversation), self.channel_name)
        await self.catch_up()

    async def _reader(self, frame: Any) -> Reader:
        found = await self._readers()
        if not found:
            await self.close(SIGNED_OUT)
            raise Refusal("forbidden", "signed out")
        slug = frame.community if isinstance(frame, Ask) and frame.community else ""
        owner = await db(_owner, found, self.conversation)
        if owner is not None:
            return owner
        chosen = [reader for reader in found if reader.slug == slug] if slug else found
        if len(chosen) != 1:
            raise Refusal("bad_request", "say which community")
        return chosen[0]

    async def _readers(self) -> list[Reader]:
        person = await self._person()
        return [] if person is None else await db(readers, person)

    async def _person(self) -> uuid.UUID | None:
        return await db(_signed_in, self.scope["session"].session_key)

    async def _watch(self) -> None:
        async with ThreadSensitiveContext():
            while True:
                await asyncio.sleep(CHECK_SECONDS)
                if await self._person() is None:
                    await self.close(SIGNED_OUT)
                    return

    async def _send(self, frame: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(frame, ensure_ascii=False))

    def _flooding(self) -> bool:
        second = int(time.monotonic())
        self.count = self.count + 1 if second == self.second else 1
        self.second = second
        return self.count > FRAMES_A_SECOND


def _signed_in(session_key: str | None) -> uuid.UUID | None:
    if not session_key:
        return None
    person = SessionStore(session_key).get(SESSION_KEY)
    return uuid.UUID(person) if person else None


def _owner(found: list[Reader], conversation: uuid.UUID) -> Reader | None:
    for reader in found:
        with scoped(reader):
            if Conversation.objects.filter(id=conversation, owner_id=reader.member).exists():
                return reader
    return None


def _frames(found: list[Reader], conversation: uuid.UUID, sent: int) -> list[dict[str, Any]]:
    owner = _owner(found, conversation)
    return [] if owner is None else replay.after(owner, conversation, sent)


def _seq(reader: Reader, conversation: uuid.UUID) -> int:
    with scoped(reader):
        row = Conversation.objects.filter(id=conversation).first()
        return row.seq if row else 0


def _accepted_seq(reader: Reader, turn_id: uuid.UUID) -> int:
    with scoped(reader):
        return Frame.objects.filter(turn_id=turn_id, body__type="accepted").values_list("seq", flat=True)[0]
