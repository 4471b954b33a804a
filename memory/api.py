"""REST: memories. Each verb is the one that the pages call; staff add `?member=` and `&reason=`."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from memory import correct, forget_many, sealed, shapes
from memory import impact as reached
from memory.ledger import Change
from memory.models import Memory
from memory.opening import Opened, opened
from memory.replies import Changed, Forgot, Forgotten, Meant, Reached, Rolled, Seen, Told, Undone
from memory.rollback import Writes, rollback
from memory.shapes import PAGE, Back, Edit, Instead, Listed, Much, New, Together, Undo, Why
from memory.terms import Kind, Scope, Status
from profiles.models import Space
from profiles.rest import Items, Problem, Whose, missing

router = Router(tags=["memories"])
Asks = Query[Whose]


@router.get("/memories", response=Items[Seen])
def memories(
    request: HttpRequest, whose: Asks, q: str = "", kind: Kind | None = None, status: Listed = "active",
    scope: Scope | None = None, page: Annotated[int, Field(ge=1, le=10_000)] = 1,
) -> dict[str, Any]:  # fmt: skip
    """The member's own memories and those that the community shares, newest first; `count` is of all pages."""
    with opened(request, whose, writes=False) as here:
        rows = _readable(here)
        rows = rows if status == "all" else rows.filter(status=status)
        for words in q.split():
            rows = rows.exclude(status=Status.FORGOTTEN).filter(text__icontains=words)
        rows = rows.filter(kind=kind) if kind else rows
        rows = rows.filter(scope=scope) if scope else rows
        count = rows.count()
        chosen = rows.order_by("-created_at", "id").prefetch_related("sources")[(page - 1) * PAGE : page * PAGE]
        return {"items": [shapes.memory(row) for row in sealed.shown(chosen)], "count": count}


@router.post("/memories", response=Changed)
def add(request: HttpRequest, whose: Asks, new: New) -> dict[str, Any]:
    """Write a memory by hand; for the community or a space: moderators and admins."""
    with _writing(request, whose) as here:
        given = new.dict(exclude_none=True, exclude={"text", "scope", "space"})
        space = _space(here, new) if new.scope == Scope.SPACE else None
        return shapes.changed(
            correct.state(here.reader, new.text, owner=here.member, scope=new.scope, space=space, **given)
        )


@router.post("/memories/forget", response=Meant | Forgot)
def forget_much(request: HttpRequest, whose: Asks, asked: Much) -> dict[str, Any]:
    """Everything from a turn or a day as one change, which one undo takes back."""
    with _writing(request, whose) as here:
        which = asked.which(here.reader.time_zone)
        if asked.dry_run:
            return shapes.meant(forget_many.meant(here.member, which))
        done = forget_many.forget(here.reader, here.member, which, reason="" if here.own else whose.reason)
        return asdict(done) | {"change": str(done.change)}


@router.post("/memories/merge", response=Changed)
def merge(request: HttpRequest, whose: Asks, together: Together) -> dict[str, Any]:
    """Several of one holder become one."""
    with _writing(request, whose) as here:
        found = [_one(here, memory) for memory in sorted(set(together.ids))]
        found.sort(key=lambda row: together.ids.index(row.id))
        return shapes.changed(correct.merge(here.reader, found, together.text))


@router.get("/memories/{memory}", response=Seen)
def one(request: HttpRequest, memory: uuid.UUID, whose: Asks) -> dict[str, Any]:
    """One memory."""
    with opened(request, whose, writes=False) as here:
        return shapes.memory(_seen(here, memory))


@router.patch("/memories/{memory}", response=Changed)
def revise(request: HttpRequest, memory: uuid.UUID, whose: Asks, edit: Edit) -> dict[str, Any]:
    """Set fields; 409 with the current text where the version is an older one."""
    with _writing(request, whose) as here:
        row = _one(here, memory, edit.version)
        fields = edit.dict(exclude_unset=True, exclude={"version", "scope"})
        dates = ("valid_from", "valid_to")
        if any(value is None and name not in dates for name, value in fields.items()):
            raise Problem(422, "bad_request", "only dates can be emptied")
        if edit.scope not in (None, row.scope):
            raise Problem(422, "bad_request", "who may read a memory is not changed; write a new one")
        if not fields:
            raise Problem(422, "bad_request", "nothing to change")
        for name in dates:
            if (moment := fields.get(name)) is not None and moment.tzinfo is None:
                fields[name] = moment.replace(tzinfo=ZoneInfo(here.reader.time_zone))
        return shapes.changed(correct.revise(here.reader, row, fields, reason=whose.reason))


@router.delete("/memories/{memory}", response=Forgotten)
def forget(request: HttpRequest, memory: uuid.UUID, whose: Asks, version: int | None = None) -> dict[str, Any]:
    """Forget one memory; `?reason=` is kept with the change."""
    with _writing(request, whose) as here:
        done = correct.forget(here.reader, memory, reason=whose.reason, owner=here.member, version=version)
        if done is None:
            raise missing("memory")
        return {"id": str(memory), "change": str(done.id), "version": done.memory.version}


@router.get("/memories/{memory}/versions", response=Items[Told])
def versions(request: HttpRequest, memory: uuid.UUID, whose: Asks) -> dict[str, Any]:
    """What it said and how it stood, oldest first."""
    with opened(request, whose, writes=False) as here:
        items = [shapes.version(row) for row in _seen(here, memory).versions.all()]
        return {"items": items, "count": len(items)}


@router.get("/memories/{memory}/impact", response=Reached)
def impact(request: HttpRequest, memory: uuid.UUID, whose: Asks) -> dict[str, Any]:
    """The answers that had it in their context, and the memories that came of it; ids and dates, no conversations."""
    with opened(request, whose, writes=False) as here:
        row = _seen(here, memory)
        used = reached.answers(here.member, [row])
        answers = [{"turn": str(hit.turn), "cited": hit.cited, "score": hit.score} for hit in used]
        came = reached.derived(_readable(here), [row]).prefetch_related("sources")
        derived = [shapes.memory(each) for each in sealed.shown(came)]
        return {"answers": answers, "derived": derived}


@router.post("/memories/{memory}/flag", response=Changed)
def flag(request: HttpRequest, memory: uuid.UUID, whose: Asks, why: Why) -> dict[str, Any]:
    """Doubt it: it leaves recall until it is settled."""
    return _settle(request, memory, whose, why, correct.flag)


@router.post("/memories/{memory}/approve", response=Changed)
def approve(request: HttpRequest, memory: uuid.UUID, whose: Asks, why: Why | None = None) -> dict[str, Any]:
    """What was doubted is right."""
    return _settle(request, memory, whose, why, correct.approve)


@router.post("/memories/{memory}/reject", response=Changed)
def reject(request: HttpRequest, memory: uuid.UUID, whose: Asks, why: Why) -> dict[str, Any]:
    """What was doubted is wrong."""
    return _settle(request, memory, whose, why, correct.reject)


@router.post("/memories/{memory}/supersede", response=Changed)
def supersede(request: HttpRequest, memory: uuid.UUID, whose: Asks, instead: Instead) -> dict[str, Any]:
    """Another sentence takes its place; answers with the new memory."""
    with _writing(request, whose) as here:
        row = _one(here, memory, instead.version)
        return shapes.changed(correct.supersede(here.reader, row, instead.text))


@router.post("/memories/{memory}/restore", response=Changed)
def restore(request: HttpRequest, memory: uuid.UUID, whose: Asks, back: Back) -> dict[str, Any]:
    """Back to one of its versions, also out of forgetting."""
    with _writing(request, whose) as here:
        row = _one(here, memory, forgotten=True)
        done = correct.restore(here.reader, row, back.version, reason=back.reason or whose.reason)
        if done is None:
            raise missing("version")
        return shapes.changed(done)


@router.post("/undo", response=Changed | Rolled | Undone)
def undo(request: HttpRequest, whose: Asks, asked: Undo) -> dict[str, Any]:
    """Take one change back, or all that one turn wrote."""
    with _writing(request, whose) as here:
        if asked.turn is not None:
            rolled = rollback(here.reader, Writes(turn=asked.turn), owner=here.member)
            if not rolled:
                raise missing("turn")
            return shapes.rolled(rolled)
        assert asked.change is not None
        done = correct.undo(here.reader, asked.change, owner=here.member)
        if done is None and forget_many.undo(here.reader, here.member, asked.change):
            return {"change": str(asked.change)}  # of exchanges alone
        if done is None:
            raise missing("change")
        return shapes.changed(done)


@contextmanager
def _writing(request: HttpRequest, whose: Whose) -> Iterator[Opened]:
    """A unit of work that writes; what the door refuses becomes a problem."""
    try:
        with opened(request, whose, writes=True) as here:
            yield here
    except correct.Stale as stale:
        now = stale.current
        if now.status == Status.FORGOTTEN:
            raise missing("memory") from stale
        current = {"id": str(now.id), "text": now.text, "version": now.version, "status": now.status}
        raise Problem(409, "conflict", now.text, current=current) from stale
    except correct.Denied as denied:
        raise Problem(403, "forbidden", "what is shared is changed by moderators and admins") from denied
    except correct.Unfit as unfit:
        raise Problem(409, "conflict", str(unfit)) from unfit
    except correct.Refused as refused:
        raise Problem(422, "refused", str(refused)) from refused


def _settle(
    request: HttpRequest, memory: uuid.UUID, whose: Whose, why: Why | None, verb: Callable[..., Change]
) -> dict[str, Any]:
    why = why or Why()
    with _writing(request, whose) as here:
        row = _one(here, memory, why.version)
        return shapes.changed(verb(here.reader, row, reason=why.reason or whose.reason))


def _one(here: Opened, memory: uuid.UUID, version: int | None = None, *, forgotten: bool = False) -> Memory:
    found = correct.own(here.reader, memory, owner=here.member, version=version, forgotten=forgotten)
    if found is None:
        raise missing("memory")
    return found


def _readable(here: Opened) -> QuerySet[Memory]:
    """The member's own and, for the member alone, what is shared: staff see that without opening anybody."""
    rows = Memory.objects.filter(community_id=here.reader.community)
    own = Q(scope=Scope.PERSONAL, owner_id=here.member)
    return Memory.objects.readable_by(here.reader) if here.own else rows.filter(own)


def _seen(here: Opened, memory: uuid.UUID) -> Memory:
    found = _readable(here).filter(id=memory).exclude(status=Status.FORGOTTEN).prefetch_related("sources").first()
    if found is None:
        raise missing("memory")
    return sealed.shown([found])[0]


def _space(here: Opened, new: New) -> uuid.UUID:
    found = Space.objects.filter(community_id=here.reader.community, slug=new.space or "").first()
    if found is None or found.id not in here.reader.spaces:
        raise missing("space")
    return found.id
