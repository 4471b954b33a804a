"""The API keeps to its own document: every operation is called with what the document allows, and with what it doesn't."""

import uuid
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.db.models import TextChoices
from schemathesis.core.parameters import ParameterLocation
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import ignored_auth

from assistant.api import api
from assistant.conversation import tokens
from profiles.models import ErasureRequest, User
from profiles.rest import Reply, Strict
from tests.caller import Caller
from tests.people import World, make_world
from tests.test_roles import things

DOCUMENT = api.get_openapi_schema()
SHAPES = DOCUMENT["components"]["schemas"]
PASSWORD = "cups-and-kilns-17"
TWICE = "t" * 32
"""What says by cookie and by header that a call is meant."""


def examples() -> Iterator[tuple[str, Any]]:
    for name, shape in SHAPES.items():
        for example in shape.get("examples", ()):
            yield name, example


@pytest.mark.parametrize(("name", "example"), list(examples()))
def test_each_example_is_of_its_shape(name: str, example: Any) -> None:
    whole = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    assert [error.message for error in validator.iter_errors(example)] == []


def test_every_body_and_every_answer_shows_an_example() -> None:
    without = []
    for path, verbs in DOCUMENT["paths"].items():
        for verb, operation in verbs.items():
            answers = operation["responses"][200].get("content", {})
            for media in (operation.get("requestBody", {}).get("content", {}), answers):
                if shape := media.get("application/json", {}).get("schema"):
                    without += [f"{verb} {path} {name}" for name in named(shape) if "examples" not in SHAPES[name]]
    assert without == []


def test_no_two_shapes_have_one_name() -> None:
    """Of two the document would hold one, under the other's name."""
    shapes = [*below(Strict), *below(Reply), *below(TextChoices)]
    names = Counter(one.__name__ for one in shapes if one.__module__.startswith(("assistant.", "memory.", "profiles.")))
    assert [name for name, times in names.items() if times > 1 and name in SHAPES] == []


def below(base: type) -> Iterator[type]:
    for one in base.__subclasses__():
        yield one
        yield from below(one)


def named(shape: dict[str, Any]) -> Iterator[str]:
    """The shapes that a body or an answer can have; of a list, those of its items."""
    for one in (shape, *shape.get("anyOf", ())):
        if reference := one.get("$ref"):
            name = reference.rpartition("/")[2]
            items = SHAPES[name]["properties"].get("items", {}).get("items")
            yield from named(items) if items else (name,)



def operations(*, coverage: bool) -> BaseSchema:
    """Read by the same door as the calls; few examples, always the same; `coverage`: each limit of each field too."""
    config = schemathesis.Config.from_dict({
        "generation": {"max-examples": 5, "deterministic": True, "no-shrink": True, "allow-x00": False},
        "phases": {"coverage": {"enabled": coverage}},
    })  # fmt: skip
    return schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application(), config=config)


@cache
def fresh(operation: str) -> tuple[World, dict[str, str]]:
    """People made for this operation, who may lose everything by it, and the ids of what is Alice's."""
    world = make_world(uuid.uuid4().hex[:12])
    person = User.objects.using("owner").get(id=world.alice.person)
    person.set_password(PASSWORD)
    person.save()
    return world, things(world.alice)


@cache
def by_session(operation: str) -> dict[str, Any]:
    """Alice's session, with what says that a call is meant. A session that is made up would be overwritten by it, so
    that the check of those is made by token alone."""
    cookies = {name: cookie.value for name, cookie in Caller(fresh(operation)[0].alice).client.cookies.items()}
    return {"cookies": cookies | {"csrftoken": TWICE}, "headers": {"X-CSRFToken": TWICE},
            "excluded_checks": [ignored_auth]}  # fmt: skip


@cache
def by_token(operation: str) -> dict[str, Any]:
    """A token of the moderator's."""
    return {"headers": {"Authorization": f"Bearer {tokens.make(fresh(operation)[0].mei, 'script', 1)[1]}"}}


@operations(coverage=True).parametrize()
def test_an_operation_keeps_to_the_document_for_a_member(case: schemathesis.Case) -> None:
    kept(case, by_session(case.operation.label))


@operations(coverage=False).parametrize()
def test_an_operation_keeps_to_the_document_for_a_program_of_staff(case: schemathesis.Case) -> None:
    kept(case, by_token(case.operation.label))


def kept(case: schemathesis.Case, whose: dict[str, Any]) -> None:
    """First for ids that are nobody's, then for Alice's; what no document can say is put right before."""
    theirs = fresh(case.operation.label)[1]
    if allowed(case, ParameterLocation.QUERY) and "member" in (case.query or {}):
        case.query["reason"] = "why"
    if allowed(case, ParameterLocation.BODY) and case.operation.path.endswith("/confirm"):
        phrase = ErasureRequest.objects.using("owner").get(id=theirs["wanted"]).phrase
        case.body = {"password": PASSWORD, "phrase": phrase}
    case.call_and_validate(**whose)
    if allowed(case, ParameterLocation.PATH):
        case.path_parameters.update({name: theirs[name] for name in case.path_parameters})
        case.call_and_validate(**whose)


def allowed(case: schemathesis.Case, where: ParameterLocation) -> bool:
    """Whether this part of the call is as the document allows."""
    part = case.meta.components.get(where)
    return part is None or part.mode == schemathesis.GenerationMode.POSITIVE
