"""REST on blocks and assistants: who reads, who writes, what is refused."""

import pytest

from memory import blocks
from profiles.access import scoped
from profiles.models import Role
from tests.caller import Caller, colleague
from tests.people import World


@pytest.mark.parametrize("text", ["喜欢简短的回答。", "Likes short answers."])
def test_a_member_reads_and_writes_their_own_block(world: World, text: str) -> None:
    alice = Caller(world.alice)
    (human,) = alice("get", "/blocks")["items"]
    assert (human["label"], human["text"], human["version"], human["limit"]) == ("human", "", 0, 2000)
    assert alice("put", "/blocks/human", text=text, version=0)["version"] == 1
    stale = alice("put", "/blocks/human", 409, text="x", version=0)
    assert (stale["code"], stale["current"]["text"]) == ("conflict", text)
    assert alice("put", "/blocks/human", 422, text="字" * 2001, version=1)["code"] == "refused"
    assert [row["text"] for row in alice("get", "/blocks/human/versions")["items"]] == [text]
    assert Caller(world.bob)("get", "/blocks")["items"][0]["text"] == ""
    alice("put", "/blocks/nonsense", 422, text=text, version=0)


def test_a_persona_is_for_moderators_and_admins(world: World) -> None:
    mei, alice = Caller(world.mei), Caller(world.alice)
    auditor = Caller(colleague(world, Role.AUDITOR))
    new = mei("post", "/assistants", slug="events", name="Events", is_default=True, reads=["community:semantic"])
    assert (new["slug"], new["reads"], len(new["writes"])) == ("events", ["community:semantic"], 9)
    for nobody in (alice, auditor):
        nobody("put", "/blocks/persona", 403, text="Rude.", version=0)
        nobody("post", "/assistants", 403, slug="mine", name="Mine")
    assert mei("put", "/blocks/persona", text="Brief.", version=0)["text"] == "Brief."
    assert [one["text"] for one in alice("get", "/blocks")["items"]] == ["", "Brief."]
    alice("get", "/blocks?assistant=nobody", 404)
    assert [one["slug"] for one in alice("get", "/assistants")["items"]] == ["events"]
    assert Caller(world.charlie)("get", "/assistants")["items"] == []


def test_an_assistants_role_is_checked(world: World) -> None:
    mei = Caller(world.mei)
    mei("post", "/assistants", slug="events", name="Events", is_default=True)
    mei("post", "/assistants", 409, slug="events", name="Again")
    mei("post", "/assistants", 422, slug="Bad Slug", name="x")
    mei("patch", "/assistants/events", 422, reads=["everything"])
    mei("patch", "/assistants/events", 422, spaces=["nowhere"])
    mei("patch", "/assistants/nobody", 404, name="x")
    mei("post", "/assistants", slug="billing", name="Billing", is_default=True)
    kept = {one["slug"]: one["is_default"] for one in mei("get", "/assistants")["items"]}
    assert kept == {"billing": True, "events": False}, "there is one default"


@pytest.mark.parametrize("text", ["喜欢简短的回答。", "Likes short answers."])
def test_the_page_shows_the_notes_and_takes_them_from_their_member(world: World, text: str) -> None:
    page = Caller(world.alice).client
    assert page.get("/me/memory/").status_code == 200
    saved = page.post("/me/memory/notes/", {"text": text, "version": "0"})
    assert text in saved.content.decode()
    assert text in page.get("/me/memory/").content.decode()
    stale = page.post("/me/memory/notes/", {"text": "x", "version": "0"}).content.decode()
    refused = page.post("/me/memory/notes/", {"text": "password: hunter2secret", "version": "1"}).content.decode()
    assert 'role="alert"' in stale
    assert 'role="alert"' in refused
    with scoped(world.alice):
        assert blocks.read(world.alice, None).human == text


def test_staff_open_a_members_block_with_a_reason_and_leave_a_trace(world: World) -> None:
    mei, member = Caller(world.mei), world.alice.member
    with scoped(world.alice):
        blocks.write(world.alice, blocks.human_of(world.alice, member), "Mine.", actor="member")
    mei("get", f"/blocks?member={member}", 422)
    assert mei("get", f"/blocks?member={member}&reason=asked")["items"][0]["text"] == "Mine."
    assert mei("put", f"/blocks/human?member={member}&reason=asked", text="Ours.", version=1)["version"] == 2
    Caller(world.bob)("get", f"/blocks?member={member}&reason=curious", 403)


def test_a_conflict_shows_nothing_that_was_forgotten(world: World) -> None:
    alice, mei, member = Caller(world.alice), Caller(world.mei), world.alice.member
    memory = alice("post", "/memories", text="I like durian cake.")
    alice("put", "/blocks/human", text="I like durian cake.", version=0)
    alice("delete", f"/memories/{memory['id']}")
    for caller, path in ((alice, "/blocks/human"), (mei, f"/blocks/human?member={member}&reason=asked")):
        assert "durian" not in caller("put", path, 409, text="x", version=0)["current"]["text"]
