"""REST on deletion requests: every state by program, who is refused, and the receipt once by its link."""

import uuid
from typing import Any

import pytest
from django.test import Client

from assistant import tasks
from assistant.erasing import receipt
from memory import audit
from profiles.access import Reader, scoped
from profiles.models import ErasureRequest, Membership, Role, User
from tests.caller import ADDRESS, Caller, colleague
from tests.conversation.test_turn import ask
from tests.people import World

PASSWORD = "correct horse battery"


def with_password(reader: Reader) -> Caller:
    user = User.objects.using("owner").get(id=reader.person)
    user.set_password(PASSWORD)
    user.save(using="owner")
    return Caller(reader)


def public(path: str, status: int = 200) -> dict[str, Any]:
    answer = Client(HTTP_HOST="127.0.0.1").get(path)
    assert answer.status_code == status, answer.content
    found: dict[str, Any] = answer.json()
    return found


def confirmed(caller: Caller, **body: Any) -> dict[str, Any]:
    made = caller("post", "/erasure-requests", **body)
    return caller("post", f"/erasure-requests/{made['id']}/confirm", password=PASSWORD, phrase=made["phrase"])


def test_a_member_asks_confirms_follows_it_by_the_link_and_takes_the_receipt_once(world: World) -> None:
    ask(world.alice, "I play the oboe on Thursdays in the old mill.", uuid.uuid4())
    alice = with_password(world.alice)
    made = alice("post", "/erasure-requests")
    assert (made["state"], made["covers"], made["may"]) == ("requested", "account", ["confirm", "cancel"])
    path = f"/erasure-requests/{made['id']}"
    for password, phrase in (("wrong", made["phrase"]), (PASSWORD, "delete me")):
        assert alice("post", f"{path}/confirm", 422, password=password, phrase=phrase)["code"] == "refused"
    sure = alice("post", f"{path}/confirm", password=PASSWORD, phrase=made["phrase"])
    assert sure["state"] == "confirmed" and alice("get", path)["state"] == "confirmed"
    link = sure["receipt"]
    assert public(link, 409)["code"] == "conflict", "it has not ended yet"
    tasks.erase()
    alice("get", path, 401)
    follow = f"{ADDRESS}{path}?{link.partition('?')[2]}"
    assert public(follow)["state"] == "done"
    taken = public(link)
    body = receipt.check(taken, taken["public_key"])
    username = made["phrase"].removeprefix("DELETE ")
    assert (body["state"], receipt.commitment(taken["salt"], username)) == ("done", body["commitment"])
    public(link, 401)
    public(follow, 401)


def test_staff_ask_for_a_member_another_one_approves_and_the_link_is_made_at_the_end(world: World) -> None:
    ask(world.alice, "My locker at the pool is the one with the dent.", uuid.uuid4())
    mei, admin, auditor = with_password(world.mei), Caller(colleague(world, Role.ADMIN)), Caller(colleague(world, Role.AUDITOR))
    member = str(world.alice.member)
    assert mei("post", "/erasure-requests", 422, member=member)["detail"] == "Say why."
    mei("post", "/erasure-requests", 404, member=str(world.charlie.member), reason="a stranger")
    auditor("post", "/erasure-requests", 403, member=member, reason="an auditor decides only")
    Caller(world.bob)("post", "/erasure-requests", 403, member=member, reason="no")
    made = mei("post", "/erasure-requests", member=member, reason="asked by letter")
    path = f"/erasure-requests/{made['id']}"
    admin("post", f"{path}/approve", 409, reason="not confirmed")
    admin("post", f"{path}/confirm", 403, password="x", phrase=made["phrase"])
    mei("post", f"{path}/confirm", password=PASSWORD, phrase=made["phrase"])
    mei("post", f"{path}/approve", 403, reason="my own")
    tasks.erase()
    assert auditor("get", path)["state"] == "confirmed", "nothing begins before it is approved"
    admin("post", f"{path}/link", 409)
    assert auditor("post", f"{path}/approve", reason="the letter is genuine")["state"] == "approved"
    auditor("post", f"{path}/approve", 409)
    tasks.erase()
    ended = admin("get", path)
    assert (ended["state"], ended["member"], ended["reason"], ended["may"]) == ("done", None, "", ["receipt"])
    assert "salt" not in admin("get", f"{path}/receipt")
    mei("post", f"{path}/link", 403)
    first, second = admin("post", f"{path}/link")["receipt"], admin("post", f"{path}/link")["receipt"]
    public(first, 401)
    assert public(second)["salt"]
    admin("post", f"{path}/link", 409)
    assert User.objects.filter(id=world.alice.person).exists() is False, "it was the last membership"


def test_it_is_cancelled_until_it_begins_and_by_nobody_else(world: World) -> None:
    alice, admin = with_password(world.alice), Caller(colleague(world, Role.ADMIN))
    own = confirmed(alice)
    path = f"/erasure-requests/{own['id']}"
    for stranger in (Caller(world.bob), Caller(world.charlie)):
        for verb in ("cancel", "approve"):
            stranger("post", f"{path}/{verb}", 404)
        stranger("get", path, 404)
        stranger("get", f"{path}/receipt", 404)
    admin("post", f"{path}/cancel", 403)
    admin("post", f"{path}/approve", 409)
    assert alice("post", f"{path}/cancel")["state"] == "cancelled"
    alice("post", f"{path}/cancel", 409)
    tasks.erase()
    assert User.objects.get(id=world.alice.person).is_active
    mei = with_password(world.mei)
    theirs = confirmed(mei, member=str(world.alice.member), reason="asked by letter")
    assert alice("get", f"/erasure-requests/{theirs['id']}")["may"] == ["cancel"]
    assert admin("post", f"/erasure-requests/{theirs['id']}/cancel")["state"] == "cancelled"


def test_staff_list_them_and_one_members_with_a_reason_that_the_member_sees(world: World) -> None:
    alice, bob, mei = Caller(world.alice), Caller(world.bob), Caller(world.mei)
    made = alice("post", "/erasure-requests")
    assert [row["id"] for row in alice("get", "/erasure-requests")["items"]] == [made["id"]]
    assert bob("get", "/erasure-requests")["count"] == 0
    bob("get", f"/erasure-requests?member={world.alice.member}&reason=x", 403)
    assert [row["phrase"] for row in mei("get", "/erasure-requests")["items"]] == [""], "the phrase is for whoever asked"
    assert Caller(world.charlie)("get", "/erasure-requests")["count"] == 0
    mei("get", f"/erasure-requests?member={world.alice.member}", 422)
    assert mei("get", f"/erasure-requests?member={world.alice.member}&reason=a+complaint")["count"] == 1
    assert mei("get", f"/erasure-requests?member={world.bob.member}&reason=a+complaint")["count"] == 0
    with scoped(world.alice):
        assert [look.reason for look in audit.looks()] == ["a complaint"]


def test_passwords_can_not_be_tried_at_will(world: World) -> None:
    alice = with_password(world.alice)
    made = alice("post", "/erasure-requests")
    path = f"/erasure-requests/{made['id']}/confirm"
    for _ in range(10):
        alice("post", path, 422, password="guess", phrase=made["phrase"])
    assert alice("post", path, 429, password=PASSWORD, phrase=made["phrase"])["code"] == "rate_limited"


@pytest.mark.parametrize("body", [{"member": "x"}, {"who": "me"}, {"reason": "x" * 401}])
def test_a_body_of_another_shape_is_refused(world: World, body: dict[str, Any]) -> None:
    Caller(world.alice)("post", "/erasure-requests", 422, **body)


def test_the_member_of_one_community_who_is_erased_there_stays_in_the_other(world: World) -> None:
    Membership.objects.using("owner").create(user_id=world.alice.person, community_id=world.charlie.community)
    mei, admin = with_password(world.mei), Caller(colleague(world, Role.ADMIN))
    made = confirmed(mei, member=str(world.alice.member), reason="asked by letter")
    admin("post", f"/erasure-requests/{made['id']}/approve", reason="yes")
    tasks.erase()
    assert ErasureRequest.objects.using("owner").get(id=made["id"]).state == "done"
    assert [row["slug"] for row in Caller(world.alice)("get", "/communities")["items"]] == [world.charlie.slug]
