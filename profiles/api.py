"""REST: the communities of a person."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from profiles import joining
from profiles.access import reader_for
from profiles.models import Role
from profiles.rest import Items, Problem, Reply, Strict, by_slug, example, missing, person_of, readers_of

router = Router(tags=["communities"])
Short = Annotated[str, Field(max_length=64)]


class Door(Strict):
    """The code of an invitation, or the short name of a community that is open."""

    model_config = example(code="7pXq2Lr9aBcD")

    code: Short = ""
    community: Short = ""


class Joined(Reply):
    """A community of the person's, and their role there."""

    model_config = example(slug="toolmakers", role="member")

    slug: str
    role: Role


class LeftPlace(Reply):
    """The community that was left."""

    model_config = example(slug="toolmakers")

    slug: str


@router.get("/communities", response=Items[Joined])
def communities(request: HttpRequest) -> dict[str, Any]:
    """The communities of the person; by token the one that it belongs to."""
    items = [{"slug": reader.slug, "role": reader.role} for reader in readers_of(request)]
    return {"items": items, "count": len(items)}


@router.post("/communities/join", response=Joined)
def join(request: HttpRequest, door: Door) -> dict[str, Any]:
    """Become a member; 404 where the code lets nobody in."""
    if getattr(request, "by_token", None) is not None:
        raise Problem(403, "forbidden", "a token belongs to one community")
    person = person_of(request)
    place = joining.join(person, code=door.code, community=door.community)
    reader = reader_for(person, place.slug) if place else None
    if reader is None:
        raise missing("invitation")
    return {"slug": reader.slug, "role": reader.role}


@router.post("/communities/{slug}/leave", response=LeftPlace)
def leave(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Leave it; what was remembered there about the member is deleted with the membership."""
    joining.leave(by_slug(request, slug))
    return {"slug": slug}
