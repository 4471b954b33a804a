"""The review queue: what waits in a community is decided by staff, oldest first, and every act can be undone."""

import re
import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from memory import audit, ledger, queue
from memory.models import AuditText, Memory
from memory.terms import Origin, Status
from profiles.access import Reader, scoped
from profiles.models import Membership, Role
from tests.caller import Caller, colleague
from tests.people import World, likes, said

PAGE = "/staff/review/"


def doubted(reader: Reader, value: str, *, attribute: str = "likes", quote: str = "") -> Memory:
    """Something of this reader's that waits for a decision."""
    with scoped(reader):
        change = ledger.add(reader, likes(value, attribute=attribute, quote=quote), said(), origin=Origin.TOLD,
                            actor="member")  # fmt: skip
        assert change is not None
        return ledger.flag(reader, change.memory, None, actor=ledger.UPKEEP, reason="marked wrong").memory


def client(reader: Reader) -> Client:
    return Caller(reader).client


def shown(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content.decode()[:2000]
    return str(answer.content.decode())


def state(reader: Reader, memory: Memory) -> tuple[str, str]:
    with scoped(reader):
        row = Memory.objects.get(id=memory.id)
        return row.status, row.text


def keep(memory: Memory, version: int | None = None) -> str:
    return f"{memory.id}:{version or memory.version}"


def changes(page: str) -> list[str]:
    return re.findall(r'name="change" value="([^"]+)"', page)


def test_it_lists_what_waits_of_everybody_oldest_first_with_age_reason_and_words(world: World) -> None:
    doubted(world.alice, "tea", quote="I like tea, I think")
    doubted(world.bob, "咖啡")
    page = shown(client(world.mei).get(PAGE))
    assert page.index("likes tea") < page.index("likes 咖啡")
    assert "I like tea, I think" in page and "marked as wrong" in page and "2 wait" in page
    assert "<time" in page.split('class="waiting"')[1]


def test_it_is_in_chinese_for_who_reads_chinese(world: World) -> None:
    doubted(world.alice, "茶")
    with override("zh-hans"):  # what a request chooses would outlast it here
        page = shown(client(world.mei).get(PAGE, headers={"accept-language": "zh-hans"}))
    assert "通过" in page and "1 条等待处理" in page
    assert "Approve" not in page and "Reject" not in page


def test_a_member_sees_who_looked_for_review(world: World) -> None:
    doubted(world.alice, "tea")
    shown(client(world.mei).get(PAGE))
    with scoped(world.alice):
        assert [look.reason for look in audit.looks()] == ["review"]
    with scoped(world.bob):
        assert audit.looks() == []


def test_looking_through_the_queue_is_one_line_of_the_audit_in_an_hour(world: World) -> None:
    memory, mei = doubted(world.alice, "tea"), client(world.mei)
    for _ in range(3):
        shown(mei.get(f"{PAGE}{memory.id}/"))
    with scoped(world.alice):
        assert len(audit.looks()) == 1


@pytest.mark.parametrize(("verb", "after"), [("approve", Status.ACTIVE), ("reject", Status.SUPERSEDED)])
def test_a_decision_takes_effect_and_is_undone(world: World, verb: str, after: str) -> None:
    memory, mei = doubted(world.alice, "tea"), client(world.mei)
    page = shown(mei.post(f"{PAGE}decide/", {"verb": verb, "memory": keep(memory)}))
    assert state(world.alice, memory)[0] == after and "Nothing waits" in page
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert state(world.alice, memory)[0] == Status.UNDER_REVIEW


def test_approving_what_had_lost_its_slot_ends_the_other_and_undoing_brings_it_back(world: World) -> None:
    memory = doubted(world.alice, "Oslo", attribute="residence")
    with scoped(world.alice):
        other = ledger.add(world.alice, likes("Bergen", attribute="residence"), said(), origin=Origin.TOLD, actor="member")
    assert other is not None
    mei = client(world.mei)
    page = shown(mei.post(f"{PAGE}decide/", {"verb": "approve", "memory": keep(memory)}))
    if other.memory.slot == memory.slot:
        assert state(world.alice, other.memory)[0] == Status.SUPERSEDED
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert state(world.alice, memory)[0] == Status.UNDER_REVIEW
    assert state(world.alice, other.memory)[0] == Status.ACTIVE


def test_many_are_decided_at_once_and_undone_at_once(world: World) -> None:
    rows = [doubted(world.alice, "tea"), doubted(world.bob, "tea"), doubted(world.alice, "cocoa")]
    mei = client(world.mei)
    page = shown(mei.post(f"{PAGE}decide/", {"verb": "approve", "memory": [keep(row) for row in rows]}))
    owners = (world.alice, world.bob, world.alice)
    assert [state(owner, row)[0] for owner, row in zip(owners, rows, strict=True)] == [Status.ACTIVE] * 3
    assert "3 approved" in page
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert [state(owner, row)[0] for owner, row in zip(owners, rows, strict=True)] == [Status.UNDER_REVIEW] * 3


@pytest.mark.parametrize("words", ["I like green tea", "我喜欢绿茶"])
def test_an_edit_approves_the_new_words_and_one_undo_takes_both_back(world: World, words: str) -> None:
    memory, mei = doubted(world.alice, "tea"), client(world.mei)
    page = shown(mei.post(f"{PAGE}{memory.id}/edit/", {"text": words, "version": memory.version}))
    assert state(world.alice, memory) == (Status.ACTIVE, words)
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert state(world.alice, memory) == (Status.UNDER_REVIEW, "likes tea")


def test_who_was_slower_sees_the_newer_text_and_keeps_their_own(world: World) -> None:
    memory = doubted(world.alice, "tea")
    Caller(world.alice)("patch", f"/memories/{memory.id}", text="I like black tea", version=memory.version)
    page = shown(client(world.mei).post(f"{PAGE}{memory.id}/edit/", {"text": "我喜欢绿茶", "version": memory.version}), 409)
    assert "I like black tea" in page and "我喜欢绿茶" in page
    assert state(world.alice, memory) == (Status.UNDER_REVIEW, "I like black tea")


def test_a_secret_is_refused_and_the_words_are_kept_on_the_page(world: World) -> None:
    memory = doubted(world.alice, "tea")
    text = "My password is hunter2-Xq9!"
    page = shown(client(world.mei).post(f"{PAGE}{memory.id}/edit/", {"text": text, "version": memory.version}), 422)
    assert "never kept" in page and "hunter2-Xq9!" in page
    assert state(world.alice, memory) == (Status.UNDER_REVIEW, "likes tea")


def test_two_become_one_and_an_undo_makes_them_two_again_as_they_were(world: World) -> None:
    first, second = doubted(world.alice, "tea"), doubted(world.alice, "black tea")
    mei = client(world.mei)
    sent = {"text": "I like tea, black above all", "version": first.version, "with": [str(second.id)]}
    page = shown(mei.post(f"{PAGE}{first.id}/merge/", sent))
    assert [state(world.alice, row)[0] for row in (first, second)] == [Status.SUPERSEDED] * 2
    with scoped(world.alice):
        assert Memory.objects.live().get(owner_id=world.alice.member).text == "I like tea, black above all"
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert [state(world.alice, row)[0] for row in (first, second)] == [Status.UNDER_REVIEW] * 2
    with scoped(world.alice):
        assert not Memory.objects.live().filter(owner_id=world.alice.member).exists()


def test_a_merge_with_somebody_elses_is_refused(world: World) -> None:
    first, foreign = doubted(world.alice, "tea"), doubted(world.bob, "tea")
    sent = {"text": "we like tea", "version": first.version, "with": [str(foreign.id)]}
    shown(client(world.mei).post(f"{PAGE}{first.id}/merge/", sent), 422)
    assert state(world.bob, foreign)[0] == Status.UNDER_REVIEW


def test_hidden_marks_are_spelt_out_and_markup_stays_text(world: World) -> None:
    doubted(world.alice, "t\u202eea\u200b <b>x</b>")
    page = shown(client(world.mei).get(PAGE))
    assert "U+202E" in page and "U+200B" in page and "\u202e" not in page
    assert "<b>x</b>" not in page


def test_an_auditor_reads_the_queue_and_decides_nothing(world: World) -> None:
    memory, audra = doubted(world.alice, "tea"), client(colleague(world, Role.AUDITOR))
    page = shown(audra.get(PAGE))
    assert "likes tea" in page and 'name="verb"' not in page
    for path, body in (("decide/", {"verb": "approve", "memory": keep(memory)}), ("undo/", {"change": "x"}),
                       (f"{memory.id}/edit/", {"text": "x", "version": 2}),
                       (f"{memory.id}/merge/", {"text": "x", "version": 2})):  # fmt: skip
        assert audra.post(PAGE + path, body).status_code == 403
    assert state(world.alice, memory)[0] == Status.UNDER_REVIEW


def test_members_and_another_community_see_none_of_it(world: World) -> None:
    memory = doubted(world.alice, "tea")
    for reader in (world.alice, world.bob):
        assert client(reader).get(PAGE).status_code == 403
        with scoped(reader):
            assert queue.page() == ([], 0)
    stranger = make_moderator_elsewhere(world)
    assert "likes tea" not in shown(client(stranger).get(PAGE))
    gone = client(stranger).post(f"{PAGE}{memory.id}/edit/", {"text": "x", "version": memory.version})
    assert gone.status_code == 404


def make_moderator_elsewhere(world: World) -> Reader:
    return colleague(replace(world, alice=world.charlie), Role.MODERATOR)


def test_no_more_queries_for_twenty_of_two_members_than_for_one(world: World) -> None:
    mei = client(world.mei)
    doubted(world.alice, "tea 0")
    shown(mei.get(PAGE))
    with CaptureQueriesContext(connection) as few:
        shown(mei.get(PAGE))
    for number in range(1, 20):
        doubted((world.alice, world.bob)[number % 2], f"tea {number}")
    with CaptureQueriesContext(connection) as many:
        page = shown(mei.get(PAGE))
    assert page.count("data-row") == 20
    assert len(many) <= len(few)


def test_the_queue_is_read_page_by_page(world: World) -> None:
    for number in range(23):
        doubted(world.alice, f"tea {number:02}")
    mei = client(world.mei)
    first = shown(mei.get(PAGE))
    assert first.count("data-row") == 20 and "23 wait" in first
    after = re.search(r'\?after=([^"]+)"', first)
    assert after is not None
    second = shown(mei.get(f"{PAGE}?after={after[1]}"))
    assert second.count("data-row") == 3 and "likes tea 22" in second


def test_an_act_upon_what_is_not_there_is_404(world: World) -> None:
    mei = client(world.mei)
    assert mei.post(f"{PAGE}{uuid.uuid4()}/edit/", {"text": "x", "version": 1}).status_code == 404
    assert mei.post(f"{PAGE}decide/", {"verb": "burn", "memory": []}).status_code == 404
    assert AuditText.objects.count() == 0


def test_what_is_of_somebody_who_is_being_erased_is_neither_listed_nor_decided(world: World) -> None:
    memory, mei = doubted(world.alice, "tea"), client(world.mei)
    Membership.objects.using("owner").filter(id=world.alice.member).update(frozen_at=timezone.now())
    assert "Nothing waits" in shown(mei.get(PAGE))
    assert "stays" in shown(mei.post(f"{PAGE}decide/", {"verb": "approve", "memory": keep(memory)}))
    assert mei.post(f"{PAGE}{memory.id}/edit/", {"text": "x", "version": memory.version}).status_code == 404
    assert mei.get(f"/staff/members/{world.alice.member}/?reason=x").status_code == 404
    assert "Found: 0" in shown(mei.get("/staff/?find=1&reason=x"))
    assert Memory.objects.using("owner").get(id=memory.id).status == Status.UNDER_REVIEW


def test_of_a_bulk_what_was_changed_meanwhile_stays(world: World) -> None:
    first, second = doubted(world.alice, "tea"), doubted(world.bob, "tea")
    Caller(world.bob)("patch", f"/memories/{second.id}", text="I like black tea", version=second.version)
    chosen = [keep(first, first.version), keep(second, second.version)]
    page = shown(client(world.mei).post(f"{PAGE}decide/", {"verb": "reject", "memory": chosen}))
    assert "1 rejected" in page and "1 was changed meanwhile and stays" in page
    assert state(world.alice, first)[0] == Status.SUPERSEDED
    assert state(world.bob, second) == (Status.UNDER_REVIEW, "I like black tea")
