"""A person goes from every store, whatever kills the run; nobody else loses a row; the receipt proves it to a stranger."""

import errno
import json
import uuid
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import redis
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connections
from django.utils import timezone

from assistant import erasure, tasks
from assistant.conversation import window
from assistant.erasing import gone, marks, order, plan, receipt, requests, sweep
from memory import audit, correct, ledger, sealed, searches
from memory.models import AuditEvent, Memory
from profiles.access import Frozen, Reader, scoped
from profiles.models import ErasureRequest, Membership, RequestState, User
from tests.conversation.test_turn import ask
from tests.people import World

SAYS = ("我喜欢{mark}川菜。", "My sister {mark} lives in Oslo.", "记住：我的工位在{mark}三楼靠窗的第七排。",
        "I signed up for the {mark} pottery evening.")  # fmt: skip
"""No part of one can be said in another community: other test databases share the store of keys and the files."""


def only_hers(reader: Reader) -> str:
    """A sentence that nobody else has said."""
    return f"My bike number {reader.member.hex[:10]} stands beside the blue door of the barn."


def lived(reader: Reader) -> None:
    """What a member leaves in every store by using the product."""
    conversation = uuid.uuid4()
    mark = "".join(chr(ord("a") + int(digit, 16)) for digit in reader.community.hex[:8]).capitalize()
    for says in (*(says.format(mark=mark) for says in SAYS), only_hers(reader)):
        ask(reader, says, conversation)
    tasks.remember()
    with scoped(reader):
        first, second, *_ = Memory.objects.live().filter(owner_id=reader.member).order_by("created_at")
        correct.forget(reader, first.id)
        ledger.archive(reader, second, at=timezone.now(), reason="cold")
        sealed.shelve(reader.member, [second])


def requested(reader: Reader, *, account: bool = True) -> ErasureRequest:
    """Confirmed and cooled off."""
    return ErasureRequest.objects.using("erase").create(
        community_id=reader.community, person_id=reader.person, member=reader.member, account=account, own=True,
        due_at=timezone.now(), state=RequestState.CONFIRMED, cools_until=timezone.now(),
    )  # fmt: skip


def rows_of(reader: Reader) -> dict[str, list[str]]:
    """Every row of a member's, column for column."""
    target = plan.Target(reader.person, (reader.member,), True)
    found = {}
    with connections["sweep"].cursor() as cursor:
        for part in plan.parts(target):
            cursor.execute(f'SELECT t::text FROM (SELECT * FROM "{part.table}" WHERE {part.where}) t ORDER BY 1', plan.values(target))
            found[part.table] = [row[0] for row in cursor.fetchall()]
    return found


def test_everything_goes_and_a_bystander_with_the_same_words_keeps_every_row(world: World) -> None:
    lived(world.alice)
    lived(world.bob)
    before, mine = rows_of(world.bob), rows_of(world.alice)
    row = order.run(requested(world.alice).id)
    assert (row.state, row.receipt and row.receipt["receipt"]["left"]) == (RequestState.DONE, {})
    assert rows_of(world.bob) == before
    assert {table for table, rows in rows_of(world.alice).items() if rows} == set()
    assert {table for table, rows in mine.items() if rows} >= {
        "profiles_user", "profiles_membership", "profiles_profile", "conversation_turn", "conversation_frame", "memory_memory",
        "memory_version", "memory_source", "memory_episode", "memory_tombstone", "memory_key", "memory_audittext"}  # fmt: skip
    assert list(settings.ARCHIVE_DIR.glob(f"{world.alice.member}*")) == []
    assert list(settings.ARCHIVE_DIR.glob(f"{world.bob.member}*")) != []
    assert audit.verify(world.alice.community, "owner").broken_at is None
    kept = ErasureRequest.objects.using("erase").get(id=row.id)
    assert (kept.person_id, kept.member, kept.reason, kept.phrase, kept.before) == (None, None, "", "", None)


def test_what_the_receipt_says_is_true_and_names_nobody(world: World) -> None:
    lived(world.alice)
    person = User.objects.get(id=world.alice.person)
    counts = {table: len(rows) for table, rows in rows_of(world.alice).items()}
    row = order.run(requested(world.alice).id)
    assert row.receipt is not None
    body = row.receipt["receipt"]
    stores = {store["store"]: (store["before"], store["after"]) for store in body["stores"]}
    assert stores.pop("archive") == (1, 0)
    assert stores == {table: (count, 0) for table, count in counts.items()}
    said = json.dumps(row.receipt, ensure_ascii=False)
    for secret in (person.username, str(person.id), str(world.alice.member), "川菜", "sister"):
        assert secret not in said
    line = AuditEvent.objects.using("owner").get(community_id=world.alice.community, position=body["audit"]["position"])
    assert (line.digest, line.action, line.target) == (body["audit"]["digest"], "erased", row.id)
    assert receipt.commitment(row.salt, person.username) == body["commitment"]
    assert receipt.commitment(row.salt, "bob") != body["commitment"]


@pytest.mark.parametrize("change", [
    lambda said: said["receipt"].update(state="partial"), lambda said: said["receipt"]["stores"].pop(),
    lambda said: said["receipt"]["pending"].update(backups_until="2001-01-01"), lambda said: said.update(signature="AAAA"),
    lambda said: said.pop("signature"), lambda said: said["receipt"].update(version=2),
])  # fmt: skip
def test_a_changed_receipt_does_not_verify(world: World, change: Callable[[dict[str, Any]], Any]) -> None:
    row = order.run(requested(world.alice).id)
    assert row.receipt is not None and receipt.check(row.receipt, row.receipt["public_key"])["state"] == "done"
    said = json.loads(json.dumps(row.receipt))
    change(said)
    with pytest.raises(receipt.Wrong):
        receipt.check(said)


@pytest.mark.parametrize("after", list(order.STEPS))
def test_a_kill_after_any_step_ends_in_the_same_receipt(world: World, monkeypatch: pytest.MonkeyPatch, after: str) -> None:
    lived(world.alice)
    counts = {table: len(rows) for table, rows in rows_of(world.alice).items()}
    request = requested(world.alice)
    step = order.STEPS[after]

    def dies(*args: Any) -> None:
        step(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(order.STEPS, after, dies)
        with pytest.raises(KeyboardInterrupt):
            order.run(request.id)
    row = order.run(request.id)
    assert row.receipt is not None and (row.state, row.receipt["receipt"]["left"]) == (RequestState.DONE, {})
    stores = {store["store"]: (store["before"], store["after"]) for store in row.receipt["receipt"]["stores"]}
    assert stores.pop("archive") == (1, 0)
    assert stores == {table: (count, 0) for table, count in counts.items()}


@pytest.mark.parametrize(("place", "step"), list(enumerate(order.STEPS)))
def test_an_outage_in_any_step_leaves_it_to_the_next_run(
    world: World, monkeypatch: pytest.MonkeyPatch, place: int, step: str
) -> None:
    lived(world.alice)
    request = requested(world.alice)
    problem = (OperationalError("the server went away"), redis.ConnectionError("gone"), OSError(errno.ENOSPC, "full"))[place % 3]

    def fails(*args: Any) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setitem(order.STEPS, step, fails)
        with pytest.raises(type(problem)):
            order.run(request.id)
    row = order.run(request.id)
    assert row.receipt is not None and (row.state, row.receipt["receipt"]["left"]) == (RequestState.DONE, {})


def test_a_cache_that_does_not_answer_is_asked_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(world.alice)
    request = requested(world.alice)

    def silent() -> Any:
        raise redis.TimeoutError("Timeout reading from socket")

    with monkeypatch.context() as patch:
        patch.setattr(window, "_valkey", silent)
        with pytest.raises(redis.TimeoutError):
            order.run(request.id)
    assert ErasureRequest.objects.using("erase").get(id=request.id).steps[-1] == "rows"
    assert order.run(request.id).state == RequestState.DONE


def test_from_the_freeze_on_nobody_writes_in_their_name(world: World) -> None:
    lived(world.alice)
    request = requested(world.alice)
    order._freeze(order.target_of(request), request)
    with pytest.raises(Frozen), scoped(world.alice):
        raise AssertionError("never reached")
    with pytest.raises(Frozen), scoped(world.mei, subject=world.alice.member):
        raise AssertionError("nor by staff who had opened the member")
    with pytest.raises(Frozen):
        ask(world.alice, "late", uuid.uuid4())
    tasks.remember()
    with scoped(world.bob):
        assert True
    order.run(request.id)
    with pytest.raises(Frozen), scoped(world.alice):
        raise AssertionError("nor once they are gone")


def test_one_community_only(world: World) -> None:
    lived(world.alice)
    with connections["owner"].cursor():
        other = Membership.objects.using("owner").create(user_id=world.alice.person, community_id=world.charlie.community)
    row = order.run(requested(world.alice, account=False).id)
    assert row.state == RequestState.DONE and row.receipt and row.receipt["receipt"]["covers"] == "community"
    assert User.objects.filter(id=world.alice.person, is_active=True).exists()
    assert list(Membership.objects.using("owner").filter(user_id=world.alice.person)) == [other]
    last = ErasureRequest.objects.using("erase").create(
        community_id=world.charlie.community, person_id=world.alice.person, member=other.id, account=False, own=False,
        due_at=timezone.now(), state=RequestState.APPROVED, cools_until=timezone.now())  # fmt: skip
    assert order.run(last.id).state == RequestState.DONE
    assert not User.objects.filter(id=world.alice.person).exists(), "with the last membership the account goes"


def test_a_rule_that_is_not_carried_out_ends_as_partial(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(world.alice)
    parts = plan.parts
    monkeypatch.setattr(plan, "parts", lambda target: [part for part in parts(target) if part.table != "memory_audittext"])
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE profiles_membership DISABLE TRIGGER membership_ends")
        try:
            row = order.run(requested(world.alice).id)
        finally:
            cursor.execute("ALTER TABLE profiles_membership ENABLE TRIGGER membership_ends")
    assert row.state == RequestState.PARTIAL and row.receipt
    assert row.receipt["receipt"]["left"]["rows memory_audittext"] > 0


def test_other_peoples_own_words_are_counted_and_stay(world: World) -> None:
    name = User.objects.get(id=world.alice.person).username
    said = ask(world.bob, f"I met {name} at the kiln yesterday.", uuid.uuid4())
    row = order.run(requested(world.alice).id)
    assert row.state == RequestState.DONE and row.receipt and row.receipt["receipt"]["named_in_the_words_of_others"] > 0
    with scoped(world.bob):
        from assistant.conversation.models import Turn

        assert name in Turn.objects.get(id=said).question


def test_a_find_that_staff_saved_with_their_address_goes_and_other_finds_stay(world: World) -> None:
    address = f"alice-{world.alice.member.hex[:8]}@example.org"
    User.objects.using("owner").filter(id=world.alice.person).update(email=address)
    with scoped(world.mei):
        for name, words in (("hers", address), ("another's", f"m{address}"), (f"of {address}", "tea"), ("tea", "tea")):
            assert searches.save(world.mei, name, urlencode({"q": words}))
    row = order.run(requested(world.alice).id)
    assert (row.state, row.receipt and row.receipt["receipt"]["left"]) == (RequestState.DONE, {})
    with scoped(world.mei):
        assert [search.name for search in searches.kept(world.mei)] == ["another's", "tea"]


def test_who_comes_back_with_a_restored_backup_goes_again(world: World) -> None:
    lived(world.alice)
    person = User.objects.get(id=world.alice.person)
    member = Membership.objects.using("owner").get(id=world.alice.member)
    order.run(requested(world.alice).id)
    assert gone.returned() == []
    person.save(using="owner", force_insert=True)
    member.save(using="owner", force_insert=True)
    ask(world.alice, only_hers(world.alice), uuid.uuid4())
    (found,) = gone.returned()
    assert found == plan.Target(person.id, (member.id,), True)
    order.erase(found)
    assert gone.returned() == [] and not User.objects.filter(id=person.id).exists()
    assert sweep.look(marks.Marks(str(person.id), True, (str(member.id), str(person.id)), (), (), ())).traces == {}


def test_the_command_does_it_all_and_a_stranger_verifies(world: World, tmp_path: Path) -> None:
    lived(world.alice)
    name, mei = (User.objects.get(id=one.person).username for one in (world.alice, world.mei))
    bob = User.objects.get(id=world.bob.person).username
    file, key = tmp_path / "receipt.json", tmp_path / "key.pem"
    for who in (bob, name, "nobody-there"):
        with pytest.raises(CommandError):
            call_command("erase_user", name, "--reason", "she asked", "--approved-by", who, "-o", str(file))
    Membership.objects.using("owner").filter(id=world.mei.member).update(role="admin")
    call_command("erase_user", name, "--reason", "she asked", "--approved-by", mei, "-o", str(file), stdout=StringIO())
    said = json.loads(file.read_text())
    key.write_text(said["public_key"])
    out = StringIO()
    call_command("verify_receipt", str(file), "--public-key", str(key), "--name", name, stdout=out)
    assert "Valid: done" in out.getvalue()
    with pytest.raises(CommandError):
        call_command("verify_receipt", str(file), "--name", bob)
    said["receipt"]["state"] = "partial"
    file.write_text(json.dumps(said))
    with pytest.raises(CommandError):
        call_command("verify_receipt", str(file), "--public-key", str(key))


def test_every_table_that_loses_rows_is_in_the_plan() -> None:
    target = plan.Target(uuid.uuid4(), (uuid.uuid4(),), True)
    tables = [part.table for part in plan.parts(target)]
    wanted = {table for table, rule in erasure.TABLES.items() if rule.how in (erasure.How.CASCADE, erasure.How.OWNED)}
    apart = {"django_admin_log", "memory_passagevector", "memory_questionvector", "memory_sheet"}
    assert wanted - set(tables) == apart, "a step of its own; stay with what they hang on"
    assert tables.index("memory_version") < tables.index("memory_memory") < tables.index("profiles_membership") < tables.index("profiles_user")


def test_the_first_steps_by_page_or_program(world: World) -> None:
    with scoped(world.alice):
        row = requests.ask(world.alice)
        assert requests.ask(world.alice).id == row.id, "one that is open is given again"
        for password, phrase in (("wrong", row.phrase), ("demo-password", "something else")):
            with pytest.raises(requests.Refused):
                requests.confirm(world.alice, row.id, password=password, phrase=phrase)
    with pytest.raises(requests.Refused), scoped(world.bob):
        requests.cancel(world.bob, row.id)
    with scoped(world.alice):
        requests.cancel(world.alice, row.id)
    assert row.id not in requests.due()


def test_a_cancel_that_came_first_is_not_overtaken_by_the_freeze(world: World) -> None:
    request = requested(world.alice)
    stale = ErasureRequest.objects.using("erase").get(id=request.id)
    ErasureRequest.objects.using("erase").filter(id=request.id).update(state=RequestState.CANCELLED)
    with pytest.raises(order.Overtaken):
        order._freeze(order.target_of(stale), stale)
    assert order.run(request.id).state == RequestState.CANCELLED
    with scoped(world.alice):
        assert User.objects.filter(id=world.alice.person, is_active=True).exists(), "nothing has begun"


def test_the_operator_erases_what_was_asked_for_and_nothing_wider(world: World, tmp_path: Path) -> None:
    name, mei = (User.objects.get(id=one.person).username for one in (world.alice, world.mei))
    Membership.objects.using("owner").filter(id=world.mei.member).update(role="admin")
    other = Membership.objects.using("owner").create(user_id=world.alice.person, community_id=world.charlie.community)
    with scoped(world.alice):
        asked = requests.ask(world.alice)
    call_command("erase_user", name, "--reason", "x", "--approved-by", mei, "--community", world.alice.slug,
                 "-o", str(tmp_path / "r.json"), stdout=StringIO())  # fmt: skip
    assert User.objects.filter(id=world.alice.person, is_active=True).exists()
    assert Membership.objects.using("owner").filter(id=other.id).exists()
    assert ErasureRequest.objects.using("erase").get(id=asked.id).state == RequestState.CANCELLED


def test_staffs_open_request_does_not_stand_in_the_way_of_the_persons_own(world: World) -> None:
    with scoped(world.mei):
        theirs = requests.ask(world.mei, member=world.alice.member, reason="x")
    with scoped(world.alice):
        mine = requests.ask(world.alice)
    assert mine.own and mine.account and mine.id != theirs.id
    assert ErasureRequest.objects.using("erase").get(id=theirs.id).state == RequestState.CANCELLED
