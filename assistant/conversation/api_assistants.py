"""REST: a community's assistants: who may be talked to, and what each of them reads and writes."""

import uuid
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import Field, WithJsonSchema, field_validator

from assistant.conversation import assistants, replies
from assistant.conversation.frames import Refusal
from assistant.conversation.models import Assistant, everything
from memory import audit
from profiles.access import EDITORS, Reader, scoped
from profiles.models import Space
from profiles.rest import Items, Problem, Strict, example, missing, reader_of

router = Router(tags=["assistants"])
Pair = Annotated[str, WithJsonSchema({"enum": everything()})]
Pairs = Annotated[list[Pair], Field(max_length=9)]


class Duties(Strict):
    """What may be set; `reads` and `writes` hold `scope:kind`, none: nothing; `spaces` are slugs, none: everywhere."""

    model_config = example(name="Help", reads=["personal:semantic"], active=True)

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"\S")] | None = None
    about: Annotated[str, Field(max_length=200)] | None = None
    model: Annotated[str, Field(max_length=80)] | None = None
    reads: Pairs | None = None
    writes: Pairs | None = None
    spaces: Annotated[list[str], Field(max_length=50)] | None = None
    active: bool | None = None
    is_default: bool | None = None

    @field_validator("reads", "writes")
    @classmethod
    def _known(cls, pairs: list[str] | None) -> list[str] | None:
        if pairs is not None and not set(pairs) <= set(everything()):
            raise ValueError(f"one of {', '.join(everything())}")
        return pairs


class Hired(Duties):
    """A new one."""

    model_config = example(slug="kiln", name="Kiln", about="Knows the kiln.")

    slug: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"\S")]


def named(reader: Reader, slug: str | None) -> uuid.UUID | None:
    """The assistant of a slug, or the default one; inside the reader's unit of work."""
    try:
        row = assistants.chosen(reader, slug)
    except Refusal as refusal:
        raise missing("assistant") from refusal
    return row.id if row else None


@router.get("/assistants", response=Items[replies.Assistant])
def listed(request: HttpRequest) -> dict[str, Any]:
    """Those that the reader can talk to, the default one first."""
    reader = reader_of(request)
    with scoped(reader):
        items = [_shown(row) for row in assistants.offered(reader)]
    return {"items": items, "count": len(items)}


@router.post("/assistants", response=replies.Assistant)
def hire(request: HttpRequest, new: Hired) -> dict[str, Any]:
    """A new assistant; moderators and admins."""
    reader = _editor(request)
    with scoped(reader):
        if Assistant.objects.filter(community_id=reader.community, slug=new.slug).exists():
            raise Problem(409, "conflict", "there is an assistant with this slug")
        return _set(reader, Assistant(community_id=reader.community, slug=new.slug), new)


@router.patch("/assistants/{slug}", response=replies.Assistant)
def change(request: HttpRequest, slug: str, new: Duties) -> dict[str, Any]:
    """What it is, reads and writes from its next turn on."""
    reader = _editor(request)
    with scoped(reader):
        row = Assistant.objects.select_for_update().filter(community_id=reader.community, slug=slug).first()
        if row is None:
            raise missing("assistant")
        return _set(reader, row, new)


def _editor(request: HttpRequest) -> Reader:
    reader = reader_of(request)
    if reader.role not in EDITORS:
        raise Problem(403, "forbidden", "for moderators and admins only")
    return reader


def _set(reader: Reader, row: Assistant, new: Duties) -> dict[str, Any]:
    given = new.dict(exclude_none=True, exclude={"spaces", "slug"})
    if given.get("is_default"):
        others = Assistant.objects.filter(community_id=reader.community, is_default=True).exclude(id=row.id)
        others.update(is_default=False)
    for name, value in given.items():
        setattr(row, name, value)
    row.save()
    if new.spaces is not None:
        spaces = list(Space.objects.filter(community_id=reader.community, slug__in=new.spaces))
        if len(spaces) != len(set(new.spaces)):
            raise Problem(422, "bad_request", "no such space")
        row.spaces.set(spaces)
    audit.write(reader, "assistant", row.id, None, fields=sorted(new.dict(exclude_none=True)))
    return _shown(row)


def _shown(row: Assistant) -> dict[str, Any]:
    fields = ("slug", "name", "about", "model", "reads", "writes", "active", "is_default")
    spaces = sorted(row.spaces.values_list("slug", flat=True))
    return {"id": str(row.id), **{name: getattr(row, name) for name in fields}, "spaces": spaces}
