"""REST: conversations, turns, votes, and tokens."""

import json
import uuid
from typing import Annotated, Any, Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router
from pydantic import Field

from assistant.conversation import asking, removal, tokens
from assistant.conversation.frames import Ask, Human, Refusal, read
from assistant.conversation.models import Conversation, Feedback, Turn
from assistant.conversation.replies import Answered, Context, Issued, Removed, Revoked, Talk, Voted
from memory.extraction import guard
from memory.models import Memory, Recalled
from memory.shapes import iso
from memory.terms import Status
from profiles.access import scoped
from profiles.rest import Items, Problem, Strict, example, missing, reader_of

router = Router(tags=["conversations"])
Scope = Literal["chat", "memory:read", "memory:write"]


class Vote(Strict):
    """A member's judgement of one answer."""

    model_config = example(rating="down", reason="outdated", comment="The kiln has moved.")

    rating: Literal["up", "down"]
    reason: Annotated[str, Field(max_length=60)] = ""
    comment: Annotated[str, Field(max_length=4000)] = ""


class Title(Strict):
    """A new title."""

    model_config = example(title="Glazes")

    title: Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]


class Wanted(Strict):
    """A name to know the token by, the days after which it ends (none: when it is deleted), and what it may do:
    `chat` talks, `memory:read` sees what is kept, `memory:write` changes it (none named: all three)."""

    model_config = example(name="script", days=30, scopes=["chat", "memory:read"])

    name: Annotated[str, Field(max_length=60)] = ""
    days: Annotated[int, Field(ge=1, le=3650)] | None = None
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=3)] | None = None


class Question(Strict):
    """A question; `client_id` makes it safe to send twice."""

    model_config = example(text="我住在哪里？", client_id="5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f07")

    text: str
    client_id: uuid.UUID | None = None
    memory: bool = True
    assistant: Annotated[str, Field(max_length=40)] | None = None


class Press(Strict):
    """`client_id` makes it safe to send twice."""

    model_config = example(client_id="5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f08")

    client_id: uuid.UUID | None = None


STATUSES = {"forbidden": 403, "not_found": 404, "conflict": 409, "too_long": 413, "rate_limited": 429,
            "budget_exceeded": 429, "temporarily_unavailable": 503}  # fmt: skip
"""What a refusal of a turn is over HTTP; the rest is 422."""
STREAMED = {"responses": {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}}
"""The other shape of an answer, for whoever asks for it by `Accept`."""


@router.get("/conversations", response=Items[Talk])
def conversations(request: HttpRequest) -> dict[str, Any]:
    """The reader's own conversations, newest first."""
    reader = reader_of(request)
    with scoped(reader):
        rows = Conversation.objects.filter(owner_id=reader.member).select_related("assistant").order_by("-updated_at")
        items = [_conversation(row) for row in rows]
    return {"items": items, "count": len(items)}


@router.get("/conversations/{conversation}", response=Talk)
def conversation(request: HttpRequest, conversation: uuid.UUID) -> dict[str, Any]:
    """One conversation."""
    reader = reader_of(request)
    with scoped(reader):
        row = Conversation.objects.filter(id=conversation, owner_id=reader.member).first()
        if row is None:
            raise missing("conversation")
        return _conversation(row)


@router.patch("/conversations/{conversation}", response=Talk)
def rename(request: HttpRequest, conversation: uuid.UUID, new: Title) -> dict[str, Any]:
    """Give it another title; secrets in it are blacked out."""
    reader = reader_of(request)
    with scoped(reader):
        row = Conversation.objects.select_for_update().filter(id=conversation, owner_id=reader.member).first()
        if row is None:
            raise missing("conversation")
        row.title = " ".join(guard.redact(new.title).split())[:120]
        Conversation.objects.filter(id=row.id).update(title=row.title)
        return _conversation(row)


@router.delete("/conversations/{conversation}", response=Removed)
def remove(request: HttpRequest, conversation: uuid.UUID, forget: bool = True) -> dict[str, Any]:
    """Delete it; `forget` (the default): also what was learned from it."""
    done = removal.remove(reader_of(request), conversation, forget=forget)
    if done is None:
        raise missing("conversation")
    forgotten = [{"id": str(change.memory.id), "change": str(change.id)} for change in done.changes]
    return {"id": str(conversation), "turns": done.turns, "forgotten": forgotten}


@router.get("/conversations/{conversation}/turns", response=Items[Answered])
def turns(request: HttpRequest, conversation: uuid.UUID) -> dict[str, Any]:
    """All turns of one conversation, oldest first."""
    reader = reader_of(request)
    with scoped(reader):
        if not Conversation.objects.filter(id=conversation, owner_id=reader.member).exists():
            raise missing("conversation")
        items = [_turn(row) for row in Turn.objects.filter(conversation_id=conversation)]
    return {"items": items, "count": len(items)}


@router.post("/conversations/{conversation}/ask", response=Answered, openapi_extra=STREAMED)
def ask(request: HttpRequest, conversation: uuid.UUID, question: Question) -> Any:
    """Ask and wait for the answer; the first question makes the conversation. The same `client_id`: the same turn.

    With `Accept: text/event-stream` the answer comes as it is written: the frames of the socket, one JSON object an
    event, whose `id` is the frame's `seq`, up to `done`. Whoever hangs up doesn't end the answer.
    """
    body = {"type": "ask", "client_id": str(question.client_id or uuid.uuid4()), **question.dict(exclude={"client_id"})}
    reader = reader_of(request)
    try:
        asked = _as_ask(json.dumps(body))
        if "text/event-stream" in request.headers.get("accept", ""):
            events = asking.events(reader, asking.begin(reader, conversation, asked))
            quiet = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
            return StreamingHttpResponse(events, content_type="text/event-stream", headers=quiet)
        return _turn(asking.ask(reader, conversation, asked))
    except Refusal as refusal:
        raise Problem(STATUSES.get(refusal.code, 422), refusal.code, refusal.detail) from refusal


@router.post("/turns/{turn}/human", response=Answered)
def human(request: HttpRequest, turn: uuid.UUID, press: Press | None = None) -> dict[str, Any]:
    """The question of a turn once more, for a person to answer: a turn that is `waiting_human` until then."""
    reader = reader_of(request)
    with scoped(reader):
        talk = Turn.objects.filter(id=turn, owner_id=reader.member).values_list("conversation_id", flat=True).first()
    if talk is None:
        raise missing("turn")
    client_id = (press.client_id if press else None) or uuid.uuid4()
    try:
        begun = asking.begin(reader, talk, Human(type="human", turn=turn, client_id=client_id))
    except Refusal as refusal:
        raise Problem(STATUSES.get(refusal.code, 422), refusal.code, refusal.detail) from refusal
    with scoped(reader):
        return _turn(Turn.objects.get(id=begun.turn))


@router.get("/turns/{turn}/context", response=Context, exclude_unset=True)
def context(request: HttpRequest, turn: uuid.UUID) -> dict[str, Any]:
    """The regions of one turn, and what was found for it with its score parts."""
    reader = reader_of(request)
    with scoped(reader):
        row = Turn.objects.filter(id=turn, owner_id=reader.member).first()
        if row is None:
            raise missing("turn")
        found = Recalled.objects.filter(turn=turn)
        gone = Memory.objects.filter(status=Status.FORGOTTEN).values("id")
        memories = [
            {"id": str(hit.target), "what": hit.what, "score": hit.score, "parts": hit.parts, "marker": hit.marker,
             "cited": hit.cited}
            for hit in found.exclude(target__in=gone)
        ]  # fmt: skip
        regions = removal.regions_of(reader, row)
    return {"turn": str(turn), "regions": regions, "memories": memories, "steps": row.steps}


@router.post("/turns/{turn}/feedback", response=Voted)
def feedback(request: HttpRequest, turn: uuid.UUID, vote: Vote) -> dict[str, Any]:
    """Vote on an answer; the last vote counts."""
    reader = reader_of(request)
    words = vote.dict() | {"reason": guard.redact(vote.reason)[:60], "comment": guard.redact(vote.comment)}
    with scoped(reader):
        if not Turn.objects.filter(id=turn, owner_id=reader.member).exists():
            raise missing("turn")
        Feedback.objects.update_or_create(
            turn_id=turn, defaults={"owner_id": reader.member, "community_id": reader.community, **words}
        )
    return {"turn": str(turn), "rating": vote.rating}


@router.post("/tokens", response=Issued, tags=["tokens"])
def make_token(request: HttpRequest, wanted: Wanted | None = None) -> dict[str, Any]:
    """A token for the community that is meant; `token` is shown this once. Not by a token itself."""
    if getattr(request, "by_token", None) is not None:
        raise Problem(403, "forbidden", "a token makes no tokens")
    wanted = wanted or Wanted()
    reader = reader_of(request)
    row, secret = tokens.make(reader, wanted.name, wanted.days, wanted.scopes or tokens.SCOPES)
    return {"id": str(row.id), "token": secret, "community": reader.slug, "name": row.name,
            "scopes": row.scopes, "expires_at": iso(row.expires_at)}  # fmt: skip


@router.delete("/tokens/{token}", response=Revoked, tags=["tokens"])
def revoke_token(request: HttpRequest, token: uuid.UUID) -> dict[str, Any]:
    """It ends at once."""
    if not tokens.revoke(reader_of(request), token):
        raise missing("token")
    return {"id": str(token)}


def _as_ask(text: str) -> Ask:
    """The checks of a socket's frame, for a question that comes over HTTP; raises `Refusal`."""
    frame = read(text)
    assert isinstance(frame, Ask)
    return frame


def _conversation(row: Conversation) -> dict[str, Any]:
    return {"id": str(row.id), "title": row.title, "memory": row.memory,
            "assistant": row.assistant.slug if row.assistant else None, "updated_at": iso(row.updated_at),
            "created_at": iso(row.created_at)}  # fmt: skip


def _turn(row: Turn) -> dict[str, Any]:
    return {"id": str(row.id), "question": row.question, "answer": row.answer, "state": row.state,
            "asked_at": iso(row.asked_at), "author": str(row.author_id or "assistant"),
            "parent": str(row.parent_id) if row.parent_id else None}  # fmt: skip
