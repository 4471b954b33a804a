"""What the REST routers share: who asks, problems as `{"code", "detail"}`, and shapes that refuse unknown fields."""

import uuid
from typing import Annotated, Any, Generic, TypeVar

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field, WithJsonSchema, field_validator

from profiles.access import Reader

Id = Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
"""As they are answered: written already."""
Item = TypeVar("Item")


class Problem(Exception):
    """Answered as `{"code", "detail", …more}`."""

    def __init__(self, status: int, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.more = status, code, detail, more


class Strict(Schema):
    """Unknown fields are refused, and so are characters that can't be stored."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="after")
    @classmethod
    def _storable(cls, value: Any) -> Any:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and ("\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text)):
                raise ValueError("the text holds characters that can't be stored")
        return value


def example(more: dict[str, Any] | None = None, /, **fields: Any) -> ConfigDict:
    """The settings of a shape that shows itself in the document of the API; `more`: what else its schema says."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]} | (more or {}))


def either(one: str, other: str) -> dict[str, Any]:
    """What the document says of a shape that must hold one of two fields and not both."""
    empty = {"type": "null"}
    return {"oneOf": [
        {"required": [given], "properties": {given: {"not": empty}, left: empty}}
        for given, left in ((one, other), (other, one))
    ]}  # fmt: skip


class Reply(Schema):
    """What an operation answers: exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class Items(Reply, Generic[Item]):
    """A list, or one page of it; `count` is of the whole."""

    items: list[Item]
    count: int


class Whose(Schema):
    """Staff name the member whose data they open, and why; both are in the audit."""

    member: uuid.UUID | None = None
    reason: str = Field("", max_length=200)


def missing(what: str) -> Problem:
    """404: it is not there, or it is somebody else's."""
    return Problem(404, "not_found", f"no such {what}")


def person_of(request: HttpRequest) -> uuid.UUID:
    """The account that asks, by session or by token."""
    by_token: Reader | None = getattr(request, "by_token", None)
    return by_token.person if by_token else uuid.UUID(str(request.user.pk))


def readers_of(request: HttpRequest) -> list[Reader]:
    """One for each community of the person; a token has one only."""
    by_token: Reader | None = getattr(request, "by_token", None)
    return [by_token] if by_token else list(request.readers)  # type: ignore[attr-defined]


def reader_of(request: HttpRequest) -> Reader:
    """Who asks, in the community that is meant; raises `Problem`."""
    by_token: Reader | None = getattr(request, "by_token", None)
    reader: Reader | None = by_token or request.reader  # type: ignore[attr-defined]
    if reader is None:
        raise Problem(403, "forbidden", "not a member of a community")
    asked = request.GET.get("community")
    if asked and asked != reader.slug:
        raise missing("community")
    return reader


def by_slug(request: HttpRequest, slug: str) -> Reader:
    """The person's reader in that community; 404 where there is none."""
    found = next((reader for reader in readers_of(request) if reader.slug == slug), None)
    if found is None:
        raise missing("community")
    return found
