"""REST: the profile of a member here, and the switch of their memory."""

from typing import Annotated, Any, Literal, Self

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field, model_validator

from memory import shapes
from memory.correct import Refused, check
from memory.opening import Opened, opened
from memory.replies import ProfileSeen
from profiles import learn
from profiles.models import Membership, Profile
from profiles.rest import Problem, Strict, Whose, example

router = Router(tags=["profile"])
FIELDS = ("name", "interests", "expertise", "language", "preferences", "last_topics")
_READ = {"anyOf": [
    {"required": ["version"], "properties": {"version": {"type": "integer"}}},
    {"properties": dict.fromkeys(FIELDS, False)},
]}  # fmt: skip
"""What the document says: fields need the version that was read."""
Item = Annotated[str, Field(min_length=1, max_length=80)]


class ProfileEdit(Strict):
    """Fields to set, with the `version` that was read; the switch alone needs none."""

    model_config = example(_READ, version=4, name="Ally", interests=["ceramics"], memory=True)

    version: int | None = None
    name: Annotated[str, Field(max_length=120)] | None = None
    interests: Annotated[list[Item], Field(max_length=learn.LISTED)] | None = None
    expertise: Literal["", "beginner", "intermediate", "expert"] | None = None
    language: Annotated[str, Field(max_length=8)] | None = None
    preferences: Annotated[dict[Item, Annotated[str, Field(max_length=400)]], Field(max_length=40)] | None = None
    last_topics: Annotated[list[Item], Field(max_length=learn.LISTED)] | None = None
    memory: bool | None = None

    @model_validator(mode="after")
    def _read(self) -> Self:
        if self.version is None and self.model_fields_set.intersection(FIELDS):
            raise ValueError("the version that was read is needed")
        return self


@router.get("/profile", response=ProfileSeen)
def profile(request: HttpRequest, whose: Query[Whose]) -> dict[str, Any]:
    """The profile; `member` is the id that staff pages and `?member=` use."""
    with opened(request, whose, writes=False) as here:
        return _shown(here, learn.profile_of(here.reader, here.member))


@router.patch("/profile", response=ProfileSeen)
def edit(request: HttpRequest, whose: Query[Whose], new: ProfileEdit) -> dict[str, Any]:
    """Set fields by hand; 409 with the current profile where the version is an older one."""
    with opened(request, whose, writes=True) as here:
        learn.profile_of(here.reader, here.member)
        row = Profile.objects.select_for_update().get(membership_id=here.member)
        given = new.dict(exclude_none=True)
        fields = {name: given[name] for name in FIELDS if name in given}
        if new.version not in (None, row.version):
            raise Problem(409, "conflict", "the profile has a newer version", current=_shown(here, row))
        _write(row, fields)
        if new.memory is not None:
            _switch(here, new.memory)
        return _shown(here, row)


def _write(row: Profile, fields: dict[str, Any]) -> None:
    for value in fields.values():
        words = [*value.items()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
        try:
            check(" ".join(map(str, words)))
        except Refused as refused:
            raise Problem(422, "refused", str(refused)) from refused
    learn.write(row, fields)


def _switch(here: Opened, on: bool) -> None:
    if not here.own:
        raise Problem(403, "forbidden", "a member alone decides about memory")
    Membership.objects.filter(id=here.member).update(memory_on=on)


def _shown(here: Opened, row: Profile) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in (*FIELDS, "interaction_count", "version")}
    on = Membership.objects.filter(id=here.member).values_list("memory_on", flat=True).first()
    seen = {"first_seen": shapes.iso(row.first_seen), "last_seen": shapes.iso(row.last_seen)}
    return {"member": str(here.member), **fields, **seen, "memory": on is not False}
