"""REST: the blocks of a member, and the persona of each assistant, which the caller resolves."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from memory import blocks, policy, remember, replies, shapes
from memory.mask import masker
from memory.models import Block
from memory.opening import Opened, opened
from memory.terms import Label
from profiles.access import EDITORS, Reader
from profiles.rest import Items, Problem, Strict, Whose, example, missing


class Named(Protocol):
    """Finds the assistant of a slug (none: the default one) that the reader may talk to."""

    def __call__(self, reader: Reader, slug: str | None) -> UUID | None: ...


class Which(Whose):
    """`assistant`: whose persona; by default that of the community's first one."""

    assistant: str | None = None


class Text(Strict):
    """The whole text, with the `version` that was read (0: nothing was written yet)."""

    model_config = example(text="Prefers short answers.", version=0)

    text: str
    version: int


def routes(named: Named) -> Router:
    """The routes, given how an assistant is found."""
    router = Router(tags=["blocks"])

    @router.get("/blocks", response=Items[replies.Block])
    def listed(request: HttpRequest, which: Query[Which]) -> dict[str, Any]:
        """The member's `human` block, and an assistant's `persona`."""
        with opened(request, which, writes=False) as here:
            items = [_human(here)]
            if (assistant := named(here.reader, which.assistant)) is not None:
                items.append(_persona(here, assistant))
            return {"items": items, "count": len(items)}

    @router.get("/blocks/{label}/versions", response=Items[replies.BlockVersion])
    def versions(request: HttpRequest, label: Label, which: Query[Which]) -> dict[str, Any]:
        """Everything that a block has said, newest first."""
        with opened(request, which, writes=False) as here:
            row = _row(here, label, named, which.assistant)
            rows = list(row.versions.order_by("-number")) if row else []
            masked = _masked(here)
            items = [{"number": one.number, "text": masked(one.text), "actor": one.actor, "reason": one.reason,
                      "at": shapes.iso(one.at)} for one in rows]  # fmt: skip
            return {"items": items, "count": len(items)}

    @router.put("/blocks/{label}", response=replies.Block)
    def put(request: HttpRequest, label: Label, which: Query[Which], new: Text) -> dict[str, Any]:
        """Write a block as a whole; 409 with the current text where the version is an older one."""
        with opened(request, which, writes=True) as here:
            try:
                block = _locked(here, label, named, which.assistant)
                actor = remember.ACTOR if here.own and label == Label.HUMAN else "moderator"
                blocks.write(here.reader, block, new.text, actor=actor, version=new.version, reason=which.reason)
            except blocks.Refused as refused:
                raise Problem(422, "refused", str(refused)) from refused
            except blocks.Stale as stale:
                raise Problem(409, "conflict", str(stale), current=_seen(here, stale.current)) from stale
            return _seen(here, block)

    return router


def _locked(here: Opened, label: Label, named: Named, slug: str | None) -> Block:
    if label == Label.HUMAN:
        if not here.own and here.reader.role not in EDITORS:
            raise Problem(403, "forbidden", "for moderators and admins only")
        return blocks.human_of(here.reader, here.member)
    if here.reader.role not in EDITORS:
        raise Problem(403, "forbidden", "only moderators and admins write what an assistant is")
    assistant = named(here.reader, slug)
    if assistant is None:
        raise missing("assistant")
    return blocks.persona_of(here.reader, assistant)


def _row(here: Opened, label: Label, named: Named, slug: str | None) -> Block | None:
    rows = Block.objects.filter(community_id=here.reader.community, label=label)
    if label == Label.HUMAN:
        return rows.filter(owner_id=here.member).first()
    assistant = named(here.reader, slug)
    return rows.filter(assistant=assistant).first() if assistant else None


def _human(here: Opened) -> dict[str, Any]:
    return _seen(here, Block.objects.filter(owner_id=here.member).first() or Block(label=Label.HUMAN))


def _seen(here: Opened, row: Block) -> dict[str, Any]:
    return _shown(row) | {"text": _masked(here)(row.text)}


def _masked(here: Opened) -> Callable[[str], str]:
    """By what the member has forgotten, whoever looks."""
    return masker(replace(here.reader, member=here.member))


def _persona(here: Opened, assistant: UUID) -> dict[str, Any]:
    row = Block.objects.filter(assistant=assistant, community_id=here.reader.community).first()
    return _shown(row or Block(label=Label.PERSONA, assistant=assistant))


def _shown(row: Block) -> dict[str, Any]:
    shown = {"label": str(row.label), "text": row.text, "version": row.version, "limit": policy.BLOCK_LIMIT}
    return shown | {"updated_at": shapes.iso(row.updated_at) if row.version else None}
