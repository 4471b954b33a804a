"""Every page and every REST operation, for every role: a route that is not in these tables fails the test."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone

from assistant.api import api
from assistant.conversation import tokens
from assistant.conversation.models import Conversation, State, Turn
from assistant.erasing import requests
from assistant.exporting import asking as exports
from memory import bringing, ledger
from memory.models import Version
from memory.terms import Origin
from profiles.access import Reader, operator_in, scoped
from profiles.models import Role, User
from tests.caller import Caller, colleague
from tests.people import World, likes, said

ROLES = ("anonymous", "outsider", "stranger", "neighbour", "owner", "moderator", "auditor", "admin")
"""An outsider has no community, a stranger another one; what is asked for is the owner's, whose neighbour is a member too."""
OPEN = "in in in in in in in in"
PERSON = "login in in in in in in in"
HERE = "login welcome in in in in in in"
THEIRS = "login welcome 404 404 in 404 404 404"
TALK = "login 404 404 404 in 404 404 404"
CHANGE = "login welcome 404 404 in 404 403 404"
STAFF = "login welcome 403 403 403 in in in"
EDITORS = "login welcome 403 403 403 in 403 in"
NOWHERE = "404 404 404 404 404 404 404 404"
_MINE = "me/memory/<uuid:memory>/"
_OPENED = "staff/members/<uuid:member>/memories/<uuid:memory>/"
_PASSAGE = "staff/knowledge/passages/<uuid:passage>/"
_IMPORT = "staff/knowledge/imports/<uuid:brought>/"
PAGES = {
    "": {"get": HERE},
    "c/<uuid:conversation>/": {"get": THEIRS},
    "c/<uuid:conversation>/remove/": {"post": TALK},
    "c/<uuid:conversation>/conversation.md": {"get": THEIRS},
    "c/<uuid:conversation>/conversation.json": {"get": THEIRS},
    "c/<uuid:conversation>/branches/<uuid:turn>/": {"get": THEIRS},
    "c/<uuid:conversation>/turns/<uuid:turn>/": {"get": THEIRS},
    "c/<uuid:conversation>/turns/<uuid:turn>/why/": {"get": THEIRS},
    "c/<uuid:conversation>/turns/<uuid:turn>/sources/<uuid:source>/": {"get": "login welcome 404 404 404 404 404 404"},
    "turns/<uuid:turn>/": {"get": THEIRS},
    "me/memory/": {"get": HERE},
    "me/memory/choice/": {"post": HERE},
    "me/memory/notes/": {"post": "login welcome in in in in 403 in"},
    "me/memory/undo/": {"post": CHANGE},
    "me/memory/merge/": {"post": CHANGE},
    "me/memory/forget/": {"get": HERE, "post": CHANGE},
    _MINE: {"get": THEIRS},
    f"{_MINE}card/": {"get": THEIRS},
    f"{_MINE}edit/": {"get": THEIRS, "post": CHANGE},
    f"{_MINE}pin/": {"post": CHANGE},
    f"{_MINE}forget/": {"get": THEIRS, "post": CHANGE},
    f"{_MINE}wrong/": {"post": CHANGE},
    f"{_MINE}settle/": {"post": CHANGE},
    f"{_MINE}restore/": {"post": CHANGE},
    "me/privacy/": {"get": HERE},
    "me/privacy/zone/": {"post": HERE},
    "me/privacy/deletion/": {"post": HERE},
    "me/privacy/deletion/<uuid:wanted>/confirm/": {"post": HERE},
    "me/privacy/deletion/<uuid:wanted>/cancel/": {"post": HERE},
    "me/privacy/export/": {"post": HERE},
    "privacy/key": {"get": OPEN},
    "receipts/<uuid:wanted>/<str:secret>/": {"get": NOWHERE},
    "staff/requests/": {"get": STAFF, "post": STAFF},
    "staff/requests/<uuid:wanted>/<slug:verb>/": {"post": STAFF},
    "staff/insights/": {"get": STAFF},
    "knowledge/<uuid:passage>/": {"get": "login welcome 404 404 404 404 404 404"},
    "welcome/": {"get": PERSON},
    "join/": {"post": "login welcome welcome welcome welcome welcome welcome welcome"},
    "leave/": {"post": HERE},
    "staff/": {"get": STAFF},
    "staff/searches/": {"post": STAFF},
    "staff/searches/<uuid:search>/remove/": {"post": "login welcome 403 403 403 404 404 404"},
    "staff/members/<uuid:member>/": {"get": STAFF},
    "staff/members/<uuid:member>/undo/": {"post": EDITORS},
    "staff/members/<uuid:member>/merge/": {"post": EDITORS},
    "staff/members/<uuid:member>/forget/": {"get": STAFF, "post": EDITORS},
    f"{_OPENED}card/": {"get": STAFF},
    f"{_OPENED}edit/": {"get": STAFF, "post": EDITORS},
    f"{_OPENED}pin/": {"post": EDITORS},
    f"{_OPENED}forget/": {"get": STAFF, "post": EDITORS},
    f"{_OPENED}wrong/": {"post": EDITORS},
    f"{_OPENED}settle/": {"post": EDITORS},
    f"{_OPENED}restore/": {"post": EDITORS},
    "staff/review/": {"get": STAFF},
    "staff/review/decide/": {"post": EDITORS},
    "staff/review/undo/": {"post": EDITORS},
    "staff/review/<uuid:memory>/": {"get": STAFF},
    "staff/review/<uuid:memory>/edit/": {"post": EDITORS},
    "staff/review/<uuid:memory>/merge/": {"post": EDITORS},
    "staff/questions/": {"get": STAFF},
    "staff/questions/<uuid:conversation>/": {"post": EDITORS},
    "staff/questions/<uuid:conversation>/close/": {"post": EDITORS},
    "staff/recurring/": {"get": STAFF},
    "staff/recurring/<uuid:proposal>/": {"post": EDITORS},
    "staff/recurring/<uuid:proposal>/dismiss/": {"post": EDITORS},
    "staff/knowledge/": {"get": STAFF},
    "staff/knowledge/import/": {"post": EDITORS},
    _IMPORT: {"get": STAFF},
    f"{_IMPORT}sheets/<uuid:sheet>/": {"get": STAFF},
    f"{_IMPORT}agree/": {"post": EDITORS},
    f"{_IMPORT}cancel/": {"post": EDITORS},
    f"{_IMPORT}undo/": {"post": EDITORS},
    "staff/knowledge/passages/": {"post": EDITORS},
    _PASSAGE: {"get": "login welcome 403 403 403 404 404 404", "post": "login welcome 403 403 403 404 403 404"},
    f"{_PASSAGE}verify/": {"post": "login welcome 403 403 403 404 403 404"},
    f"{_PASSAGE}restore/": {"post": "login welcome 403 403 403 404 403 404"},
    f"{_PASSAGE}remove/": {"post": "login welcome 403 403 403 404 403 404"},
    "staff/audit/": {"get": STAFF},
    "staff/audit/export/": {"get": STAFF},
    "i18n/setlang/": {"post": OPEN},
    "api/openapi.json": {"get": OPEN},
    "api/docs": {"get": OPEN},
    "api/": {"get": NOWHERE},
    "livez": {"get": OPEN},
    "metrics": {"get": OPEN},
}
ELSEWHERE = {
    "admin/": "the stock admin, below",
    "accounts/": "signing in and out, of the package that brings it",
    "api/v1/": "REST, below",
    "readyz": "says whether the services answer, to anybody",
}
"""Routes by their beginning that no table of pages lists, and why."""
OPENED = "401 403 403 403 in in in in"
WRITTEN = "401 403 403 403 in in 403 in"
ALONE = "401 403 404 404 in 404 404 404"
ASSISTANTS = "401 403 403 403 403 in 403 in"
REST: dict[str, tuple[str, dict[str, Any] | None]] = {
    "get communities": ("401 in in in in in in in", None),
    "post communities/join": ("401 404 404 404 404 404 404 404", {"code": "none"}),
    "post communities/{slug}/leave": ("401 404 404 in in in in in", {}),
    "get profile": (OPENED, None),
    "patch profile": (WRITTEN, {"name": "Ally", "version": 1}),
    "get memories": (OPENED, None),
    "post memories": (WRITTEN, {"text": "I like cocoa"}),
    "post memories/merge": (WRITTEN, {"ids": ["{memory}", "{other}"], "text": "I like both"}),
    "get memories/{memory}": (OPENED, None),
    "patch memories/{memory}": (WRITTEN, {"version": 2, "pinned": True}),
    "delete memories/{memory}": (WRITTEN, None),
    "get memories/{memory}/versions": (OPENED, None),
    "get memories/{memory}/impact": (OPENED, None),
    "post memories/{memory}/flag": (WRITTEN, {"reason": "doubt"}),
    "post memories/{memory}/approve": (WRITTEN, {}),
    "post memories/{memory}/reject": (WRITTEN, {}),
    "post memories/{memory}/supersede": (WRITTEN, {"text": "I like cocoa"}),
    "post memories/{memory}/restore": (WRITTEN, {"version": 1}),
    "post memories/forget": (WRITTEN, {"turn": "{turn}"}),
    "post undo": (WRITTEN, {"change": "{change}"}),
    "get blocks": (OPENED, None),
    "get blocks/{label}/versions": (OPENED, None),
    "put blocks/{label}": (WRITTEN, {"text": "tea", "version": 0}),
    "get assistants": ("401 403 in in in in in in", None),
    "post assistants": (ASSISTANTS, {"slug": "help", "name": "Help"}),
    "patch assistants/{slug}": ("401 403 403 403 403 404 403 404", {"name": "Help"}),
    "get conversations": ("401 403 in in in in in in", None),
    "get conversations/{conversation}": (ALONE, None),
    "patch conversations/{conversation}": (ALONE, {"title": "tea"}),
    "delete conversations/{conversation}": (ALONE, None),
    "get conversations/{conversation}/turns": (ALONE, None),
    "post conversations/{conversation}/ask": (ALONE, {"text": "你好"}),
    "get turns/{turn}/context": (ALONE, None),
    "post turns/{turn}/human": (ALONE, {}),
    "post turns/{turn}/feedback": (ALONE, {"rating": "up"}),
    "post tokens": ("401 403 in in in in in in", {}),
    "delete tokens/{token}": (ALONE, None),
    "post exports": ("401 403 in in in in in in", {}),
    "get exports/{export}": (ALONE, None),
    "get exports/{export}/file": (ALONE, None),
    "post erasure-requests": ("401 403 in in in in in in", {}),
    "get erasure-requests": ("401 403 in in in in in in", None),
    "get erasure-requests/{wanted}": ("401 403 404 404 in in in in", None),
    "post erasure-requests/{wanted}/confirm": ("401 403 404 404 in 403 403 403", {"password": "x", "phrase": "x"}),
    "post erasure-requests/{wanted}/approve": ("401 403 404 404 403 403 in in", {}),
    "post erasure-requests/{wanted}/cancel": ("401 403 404 404 in 403 403 403", {}),
    "post erasure-requests/{wanted}/again": ("401 403 404 404 403 403 in in", {}),
    "post erasure-requests/{wanted}/link": ("401 403 404 404 403 403 in in", {}),
    "get erasure-requests/{wanted}/receipt": ("401 403 404 404 403 in in in", None),
}


def asking(world: World, role: str) -> Client:
    """A client of this role."""
    if role == "outsider":
        user = User.objects.using("owner").create(username=f"outsider-{uuid.uuid4().hex[:8]}")
        client = Client(HTTP_HOST="127.0.0.1")
        client.force_login(User.objects.get(id=user.id), "django.contrib.auth.backends.ModelBackend")
        return client
    staff = {"moderator": Role.MODERATOR, "auditor": Role.AUDITOR, "admin": Role.ADMIN}
    here = {"anonymous": None, "stranger": world.charlie, "neighbour": world.bob, "owner": world.alice}
    return Caller(colleague(world, staff[role]) if role in staff else here[role]).client


def things(owner: Reader) -> dict[str, str]:
    """What is asked for: all of it the owner's, or of the owner's community, and fresh."""
    ids = {name: uuid.uuid4() for name in ("conversation", "turn", "source", "passage", "search", "proposal")}
    with scoped(owner):
        kept = [ledger.add(owner, likes(f"tea {uuid.uuid4()}"), said(), origin=Origin.TOLD, actor="member") for _ in "ab"]
        assert kept[0] is not None and kept[1] is not None
        ledger.flag(owner, kept[0].memory, None, actor="upkeep")
        change = Version.objects.get(memory=kept[0].memory, number=2).change
        place = {"owner_id": owner.member, "community_id": owner.community}
        Conversation.objects.create(id=ids["conversation"], title="tea", **place)
        Turn.objects.create(
            id=ids["turn"], conversation_id=ids["conversation"], client_id=uuid.uuid4(), question="tea?", answer="tea",
            state=State.ANSWERED, runner=uuid.uuid4(), alive_at=timezone.now(), remembered_at=timezone.now(), **place,
        )  # fmt: skip
        wanted = requests.ask(owner).id
        export = exports.ask(owner).id
    here = operator_in(owner.community, owner.slug)
    with scoped(here):
        brought = bringing.begin(here, None)
        ids |= {"brought": brought.id, "sheet": bringing.add(brought, "x.md", "# A\n\none\n").id}
        bringing.show(here, brought)
    token = tokens.make(owner, "script", 1)[0].id
    found = {**ids, "wanted": wanted, "export": export, "memory": kept[0].memory.id, "other": kept[1].memory.id, "change": change, "token": token}
    return {name: str(value) for name, value in found.items()} | {
        "member": str(owner.member), "slug": owner.slug, "label": "human", "secret": "none"}  # fmt: skip


def routes() -> list[str]:
    def below(resolver: URLResolver, before: str = "") -> Iterator[str]:
        for found in resolver.url_patterns:
            path = before + str(found.pattern)
            if isinstance(found, URLResolver):
                yield from below(found, path)
            else:
                yield path

    return list(dict.fromkeys(below(get_resolver())))


def outcome(answer: HttpResponse) -> str:
    """What became of it, in the words of the tables."""
    where = answer.headers.get("Location", "")
    if "/login/" in where:
        return "login"
    if where.startswith("/welcome/"):
        return "welcome"
    return "in" if answer.status_code in (200, 302, 400, 409, 422) else str(answer.status_code)


def test_every_page_is_in_the_table() -> None:
    found = {path for path in routes() if not path.startswith(tuple(ELSEWHERE))}
    assert found == set(PAGES)


def test_every_operation_is_in_the_table() -> None:
    paths = api.get_openapi_schema()["paths"]
    assert {f"{verb} {path.removeprefix('/api/v1/')}" for path, verbs in paths.items() for verb in verbs} == set(REST)


@pytest.mark.parametrize("role", ROLES)
def test_each_page_lets_in_whom_it_should(world: World, role: str) -> None:
    wanted, got = {}, {}
    client, found = asking(world, role), things(world.alice)
    for path, methods in PAGES.items():
        for method, row in methods.items():
            address = "/" + re.sub(r"<\w+:(\w+)>", lambda name, found=found: (found | {"verb": "approve"})[name[1]], path)
            sent = {"text": "likes tea", "version": "2", "verb": "approve", "memory": f"{found['memory']}:2", "to": "1",
                    "change": found["change"], "reason": "why", "as": "csv", "with": found["other"],
                    "one": found["memory"], "other": found["other"]}  # fmt: skip
            wanted[f"{method} {path}"] = row.split()[ROLES.index(role)]
            got[f"{method} {path}"] = outcome(getattr(client, method)(address, sent))
            if method == "post" and got[f"{method} {path}"] == "in":
                found = things(world.alice)
    assert got == wanted


@pytest.mark.parametrize("role", ROLES)
def test_each_operation_answers_whom_it_should(world: World, role: str) -> None:
    wanted, got = {}, {}
    client, found = asking(world, role), things(world.alice)
    for name, (row, body) in sorted(REST.items(), key=lambda entry: "leave" in entry[0]):  # nobody is there after that
        method, path = name.split()
        sent = json.dumps(body) if body is not None else ""
        for key, value in found.items():
            path, sent = path.replace(f"{{{key}}}", value), sent.replace(f"{{{key}}}", value)
        whose = f"?member={found['member']}&reason=why" if "in in 403 in" in row or row == OPENED else ""
        more = {"data": sent, "content_type": "application/json"} if body is not None else {}
        wanted[name] = row.split()[ROLES.index(role)]
        got[name] = outcome(getattr(client, method)(f"/api/v1/{path}{whose}", **more))
        if method != "get" and got[name] == "in" and "leave" not in name:
            found = things(world.alice)
    assert got == wanted


@pytest.mark.parametrize("role", ["anonymous", "outsider", "stranger", "neighbour", "owner", "auditor"])
def test_the_stock_admin_is_for_those_who_edit(world: World, role: str) -> None:
    client = asking(world, role)
    pages = [path for path in routes() if path.startswith("admin/") and "<" not in path and "(" not in path]
    assert len(pages) > 5
    let_in = [path for path in pages if outcome(client.get(f"/{path}")) not in ("login", "403", "404")]
    assert set(let_in) <= {"admin/login/", "admin/logout/", "admin/jsi18n/"}
