"""REST: the same verbs as the pages, over JSON; a session needs its CSRF token."""

import uuid
from typing import Any, Literal

from django.http import HttpRequest, JsonResponse
from ninja import NinjaAPI, Router, Schema
from ninja.security import django_auth
from pydantic import ConfigDict

from assistant.conversation.models import Conversation, Feedback, Turn
from memory import correct
from memory.mask import masker
from memory.models import Memory, Recalled
from memory.terms import Status
from profiles.access import Reader, scoped
from profiles.learn import profile_of

api = NinjaAPI(title="Kith", version="1", auth=django_auth, docs_url="/docs", openapi_url="/openapi.json")
v1 = Router()


class Problem(Exception):
    """Answered as `{"code", "detail"}`."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


@api.exception_handler(Problem)
def _problem(request: HttpRequest, problem: Problem) -> JsonResponse:
    return JsonResponse({"code": problem.code, "detail": problem.detail}, status=problem.status)


class Strict(Schema):
    """Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Undo(Strict):
    """The change to take back."""

    change: uuid.UUID


class Vote(Strict):
    """A member's judgement of one answer."""

    rating: Literal["up", "down"]
    reason: str = ""
    comment: str = ""


def _reader(request: HttpRequest) -> Reader:
    reader: Reader | None = request.reader  # type: ignore[attr-defined]
    if reader is None:
        raise Problem(403, "forbidden", "not a member of a community")
    return reader


@v1.get("/communities")
def communities(request: HttpRequest) -> dict[str, Any]:
    """The communities of the person."""
    items = [{"slug": reader.slug, "role": reader.role} for reader in request.readers]  # type: ignore[attr-defined]
    return {"items": items, "count": len(items)}


@v1.get("/conversations")
def conversations(request: HttpRequest) -> dict[str, Any]:
    """The reader's own conversations, newest first."""
    reader = _reader(request)
    with scoped(reader):
        rows = Conversation.objects.filter(owner_id=reader.member).order_by("-updated_at")
        items = [{"id": str(row.id), "title": row.title, "updated_at": row.updated_at.isoformat()} for row in rows]
    return {"items": items, "count": len(items)}


@v1.get("/conversations/{conversation}/turns")
def turns(request: HttpRequest, conversation: uuid.UUID) -> dict[str, Any]:
    """All turns of one conversation, oldest first."""
    reader = _reader(request)
    with scoped(reader):
        if not Conversation.objects.filter(id=conversation, owner_id=reader.member).exists():
            raise Problem(404, "not_found", "no such conversation")
        items = [_turn(row) for row in Turn.objects.filter(conversation_id=conversation)]
    return {"items": items, "count": len(items)}


@v1.get("/turns/{turn}/context")
def context(request: HttpRequest, turn: uuid.UUID) -> dict[str, Any]:
    """The regions of one turn, and what was found for it with its score parts."""
    reader = _reader(request)
    with scoped(reader):
        row = Turn.objects.filter(id=turn, owner_id=reader.member).first()
        if row is None:
            raise Problem(404, "not_found", "no such turn")
        found = Recalled.objects.filter(turn=turn)
        gone = Memory.objects.filter(status=Status.FORGOTTEN).values("id")
        memories = [
            {"id": str(hit.target), "what": hit.what, "score": hit.score, "parts": hit.parts, "marker": hit.marker,
             "cited": hit.cited}
            for hit in found.exclude(target__in=gone)
        ]  # fmt: skip
        masked = masker(reader)
        regions = [{**region, "text": masked(region["text"])} for region in row.regions]
    return {"turn": str(turn), "regions": regions, "memories": memories}


@v1.post("/turns/{turn}/feedback")
def feedback(request: HttpRequest, turn: uuid.UUID, vote: Vote) -> dict[str, Any]:
    """Vote on an answer; the last vote counts."""
    reader = _reader(request)
    with scoped(reader):
        if not Turn.objects.filter(id=turn, owner_id=reader.member).exists():
            raise Problem(404, "not_found", "no such turn")
        Feedback.objects.update_or_create(
            turn_id=turn, defaults={"owner_id": reader.member, "community_id": reader.community, **vote.dict()}
        )
    return {"turn": str(turn), "rating": vote.rating}


@v1.get("/memories")
def memories(request: HttpRequest, q: str = "", kind: str = "", status: str = "active") -> dict[str, Any]:
    """The reader's own memories, newest first."""
    reader = _reader(request)
    with scoped(reader):
        rows = Memory.objects.readable_by(reader).filter(owner_id=reader.member, status=status)
        rows = rows.filter(text__icontains=q) if q else rows
        rows = rows.filter(kind=kind) if kind else rows
        items = [_memory(row) for row in rows.order_by("-created_at").prefetch_related("sources")]
    return {"items": items, "count": len(items)}


@v1.delete("/memories/{memory}")
def forget(request: HttpRequest, memory: uuid.UUID, reason: str = "") -> dict[str, Any]:
    """Forget one memory."""
    reader = _reader(request)
    with scoped(reader):
        change = correct.forget(reader, memory, reason=reason)
        if change is None:
            raise Problem(404, "not_found", "no such memory")
    return {"id": str(memory), "change": str(change.id), "version": change.memory.version}


@v1.post("/undo")
def undo(request: HttpRequest, asked: Undo) -> dict[str, Any]:
    """Take one change back."""
    reader = _reader(request)
    with scoped(reader):
        try:
            change = correct.undo(reader, asked.change)
        except correct.Stale as stale:
            raise Problem(409, "conflict", stale.current.text) from stale
        if change is None:
            raise Problem(404, "not_found", "no such change")
    return {"change": str(change.id), "id": str(change.memory.id), "status": change.memory.status}


@v1.get("/profile")
def profile(request: HttpRequest) -> dict[str, Any]:
    """The reader's profile here; `member` is the id that staff pages use."""
    reader = _reader(request)
    with scoped(reader):
        row = profile_of(reader)
        fields = ("name", "interests", "expertise", "language", "preferences", "last_topics", "interaction_count",
                  "version")  # fmt: skip
        seen = {"first_seen": _iso(row.first_seen), "last_seen": _iso(row.last_seen)}
        return {"member": str(reader.member), **{name: getattr(row, name) for name in fields}, **seen,
                "memory": reader.memory_on is not False}  # fmt: skip


def _turn(row: Turn) -> dict[str, Any]:
    return {"id": str(row.id), "question": row.question, "answer": row.answer, "state": row.state,
            "asked_at": row.asked_at.isoformat(), "author": "assistant",
            "parent": str(row.parent_id) if row.parent_id else None}  # fmt: skip


def _memory(row: Memory) -> dict[str, Any]:
    plain = (
        "text",
        "kind",
        "category",
        "status",
        "scope",
        "origin",
        "version",
        "subject",
        "attribute",
        "value",
        "pinned",
    )
    return {"id": str(row.id), **{name: getattr(row, name) for name in plain}, "valid_from": _iso(row.valid_from),
            "valid_to": _iso(row.valid_to), "created_at": _iso(row.created_at),
            "sources": [{"turn": str(source.turn), "quote": source.quote} for source in row.sources.all()]}  # fmt: skip


def _iso(moment: Any) -> str | None:
    return moment.isoformat() if moment else None


api.add_router("/v1", v1)
