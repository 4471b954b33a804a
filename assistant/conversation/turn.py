"""One turn, top to bottom: save the question, notice, recall, assemble, stream, close.

State lives in PostgreSQL: every frame is a row with its `seq` before any socket sees it.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from assistant.conversation import hub, regions, render, window
from assistant.conversation.frames import Ask, Asked, Edit, Refusal, Regenerate
from assistant.conversation.models import Conversation, Frame, State, Turn
from assistant.conversation.regions import Context
from assistant.llm import chat, quoting
from memory import policy
from memory import recall as recalling
from memory.extraction import guard
from memory.ledger import Said
from memory.models import Episode, Recalled
from memory.recall import Found
from memory.remember import Noticed, notice
from memory.retrieval.text import terms
from profiles import learn
from profiles.access import Reader, scoped

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
FLUSH_SECONDS = 0.08
"""Pieces of an answer are gathered for so long before they become one row."""

BEAT_SECONDS = 5.0
"""Between two signs of life of a turn; a good part of `policy.SILENT_SECONDS`."""


@dataclass(slots=True)
class Running:
    """A turn that is being answered here."""

    reader: Reader
    conversation: uuid.UUID
    turn: uuid.UUID
    client_id: uuid.UUID
    runner: uuid.UUID
    question: str
    memory: bool
    created: bool = True
    noticed: Noticed = field(default_factory=Noticed)
    context: Context | None = None
    found: Found = field(default_factory=Found)
    name: str = ""
    known: tuple[str, ...] = ()
    pieces: list[str] = field(default_factory=list)
    usage: chat.Usage = field(default_factory=chat.Usage)


_tasks: dict[uuid.UUID, asyncio.Task[None]] = {}


async def db(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a unit of work on the database in this turn's own thread; its connection goes back to the pool."""

    def unit() -> T:
        try:
            return work(*args, **kwargs)
        finally:
            connection.close()

    return await sync_to_async(unit)()


async def start(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Running:
    """Save the question and begin to answer in a task of its own; raises `Refusal`."""
    running = await db(_open, reader, conversation, asked)
    await hub.publish(conversation)
    if running.created:
        task = asyncio.create_task(_answer(running))
        _tasks[conversation] = task
        task.add_done_callback(
            lambda done: _tasks.pop(conversation, None) if _tasks.get(conversation) is done else None
        )
    return running


async def stop(reader: Reader, conversation: uuid.UUID) -> None:
    """End the running answer; in another process its runner sees the mark at its next sign of life."""
    task = _tasks.get(conversation)
    if task is not None:
        task.cancel()
        return
    await db(_ask_to_stop, reader, conversation)


# 1. save the question, notice what it says, recall, assemble: one unit of work


def _open(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Running:
    with scoped(reader):
        talk = _conversation(reader, conversation, asked)
        before = Turn.objects.filter(owner_id=reader.member, client_id=asked.client_id).first()
        if before is not None:
            return _again(reader, before, asked)
        parent = _parent(talk, asked)
        if Turn.objects.filter(conversation=talk, state=State.RUNNING).exists():
            raise Refusal("conflict", "an answer is still being written")
        minute = timezone.now() - timedelta(minutes=1)
        if Turn.objects.filter(owner_id=reader.member, asked_at__gt=minute).count() >= policy.ASKS_A_MINUTE:
            raise Refusal("rate_limited", "too many questions in one minute")
        question = _words(asked)
        turn = Turn.objects.create(
            conversation=talk, owner_id=reader.member, community_id=reader.community, client_id=asked.client_id,
            parent=parent, question=question, runner=uuid.uuid4(), alive_at=timezone.now(),
            remembered_at=None if talk.memory else timezone.now(),
        )  # fmt: skip
        running = Running(
            reader,
            talk.id,
            turn.id,
            asked.client_id,
            turn.runner,
            question,
            talk.memory and reader.memory_on is not False,
        )
        _append(running, type="accepted", client_id=str(asked.client_id))
        _prepare(running, talk, turn, again=isinstance(asked, Regenerate))
        return running


def _prepare(running: Running, talk: Conversation, turn: Turn, *, again: bool) -> None:
    reader = running.reader
    profile = learn.profile_of(reader)
    if running.memory:
        said = Said(turn.id, talk.id, turn.asked_at)
        running.noticed = notice(reader, profile, running.question, said, again=again)
        if not again:
            learn.count(profile, turn.asked_at)
        running.name = profile.name
        if running.noticed.changes:
            changes = [{"id": str(c.memory.id), "change": str(c.id)} for c in running.noticed.changes]
            _append(running, type="noticed", memories=changes)
        if running.noticed.asks_everything:
            running.known = tuple(memory.text for memory in recalling.everything(reader))
    running.found = recalling.recall(reader, running.question, but=turn.id)
    if not running.memory:
        running.found = Found(knowledge=running.found.knowledge)
    portrait = _portrait(profile) if running.memory else ""
    rounds = window.rounds(reader, talk.id, but=turn.id)
    running.context = regions.assemble(message=running.question, profile=portrait, found=running.found, rounds=rounds)
    recalling.record(reader, turn.id, running.found, running.context.markers)
    stored = running.context.stored()
    Turn.objects.filter(id=turn.id).update(regions=stored)
    put_in = [hit for hit in running.found.all if hit.id in running.context.markers]
    _append(
        running, type="context", regions=[{"name": r["name"], "tokens": r["tokens"]} for r in stored],
        memories=[{"id": str(h.id), "what": h.what, "score": h.score} for h in put_in if h.what != "knowledge"],
        sources=[{"id": str(h.id), "title": h.title, "url": f"/knowledge/{h.id}/", "verified": h.verified}
                 for h in put_in if h.what == "knowledge"],
        asked_before=[],
    )  # fmt: skip


def _conversation(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Conversation:
    found = Conversation.objects.select_for_update().filter(id=conversation).first()
    if found is not None:
        return found
    if not isinstance(asked, Ask):
        raise Refusal("not_found", "no such conversation")
    title = " ".join(asked.text.split())[:60]
    try:
        with transaction.atomic():
            return Conversation.objects.create(
                id=conversation, owner_id=reader.member, community_id=reader.community, title=title, memory=asked.memory
            )
    except IntegrityError as taken:  # somebody else's, or two first questions at once
        raise Refusal("not_found", "no such conversation") from taken


def _words(asked: Asked) -> str:
    """The question as it is stored: secrets never are."""
    return guard.redact(asked.text) if isinstance(asked, (Ask, Edit)) else Turn.objects.get(id=asked.turn).question


def _again(reader: Reader, before: Turn, asked: Asked) -> Running:
    same = not isinstance(asked, (Ask, Edit)) or before.question == guard.redact(asked.text)
    if not same:
        raise Refusal("conflict", "this client_id belongs to another question")
    return Running(
        reader, before.conversation_id, before.id, asked.client_id, before.runner, before.question, True, False
    )


def _parent(talk: Conversation, asked: Asked) -> Turn | None:
    if isinstance(asked, Ask):
        return talk.turns.order_by("-asked_at").first()
    turn = talk.turns.filter(id=asked.turn).first()
    if turn is None:
        raise Refusal("not_found", "no such turn")
    return turn.parent


def _portrait(profile: Any) -> str:
    parts = {
        "name": profile.name, "language": profile.language, "expertise": profile.expertise,
        "interests": ", ".join(profile.interests[:5]), "last topics": ", ".join(profile.last_topics[:3]),
        "preferences": "; ".join(str(value) for value in profile.preferences.values()),
        "talks so far": profile.interaction_count,
    }  # fmt: skip
    return "\n".join(f"{name}: {value}" for name, value in parts.items() if value)


# 2. stream


async def _answer(running: Running) -> None:
    async with ThreadSensitiveContext():
        state = State.INTERRUPTED
        beat = asyncio.create_task(_beat(running, asyncio.current_task()))
        try:
            async with asyncio.timeout(policy.TURN_SECONDS):
                await _stream(running)
            state = State.ANSWERED
        except asyncio.CancelledError:
            state = State.STOPPED
        except (chat.ModelUnavailable, TimeoutError) as problem:
            code = problem.code if isinstance(problem, chat.ModelUnavailable) else "timeout"
            log.warning("turn %s got no whole answer: %s", running.turn, code)
            state = State.INTERRUPTED if code == "length" else State.FAILED
        finally:
            beat.cancel()
            await asyncio.shield(_finish(running, state))


async def _beat(running: Running, answering: asyncio.Task[Any] | None) -> None:
    """Signs of life while the model is silent; ends the answer if it was stopped elsewhere."""
    while answering is not None:
        await asyncio.sleep(BEAT_SECONDS)
        if not await db(_alive, running):
            answering.cancel()


async def _finish(running: Running, state: State) -> None:
    await db(close, running, state)
    await hub.publish(running.conversation)


async def _stream(running: Running) -> None:
    waiting: list[str] = []
    last = asyncio.get_running_loop().time()
    number = 0
    async with aclosing(_pieces(running)) as pieces:  # a stop ends the call upstream at once
        async for piece in pieces:
            running.pieces.append(piece)
            waiting.append(piece)
            now = asyncio.get_running_loop().time()
            if now - last >= FLUSH_SECONDS:
                await _flush(running, number, waiting)
                number, waiting, last = number + 1, [], now
    if waiting:
        await _flush(running, number, waiting)


async def _flush(running: Running, number: int, waiting: list[str]) -> None:
    if not await db(_delta, running, number, "".join(waiting)):
        raise asyncio.CancelledError
    await hub.publish(running.conversation)


async def _pieces(running: Running) -> AsyncGenerator[str]:
    assert running.context is not None
    if chat.configured() and not running.noticed.asks_everything:
        async with aclosing(chat.stream(running.context.messages(), running.usage)) as answer:
            async for piece in answer:
                yield piece
        return
    noted = tuple(c.memory.text for c in running.noticed.changes if c.action in ("added", "superseded"))
    everything = running.known if running.noticed.asks_everything else None
    text = quoting.answer(quoting.Situation(
        running.question, running.name, noted, running.found, running.context.markers, everything,
        guard.MASK in running.question,
    ))  # fmt: skip
    for start_at in range(0, len(text), 400):
        yield text[start_at : start_at + 400]


def _delta(running: Running, number: int, text: str) -> bool:
    with scoped(running.reader):
        if _alive(running):
            _append(running, type="delta", n=number, text=text)
            return True
        return False


def _alive(running: Running) -> bool:
    with scoped(running.reader):
        mine = Turn.objects.filter(id=running.turn, runner=running.runner, state=State.RUNNING)
        return bool(mine.update(alive_at=timezone.now()))


# 3. close


def close(running: Running, state: State) -> bool:
    """Write how the turn ended, once: whoever comes second changes nothing."""
    text = "".join(running.pieces)
    with scoped(running.reader):
        now = timezone.now()
        usage = _usage(running, text)
        still = Turn.objects.filter(id=running.turn, runner=running.runner, state=State.RUNNING)
        if not still.update(state=state, answer=text, ended_at=now, usage=usage):
            return False
        _rest(running, text)
        citations = citations_of(running.turn, text)
        Recalled.objects.filter(turn=running.turn, target__in=[cite.id for cite in citations]).update(cited=True)
        _append(running, type="done", text=text, html=render.html(text, citations),
                cited=[str(cite.id) for cite in citations], usage=usage, state=str(state))  # fmt: skip
        if running.memory and state == State.ANSWERED:
            Episode.objects.get_or_create(
                turn=running.turn,
                defaults={"conversation": running.conversation, "owner_id": running.reader.member,
                          "community_id": running.reader.community, "question": running.question, "answer": text,
                          "terms": terms(running.question), "at": now},
            )  # fmt: skip
    return True


def _usage(running: Running, text: str) -> dict[str, float]:
    """As the endpoint reported it; estimated where it began and was cut off before it could."""
    usage = running.usage
    if usage.asked and not usage.input and running.context is not None:
        usage.input, usage.output = sum(part.tokens for part in running.context.regions), regions.tokens(text)
    return {"input": usage.input, "output": usage.output, "cost": usage.cost}


def _rest(running: Running, text: str) -> None:
    """The pieces that a stop or a failure overtook, so that the deltas always add up to the text."""
    sent = list(Frame.objects.filter(turn_id=running.turn, body__type="delta").values_list("body__text", flat=True))
    if left := text.removeprefix("".join(sent)):
        _append(running, type="delta", n=len(sent), text=left)


def citations_of(turn: uuid.UUID, text: str) -> list[render.Cited]:
    """The sources that `text` names, out of what really was in the turn's context."""
    put_in = Recalled.objects.filter(turn=turn).exclude(marker="")
    return render.cited(text, {row.marker: (row.target, _url(row)) for row in put_in})


def _url(row: Recalled) -> str:
    places = {"memory": f"/me/memory/{row.target}/", "knowledge": f"/knowledge/{row.target}/"}
    return places.get(row.what, f"/turns/{row.target}/")


def recover(reader: Reader, turn: uuid.UUID) -> None:
    """End a turn whose runner has died; the question is kept and can be tried again."""
    with scoped(reader):
        row = Turn.objects.filter(id=turn, state=State.RUNNING).first()
        if row is None:
            return
        pieces = [frame.body["text"] for frame in row.frames.filter(body__type="delta")]
        running = Running(reader, row.conversation_id, row.id, row.client_id, row.runner, row.question, False)
        running.pieces = pieces
        close(running, State.INTERRUPTED)


def _ask_to_stop(reader: Reader, conversation: uuid.UUID) -> None:
    with scoped(reader):
        row = Turn.objects.filter(conversation_id=conversation, state=State.RUNNING).first()
        if row is not None:
            pieces = [frame.body["text"] for frame in row.frames.filter(body__type="delta")]
            running = Running(reader, row.conversation_id, row.id, row.client_id, row.runner, row.question, False)
            running.pieces = pieces
            close(running, State.STOPPED)


def _append(running: Running, **body: Any) -> None:
    """One frame with the conversation's next `seq`; the row lock on the conversation keeps it gapless."""
    Conversation.objects.filter(id=running.conversation).update(seq=F("seq") + 1, updated_at=timezone.now())
    seq = Conversation.objects.values_list("seq", flat=True).get(id=running.conversation)
    Frame.objects.create(
        conversation_id=running.conversation, owner_id=running.reader.member, community_id=running.reader.community,
        turn_id=running.turn, seq=seq, body={"turn": str(running.turn), **body},
    )  # fmt: skip
