"""One turn, top to bottom: save the question, notice, embed, recall, assemble, stream, close.

State lives in PostgreSQL: every frame is a row with its `seq` before any socket sees it.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from django.utils import timezone

from assistant import logs, metrics
from assistant.conversation import (
    assistants,
    branches,
    deltas,
    hub,
    parting,
    place,
    regions,
    render,
    rewriting,
    speaking,
    window,
)
from assistant.conversation.citations import citations_of
from assistant.conversation.folding import Round
from assistant.conversation.frames import Ask, Asked, Edit, Human, Refusal, Regenerate
from assistant.conversation.models import Conversation, Frame, State, Turn
from assistant.conversation.place import conversation_of
from assistant.conversation.running import Running, append, begin, end, hold, keep_regions, still_ours, times
from assistant.conversation.spending import within_budget
from assistant.conversation.units import beginning, db, ending
from assistant.llm import chat, quoting, reranking
from memory import audit, blocks, overviews, policy, repeated
from memory import recall as recalling
from memory.extraction import guard
from memory.ledger import Said
from memory.models import Episode, Recalled
from memory.remember import notice
from memory.retrieval.text import terms
from memory.terms import Kind, Scope
from memory.vectors import Meaning
from profiles import learn
from profiles.access import Reader, scoped
from profiles.portrait import portrait

log = logging.getLogger(__name__)
FLUSH_SECONDS = 0.08
"""Pieces of an answer are gathered for so long before they become one row, while few answers are being written;"""
FLUSH_MOST = 0.4
"""longer while there are many, up to this."""
EASY = 8
"""So many answers at the same time are few."""

BEAT_SECONDS = 5.0
"""Between two signs of life of a turn; a good part of `policy.SILENT_SECONDS`."""


_tasks: dict[uuid.UUID, asyncio.Task[None]] = {}


async def start(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Running:
    """Save the question and begin to answer in a task of its own; raises `Refusal`."""
    if parting.begun():
        raise Refusal("temporarily_unavailable", "the server starts anew; ask again in a moment")
    running = await beginning(_open, reader, conversation, asked)
    await _publish(running)
    if running.created and not running.waits:
        task = asyncio.create_task(_answer(running))
        _tasks[conversation] = task
        parting.answers.add(task)
        task.add_done_callback(parting.answers.discard)
        task.add_done_callback(
            lambda done: _tasks.pop(conversation, None) if _tasks.get(conversation) is done else None
        )
    return running


async def stop(reader: Reader, conversation: uuid.UUID) -> None:
    """End the running answer; in another process its runner sees the mark at its next sign of life."""
    task = _tasks.get(conversation)
    if task is None:
        await db(_ask_to_stop, reader, conversation)
        await hub.publish(conversation, reader.member)
    elif await db(_owns, reader, conversation):
        task.cancel()


# 1. save the question, notice what it says: one unit of work


def _open(reader: Reader, conversation: uuid.UUID, asked: Asked) -> Running:
    with scoped(reader):
        talk, new = conversation_of(reader, conversation, asked)
        waiting, handed = not new and place.waits(talk), isinstance(asked, Human)
        running = Running(
            reader, talk.id, uuid.uuid4(), asked.client_id, uuid.uuid4(), place.words_of(talk, asked),
            talk.memory and reader.memory_on is not False, parent=None if new else place.parent_of(talk, asked),
            assistant=talk.assistant, acting_as=assistants.acting(reader, talk.assistant), waits=waiting or handed,
            again=isinstance(asked, Regenerate),
        )  # fmt: skip
        closed = (waiting and not isinstance(asked, Ask)) or (running.waits and place.answering(talk))
        if closed or not begin(running, read=not talk.memory or handed):
            return _instead(reader, talk, asked)
        if not running.waits:
            within_budget(running)
        append(running, None, type="accepted", client_id=str(asked.client_id), **running.told)
        if running.memory and not handed:
            _notice(running)
        return running


def _instead(reader: Reader, talk: Conversation, asked: Asked) -> Running:
    """The turn that was begun with this client id; raises what else stood in the way."""
    before = Turn.objects.filter(owner_id=reader.member, client_id=asked.client_id).first()
    if before is None and place.answering(talk):
        raise Refusal("conflict", "an answer is still being written")
    if before is None and place.waits(talk) and not isinstance(asked, Ask):
        raise Refusal("conflict", "a person is to answer")
    if before is None:
        raise Refusal("rate_limited", "too many questions in one minute")
    if isinstance(asked, (Ask, Edit)) and before.question != guard.redact(asked.text):
        raise Refusal("conflict", "this client_id belongs to another question")
    return Running(
        reader, before.conversation_id, before.id, asked.client_id, before.runner, before.question, True, False,
        waits=before.state == State.WAITING_HUMAN,
    )  # fmt: skip


def _notice(running: Running) -> None:
    profile = learn.profile_of(running.reader)
    said = Said(running.turn, running.conversation, running.asked_at)
    running.noticed = notice(
        running.acting, profile, running.question, said, again=running.again, shown=partial(_shown, running.parent)
    )
    if not running.again:
        learn.count(profile, running.asked_at)
    running.profile, running.name = portrait(profile), profile.name
    if running.noticed.changes:
        changes = [{"id": str(c.memory.id), "change": str(c.id)} for c in running.noticed.changes]
        texts = {str(c.memory.id): c.memory.text for c in running.noticed.changes if c.action != "forgotten"}
        append(running, texts, type="noticed", memories=changes)


def _shown(turn: uuid.UUID | None) -> list[uuid.UUID]:
    """The memories that the answer of `turn` cited."""
    return [row.target for row in Recalled.objects.filter(turn=turn, what="memory", cited=True)] if turn else []


# 2. the question's vectors, other wordings where they are wanted (`rewriting`): others' time, no connection held


# 3. recall and assemble: one unit of work


def _prepare(running: Running, meaning: Meaning | None) -> None:
    with metrics.prepare_seconds.time(), scoped(running.acting):
        _recall(running, running.acting, meaning)


def _recall(running: Running, reader: Reader, meaning: Meaning | None) -> None:
    if running.memory and running.noticed.asks_everything:
        running.known = tuple(memory.text for memory in recalling.everything(reader))
    recent = window.recent(reader, running.conversation, parent=running.parent)
    before = [one.question for one in recent.rounds]
    began = time.perf_counter()
    found = recalling.recall(reader, running.question, meaning=meaning, but=running.turn, before=before,
                             rerank=reranking.configured(), own=running.recalls, wordings=running.wordings)  # fmt: skip
    running.found = branches.without_others(found, running.conversation, running.parent)
    asked = recalling.asked_before(running.found, running.question)
    running.before = None if running.again else repeated.before(asked)
    running.answered = repeated.answered(running.found, running.question, meaning)
    running.found = running.found.led_by(running.answered)
    running.recall_ms = round(1000 * (time.perf_counter() - began))
    overview = overviews.recent(reader, but=running.conversation, now=timezone.now()) if running.recalls else []
    knows = running.recalls and reader.may_read(Scope.PERSONAL, Kind.SEMANTIC)
    kept = blocks.read(reader, running.assistant.id if running.assistant else None, human=knows)
    about = "\n".join(filter(None, (running.profile, kept.human))) if knows else ""
    running.context = regions.assemble(
        message=running.question, persona=kept.persona, profile=about, found=running.found, overviews=overview,
        rounds=[(one.question, one.answer) for one in recent.rounds], summary=recent.folded.text,
        exact=recent.folded.exact, asked=running.before.hit if running.before else None, answered=running.answered,
    )  # fmt: skip
    recalling.record(reader, running.turn, running.found, running.context.markers)
    stored = running.context.stored()
    put_in = [hit for hit in running.found.all if hit.id in running.context.markers]
    append(
        running, {str(hit.id): hit.title or hit.text for hit in running.found.all}, type="context",
        regions=[{"name": r["name"], "tokens": r["tokens"]} for r in stored],
        memories=[{"id": str(h.id), "what": h.what, "score": h.score} for h in put_in if h.what != "knowledge"],
        sources=[{"id": str(h.id), "title": h.title, "url": f"/knowledge/{h.id}/", "verified": h.verified}
                 for h in put_in if h.what == "knowledge"],
        asked_before=times(asked, running.answered),
    )  # fmt: skip
    keep_regions(running, stored)  # the conversation's row first, as `hold` says
    if recent.long:
        Conversation.objects.filter(id=running.conversation).update(fold=True)


# 4. stream


async def _answer(running: Running) -> None:
    logs.mark(turn=str(running.turn))
    state = State.INTERRUPTED
    beat = asyncio.create_task(_beat(running, asyncio.current_task()))
    try:
        async with asyncio.timeout(policy.TURN_SECONDS):
            await db(_prepare, running, await rewriting.meaning(running))
            await _publish(running)
            await _stream(running)
        state = State.ANSWERED
    except asyncio.CancelledError:
        state = State.INTERRUPTED if parting.begun() else State.STOPPED
    except (chat.ModelUnavailable, TimeoutError) as problem:
        code = problem.code if isinstance(problem, chat.ModelUnavailable) else "timeout"
        log.warning("turn %s got no whole answer: %s", running.turn, code)
        metrics.failures.labels(code).inc()
        state = State.INTERRUPTED if code == "length" else State.FAILED
    finally:
        beat.cancel()
        await asyncio.shield(_finish(running, state))


async def _beat(running: Running, answering: asyncio.Task[None] | None) -> None:
    """Signs of life while the model is silent; ends the answer if it was stopped elsewhere."""
    while answering is not None:
        await asyncio.sleep(BEAT_SECONDS)
        if not await db(_alive, running):
            answering.cancel()


async def _finish(running: Running, state: State) -> None:
    if await ending(close, running, state):
        metrics.ended(str(state), running.asked_at)
        log.info("the turn ended: %s", state)
    await _publish(running)


async def _publish(running: Running) -> None:
    await hub.publish(running.conversation, running.reader.member, running.take())


async def _stream(running: Running) -> None:
    waiting: list[str] = []
    last = asyncio.get_running_loop().time()
    number = 0
    async with aclosing(_pieces(running)) as pieces:  # a stop ends the call upstream at once
        async for piece in pieces:
            running.pieces.append(piece)
            waiting.append(piece)
            now = asyncio.get_running_loop().time()
            if now - last >= min(FLUSH_MOST, FLUSH_SECONDS * max(1.0, len(_tasks) / EASY)):
                await _flush(running, number, waiting)
                number, waiting, last = number + 1, [], now
    if waiting:
        await _flush(running, number, waiting)


async def _flush(running: Running, number: int, waiting: list[str]) -> None:
    frame = await deltas.write(running, number, "".join(waiting))
    if frame is None:
        raise asyncio.CancelledError
    running.written += len(frame["text"])
    await hub.publish(running.conversation, running.reader.member, [frame])


async def _pieces(running: Running) -> AsyncGenerator[str]:
    assert running.context is not None
    if chat.configured() and not running.noticed.asks_everything:
        async with aclosing(speaking.answer(running)) as answer:
            async for piece in answer:
                yield piece
        return
    text = quoting.answer(_situation(running))
    for start_at in range(0, len(text), 400):
        yield text[start_at : start_at + 400]


def _situation(running: Running) -> quoting.Situation:
    """All that the answerer without a model may use."""
    assert running.context is not None
    noticed = running.noticed
    told = running.recalls or noticed.asks_everything

    def texts(*actions: str) -> tuple[str, ...]:
        return tuple(change.memory.text for change in noticed.changes if change.action in actions)

    return quoting.Situation(
        running.question, running.name if told else "", texts("added", "superseded"), running.found,
        running.context.markers, running.known if noticed.asks_everything else None, "█" in running.question,
        known=tuple(change.memory.text for change in noticed.confirmed), doubted=texts("flagged"), ended=texts("ended"),
        forgotten=sum(change.action == "forgotten" for change in noticed.changes), withheld=noticed.withheld,
        held=noticed.held, unmatched=noticed.unmatched, before=running.before, answered=running.answered,
    )  # fmt: skip


def _alive(running: Running) -> bool:
    with scoped(running.reader):
        return still_ours(running)


# 5. close


def close(running: Running, state: State) -> bool:
    """Write how the turn ended, once: whoever comes second changes nothing."""
    text = "".join(running.pieces)
    safe = render.safe(text)  # before any row is held
    running.fresh.clear()  # of a unit of work that came to nothing, or was overtaken
    with scoped(running.reader):
        now = timezone.now()
        usage = _usage(running, text)
        answered = state == State.ANSWERED
        aside = branches.replaced(running.conversation, running.turn, running.parent) if answered else []
        if aside:
            audit.hold(running.reader.community)  # before any row
        hold(running)
        if not end(running, state, text, now, usage):
            return False
        if running.written < len(text):
            _rest(running, text)
        citations = citations_of(running.turn, text) if "[" in text else []
        if citations:
            Recalled.objects.filter(turn=running.turn, target__in=[cite.id for cite in citations]).update(cited=True)
        append(running, type="done", text=text, html=render.with_chips(safe, citations),
                cited=[str(cite.id) for cite in citations], usage=usage, state=str(state))  # fmt: skip
        if answered and _may_be_found(running):
            episode = Episode(
                turn=running.turn, conversation=running.conversation, owner_id=running.reader.member,
                community_id=running.reader.community, question=running.question, answer=text,
                terms=terms(running.question), at=now,
            )  # fmt: skip
            Episode.objects.bulk_create([episode], ignore_conflicts=True)
        if aside:
            branches.leave_past(running.reader, running.turn, aside)
    ended = Round(str(running.turn), running.question, text, running.asked_at)
    window.follow(running.reader, running.conversation, ended, parent=running.parent)
    return True


def _may_be_found(running: Running) -> bool:
    """Whether the exchange becomes a past one that recall finds."""
    writes = running.acting.may_write(Scope.PERSONAL, Kind.EPISODIC)
    return running.memory and running.noticed.findable and writes


def _usage(running: Running, text: str) -> dict[str, float]:
    """As the endpoint reported it; estimated where it began and was cut off before it could."""
    usage = running.usage
    if usage.asked and not usage.input and running.context is not None:
        usage.input, usage.output = sum(part.tokens for part in running.context.regions), regions.tokens(text)
    tokens = usage.input + running.rewriting.input, usage.output + running.rewriting.output
    return {"input": tokens[0], "output": tokens[1], "cost": chat.price(*tokens)}


def _rest(running: Running, text: str) -> None:
    """The pieces that a stop or a failure overtook, so that the deltas always add up to the text."""
    sent = list(Frame.objects.filter(turn_id=running.turn, body__type="delta").values_list("body__text", flat=True))
    if left := text.removeprefix("".join(sent)):
        append(running, type="delta", n=len(sent), text=left)


def recover(reader: Reader, turn: uuid.UUID) -> None:
    """End a turn whose runner has died; the question is kept and can be tried again."""
    with scoped(reader):
        for row in Turn.objects.filter(id=turn, state=State.RUNNING):
            _end(reader, row, State.INTERRUPTED)


def _owns(reader: Reader, conversation: uuid.UUID) -> bool:
    with scoped(reader):
        return Conversation.objects.filter(id=conversation, owner_id=reader.member).exists()


def _ask_to_stop(reader: Reader, conversation: uuid.UUID) -> None:
    with scoped(reader):
        rows = Turn.objects.filter(conversation_id=conversation, state__in=(State.RUNNING, State.WAITING_HUMAN))
        for row in rows:
            _end(reader, row, State.STOPPED)


def _end(reader: Reader, row: Turn, state: State) -> None:
    """In the place of a runner that is elsewhere, or gone."""
    running = again(reader, row)
    running.pieces = [frame.body["text"] for frame in row.frames.filter(body__type="delta")]
    close(running, state)


def again(reader: Reader, row: Turn) -> Running:
    """A turn that was begun, to be ended by somebody else than its runner; it becomes no past exchange by that."""
    return Running(
        reader, row.conversation_id, row.id, row.client_id, row.runner, row.question, False, parent=row.parent_id,
        asked_at=row.asked_at, waits=row.state == State.WAITING_HUMAN,
    )  # fmt: skip
