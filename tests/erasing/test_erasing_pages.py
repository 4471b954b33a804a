"""The pages around deletion and export, in both languages: what is offered, refused, and shown once."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone

from assistant import tasks
from assistant.erasing import receipt
from profiles.access import Reader, scoped
from profiles.models import ErasureRequest, Membership, Role, User
from tests.caller import colleague
from tests.erasing.test_erasing_rest import PASSWORD, with_password
from tests.people import World

PRIVACY, STAFF = "/me/privacy/", "/staff/requests/"


@pytest.fixture(params=["en", "zh-hans"])
def page(request: pytest.FixtureRequest) -> Callable[..., Client]:
    def signed_in(reader: Reader) -> Client:
        client = with_password(reader).client
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = request.param
        return client

    return signed_in


def of(client: Client, path: str, status: int = 200, **form: Any) -> str:
    answer = client.post(path, form) if form else client.get(path)
    assert answer.status_code == status
    text = answer.content.decode()
    assert not re.search(r"\son\w+=|<script>|style=", text), "nothing that the content policy forbids"
    return text


def request_of(reader: Reader) -> ErasureRequest:
    with scoped(reader):
        return ErasureRequest.objects.get(person_id=reader.person, ended_at=None)


def addresses(text: str) -> list[str]:
    return sorted(set(re.findall(r'/receipts/[^"<]+', text)))


def test_a_member_ends_it_all_on_the_page_and_takes_the_receipt_once(world: World, page: Callable[..., Client]) -> None:
    alice = page(world.alice)
    assert "deletion/" in of(alice, PRIVACY)
    of(alice, f"{PRIVACY}deletion/", ask="1")
    row = request_of(world.alice)
    where = f"{PRIVACY}deletion/{row.id}"
    assert row.phrase in of(alice, PRIVACY)
    assert 'role="alert"' in of(alice, f"{where}/confirm/", password="wrong", phrase=row.phrase)
    assert request_of(world.alice).state == "requested"
    sure = of(alice, f"{where}/confirm/", password=PASSWORD, phrase=row.phrase)
    (address,) = addresses(sure)
    assert addresses(of(alice, PRIVACY)) == [], "it is shown once"
    stranger = Client(HTTP_HOST="127.0.0.1")
    assert "every 5s" in of(stranger, address)
    of(stranger, "/receipts/" + str(row.id) + "/another-secret/", 404)
    tasks.erase()
    assert alice.get(PRIVACY).status_code == 302
    assert "every 5s" not in of(stranger, address)
    taken = stranger.post(address)
    assert receipt.check(taken.json())["state"] == "done" and taken.json()["salt"]
    assert stranger.post(address).status_code == 404


def test_it_can_be_taken_back_while_it_cools_off(world: World, page: Callable[..., Client]) -> None:
    alice = page(world.alice)
    of(alice, f"{PRIVACY}deletion/", ask="1")
    row = request_of(world.alice)
    with override_settings(ERASURE_COOLING_DAYS=7):
        of(alice, f"{PRIVACY}deletion/{row.id}/confirm/", password=PASSWORD, phrase=row.phrase)
    tasks.erase()
    until = request_of(world.alice).cools_until
    assert until and timezone.localtime(until).isoformat()[:10] in of(alice, PRIVACY)
    of(alice, f"{PRIVACY}deletion/{row.id}/cancel/", cancel="1")
    assert ErasureRequest.objects.using("owner").get(id=row.id).state == "cancelled"
    assert 'action="/me/privacy/deletion/"' in of(alice, PRIVACY)


def test_somebody_elses_request_can_not_be_touched(world: World, page: Callable[..., Client]) -> None:
    of(page(world.alice), f"{PRIVACY}deletion/", ask="1")
    row = request_of(world.alice)
    bob = page(world.bob)
    for verb in ("confirm", "cancel"):
        assert 'role="alert"' in of(bob, f"{PRIVACY}deletion/{row.id}/{verb}/", password=PASSWORD, phrase=row.phrase)
    of(bob, STAFF, 403)
    of(bob, f"{STAFF}{row.id}/approve/", 403, reason="x")
    of(page(world.charlie), f"{STAFF}{row.id}/cancel/", 403, reason="x")
    assert request_of(world.alice).state == "requested"


def test_staff_ask_confirm_approve_and_make_the_link(world: World, page: Callable[..., Client]) -> None:
    mei, auditor = page(world.mei), page(colleague(world, Role.AUDITOR))
    text = of(mei, STAFF, member=str(world.alice.member), reason="asked by letter")
    row = request_of(world.alice)
    assert row.phrase in text and "asked by letter" in text
    seen = of(auditor, STAFF)
    assert row.phrase not in seen and "<select" not in seen, "an auditor decides, and asks for nobody"
    of(mei, f"{STAFF}{row.id}/confirm/", password=PASSWORD, phrase=row.phrase)
    assert 'role="alert"' in of(mei, f"{STAFF}{row.id}/approve/", reason="my own")
    tasks.erase()
    assert request_of(world.alice).state == "confirmed"
    of(auditor, f"{STAFF}{row.id}/approve/", reason="the letter is genuine")
    tasks.erase()
    name = User.objects.using("owner").get(id=world.bob.person).username.replace("bob", "alice")
    assert name not in of(auditor, STAFF)
    assert addresses(of(mei, f"{STAFF}{row.id}/receipt/", receipt="1")) == []
    (address,) = addresses(of(auditor, f"{STAFF}{row.id}/receipt/", receipt="1"))
    assert receipt.check(Client(HTTP_HOST="127.0.0.1").post(address).json())["state"] == "done"
    of(auditor, f"{STAFF}{row.id}/burn/", 404, reason="x")


def test_a_member_is_chosen_and_a_reason_given(world: World, page: Callable[..., Client]) -> None:
    mei = page(world.mei)
    for form in ({"member": "nobody", "reason": "x"}, {"member": str(world.alice.member), "reason": " "},
                 {"member": str(world.charlie.member), "reason": "a stranger"}):  # fmt: skip
        assert 'role="alert"' in of(mei, STAFF, **form)
    assert not ErasureRequest.objects.using("owner").filter(community_id=world.alice.community).exists()


def test_an_export_is_asked_for_followed_and_fetched(world: World, page: Callable[..., Client]) -> None:
    alice = page(world.alice)
    assert alice.post(f"{PRIVACY}export/").status_code == 302
    assert "<progress" in of(alice, PRIVACY)
    tasks.export()
    part = alice.get(f"{PRIVACY}export/", headers={"HX-Request": "true"}).content.decode()
    (url,) = re.findall(r'href="(/api/v1/exports/[^"]+)"', part)
    assert alice.get(url)["Content-Type"] == "application/zip" and "<html" not in part
    assert url not in of(page(world.bob), PRIVACY)


def test_the_key_is_there_for_everybody() -> None:
    answer = Client(HTTP_HOST="127.0.0.1").get("/privacy/key")
    assert answer.content.decode() == receipt.public_key() and answer["Content-Type"].startswith("text/plain")


def test_a_letter_at_each_step_and_none_after_the_address_is_gone(world: World) -> None:
    mail.outbox = []
    with override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
        User.objects.using("owner").filter(id=world.alice.person).update(email=f"{world.alice.member}@example.org")
        alice = with_password(world.alice)
        made = alice("post", "/erasure-requests")
        sure = alice("post", f"/erasure-requests/{made['id']}/confirm", password=PASSWORD, phrase=made["phrase"])
        tasks.erase()
    assert [letter.subject for letter in mail.outbox] == [
        "Your deletion request was received", "Your deletion request was confirmed", "Your data is being deleted now"]  # fmt: skip
    assert sure["receipt"].partition("link=")[2] in mail.outbox[1].body


def test_the_member_is_told_of_what_staff_ask_for(world: World) -> None:
    mail.outbox = []
    with override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
        User.objects.using("owner").filter(id=world.alice.person).update(email=f"{world.alice.member}@example.org")
        Membership.objects.using("owner").create(user_id=world.alice.person, community_id=world.charlie.community)
        mei, auditor = with_password(world.mei), with_password(colleague(world, Role.AUDITOR))
        made = mei("post", "/erasure-requests", member=str(world.alice.member), reason="asked by letter")
        path = f"/erasure-requests/{made['id']}"
        assert mei("post", f"{path}/confirm", password=PASSWORD, phrase=made["phrase"])["receipt"] is None
        auditor("post", f"{path}/approve", reason="genuine")
        tasks.erase()
    said = [letter.subject for letter in mail.outbox]
    assert said == ["The deletion of your data was asked for", "Your deletion request was confirmed",
                    "The deletion of your data was approved", "Your data is being deleted now"]  # fmt: skip
    assert "Your account stays." in mail.outbox[-1].body and not any("/receipts/" in letter.body for letter in mail.outbox)


def test_a_request_in_another_community_is_done_with_the_account(world: World) -> None:
    second = Membership.objects.using("owner").create(user_id=world.alice.person, community_id=world.charlie.community)
    theirs = ErasureRequest.objects.using("owner").create(
        community_id=world.charlie.community, person_id=world.alice.person, member=second.id, account=False, own=False,
        due_at="2030-01-01T00:00Z", state="confirmed")  # fmt: skip
    alice = with_password(world.alice)
    made = alice("post", f"/erasure-requests?community={world.alice.slug}")
    path = f"/erasure-requests/{made['id']}/confirm?community={world.alice.slug}"
    alice("post", path, password=PASSWORD, phrase=made["phrase"])
    tasks.erase()
    theirs.refresh_from_db()
    assert (theirs.state, theirs.person_id, theirs.member) == ("cancelled", None, None)
