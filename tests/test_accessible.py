"""Every page of members and of staff, in both languages, can be read and used without eyes and without a mouse."""

import uuid

import pytest
from django.utils import timezone
from django.utils.translation import override

from assistant.conversation.frames import Edit
from assistant.conversation.models import Feedback
from assistant.erasing import requests
from memory import bringing, correct, knowledge, overviews, searches
from profiles.access import scoped
from tests.accessible import faults
from tests.conversation.test_handoff import handed
from tests.conversation.test_probes import again
from tests.conversation.test_turn import ask
from tests.people import World, imported
from tests.test_member_page import noted, replaced, used
from tests.test_review import doubted
from tests.test_roles import PAGES
from tests.test_staff import client, remember, shown

LANGUAGES = ("en", "zh-hans")
BAD = {
    '<input name="x">': "no label",
    '<label for="y">y</label><input id="x">': "y, which is not there",
    '<button><svg aria-hidden="true"></svg></button>': "no name",
    '<a href="/x"></a>': "no name",
    '<img src="x">': "no alt",
    '<svg role="img"></svg>': "a picture that says nothing",
    "<h2>a</h2><h4>b</h4>": "h2 is followed by h4",
    "<h2></h2>": "an empty h2",
    '<p id="a"></p><p id="a"></p>': "the id a is there 2 times",
    "<table><tr><th>a</th></tr></table>": "a table whose heads have no scope",
    "<nav></nav>": "no name",
    "<ul><p>a</p></ul>": "a list that holds something else",
    '<a href="/x">a <button>b</button></a>': "something to press inside",
    '<p tabindex="3">a</p>': "an order of the keyboard",
    '<p style="color: red">a</p>': "<p style>",
}


@pytest.mark.parametrize("html", BAD)
def test_each_fault_is_found(html: str) -> None:
    found = faults(html, whole=False)
    assert any(BAD[html] in fault for fault in found), found


def test_a_page_without_its_frame_is_found() -> None:
    assert set(faults("<html lang='de'><h1>a</h1><h1>b</h1></html>", language="en")) == {
        "2 h1", "0 <title>", "0 <main>", "in 'de', not in en", "no way to skip to the content",
    }  # fmt: skip


def lived(world: World) -> dict[str, str]:
    """Something of everything that pages show; the ids that addresses need."""
    talk = uuid.uuid4()
    turn = ask(world.alice, "I work at Kiln House in Bergen. 我住在苏州。", talk)
    older = ask(world.alice, "Which tea?", talk)
    again(world.alice, talk, Edit(type="edit", turn=older, client_id=uuid.uuid4(), text="Which cocoa?"))
    memory = replaced(world.alice, "Oslo", "Bergen")
    remember(world.alice, "tea")
    doubted(world.alice, "cocoa")
    used(world.alice, memory)
    noted(world.alice, "likes tea", "likes tea and cocoa")
    handed(world.alice, "Where is the key?")
    gone = remember(world.alice, "mate")
    with scoped(world.alice):
        correct.forget(world.alice, gone.id)
        overviews.note(world.alice, uuid.uuid4(), "Which tea?", ["tea"], timezone.now())
        Feedback.objects.create(turn_id=turn, owner_id=world.alice.member, community_id=world.alice.community, rating="up")
        requests.ask(world.alice)
    with scoped(world.mei):
        assert searches.save(world.mei, "mine", "status=active")
        passage = knowledge.write(world.mei, "Which tea?", "Green tea.")
    imported(world.mei, tea="# Which cocoa?\n\nDark.\n")
    with scoped(world.mei):
        brought = bringing.begin(world.mei, None)
        sheet = bringing.add(brought, "tea.md", "# Which cocoa?\n\nMilk.\n")
        bringing.show(world.mei, brought)
    return {"conversation": str(talk), "turn": str(turn), "memory": str(memory.id), "member": str(world.alice.member),
            "passage": str(passage.id), "older": str(older), "brought": str(brought.id), "sheet": str(sheet.id)}  # fmt: skip


MINE = ("/", "/c/{conversation}/", "/c/{conversation}/branches/{older}/", "/c/{conversation}/turns/{turn}/why/", "/me/memory/", "/me/memory/?view=time",
        "/me/memory/{memory}/", "/me/memory/{memory}/edit/", "/me/memory/{memory}/card/", "/me/memory/{memory}/forget/",
        "/me/memory/forget/?turn={turn}", "/me/privacy/", "/welcome/")  # fmt: skip
STAFF = ("/staff/", "/staff/?find=1&reason=why", "/staff/members/{member}/", "/staff/members/{member}/?reason=why",
         "/staff/members/{member}/?reason=why&view=time", "/staff/members/{member}/forget/?reason=why&turn={turn}",
         "/staff/members/{member}/memories/{memory}/edit/?reason=why",
         "/staff/members/{member}/memories/{memory}/forget/?reason=why", "/staff/review/", "/staff/audit/?check=1",
         "/staff/requests/", "/staff/insights/", "/staff/questions/", "/staff/recurring/", "/staff/knowledge/",
         "/staff/knowledge/?q=tea", "/staff/knowledge/imports/{brought}/",
         "/staff/knowledge/imports/{brought}/sheets/{sheet}/",
         "/staff/knowledge/passages/{passage}/?edit=1")  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_accessible(world: World, language: str) -> None:
    ids, found = lived(world), {}
    for reader, paths in ((world.alice, MINE), (world.mei, STAFF)):
        asker = client(reader)
        for path in paths:
            with override(language):  # what a request chooses would outlast it here
                html = shown(asker.get(path.format(**ids), headers={"accept-language": language}))
            found[path] = faults(html, language=language, whole="<html" in html)
    assert [f"{path}: {fault}" for path, wrong in found.items() for fault in wrong] == []


def test_no_page_that_is_only_looked_at_is_left_out() -> None:
    looked_at = {path.split("?")[0].strip("/").replace("{older}", "{turn}").replace("{", "<uuid:").replace("}", ">") for path in (*MINE, *STAFF)}
    elsewhere = ("api/", "livez", "metrics", "privacy/key", "receipts/", "turns/", "i18n/", "knowledge/", "staff/audit/export/")
    pages = {path.strip("/") for path, methods in PAGES.items() if "get" in methods and not path.startswith(elsewhere)}
    parts = {"c/<uuid:conversation>/turns/<uuid:turn>", "c/<uuid:conversation>/conversation.md",
             "c/<uuid:conversation>/conversation.json", "c/<uuid:conversation>/turns/<uuid:turn>/sources/<uuid:source>",
             "staff/members/<uuid:member>/memories/<uuid:memory>/card", "staff/review/<uuid:memory>"}  # fmt: skip
    assert pages - parts == looked_at
