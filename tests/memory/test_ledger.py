"""The only writer: one current memory a slot, evidence, undo, tombstones, and a chain that shows tampering."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memory import audit, ledger
from memory.ledger import Change
from memory.models import AuditEvent, Memory, Version
from memory.terms import Origin, Status
from profiles.access import scoped
from tests.people import World, likes, said


def add(world: World, value: str, attribute: str = "likes", turn: uuid.UUID | None = None) -> Change | None:
    with scoped(world.alice):
        claim = likes(value, attribute=attribute)
        return ledger.add(world.alice, claim, said(turn), origin=Origin.TOLD, actor="member")


def live(world: World) -> list[Memory]:
    with scoped(world.alice):
        return list(Memory.objects.live())


def test_the_same_fact_five_times_is_one_memory_with_evidence_five(world: World) -> None:
    for _ in range(5):
        add(world, "Sichuan food")
    assert [(memory.value, memory.evidence) for memory in live(world)] == [("Sichuan food", 5)]


def test_one_turn_read_twice_is_no_second_evidence(world: World) -> None:
    turn = uuid.uuid4()
    add(world, "tea", turn=turn)
    assert add(world, "tea", turn=turn) is None
    assert live(world)[0].evidence == 1


@pytest.mark.parametrize("value", ["川菜", "Sichuan food"])
def test_a_dislike_ends_the_liking_and_keeps_it_as_history(world: World, value: str) -> None:
    add(world, value)
    add(world, value, attribute="dislikes")
    assert [memory.attribute for memory in live(world)] == ["dislikes"]
    with scoped(world.alice):
        old = Memory.objects.get(status=Status.SUPERSEDED)
        assert old.attribute == "likes"
        assert old.valid_to is not None
        assert old.replaced_by_id == live(world)[0].id


def test_undoing_a_correction_brings_the_corrected_fact_back(world: World) -> None:
    add(world, "川菜")
    change = add(world, "川菜", attribute="dislikes")
    assert change is not None
    with scoped(world.alice):
        ledger.undo(world.alice, change.id, actor="member")
    assert [memory.attribute for memory in live(world)] == ["likes"]


def test_a_forgotten_fact_does_not_come_back_by_itself(world: World) -> None:
    change = add(world, "tea")
    assert change is not None
    with scoped(world.alice):
        ledger.forget(world.alice, change.memory, None, actor="member")
    assert add(world, "tea") is None
    assert live(world) == []


def test_a_change_of_an_old_version_is_refused_with_the_newer_text(world: World) -> None:
    change = add(world, "tea")
    assert change is not None
    stale = change.memory
    add(world, "tea")
    with pytest.raises(ledger.Stale) as refused, scoped(world.alice):
        ledger.flag(world.alice, stale, None, actor="member")
    assert refused.value.current.version == 2


def test_two_workers_with_one_turn_write_one_memory(world: World) -> None:
    turn = uuid.uuid4()

    def work(_: int) -> None:
        try:
            add(world, "tea", turn=turn)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))
    assert [(memory.value, memory.evidence) for memory in live(world)] == [("tea", 1)]


def test_every_change_has_a_version_and_an_audit_line(world: World) -> None:
    add(world, "tea")
    add(world, "tea", attribute="dislikes")
    with scoped(world.alice):
        assert list(Version.objects.order_by("at").values_list("action", flat=True)) == ["added", "ended", "superseded"]
    with scoped(world.mei):
        assert AuditEvent.objects.count() == 3
        assert audit.verify(world.mei.community) == audit.Check(3, None)


@pytest.mark.parametrize("field", ["action", "commitment", "digest"])
def test_the_chain_shows_what_was_tampered_with(world: World, field: str) -> None:
    for value in ("tea", "coffee", "water"):
        add(world, value)
    lines = AuditEvent.objects.using("owner").filter(community_id=world.alice.community)
    lines.filter(position=2).update(**{field: "forged"})
    assert audit.verify(world.alice.community, using="owner").broken_at == 2


def test_the_chain_verifies_when_a_text_is_gone(world: World) -> None:
    add(world, "tea")
    add(world, "coffee")
    AuditEvent.objects.using("owner").get(community_id=world.alice.community, position=1).text.delete(using="owner")
    assert audit.verify(world.alice.community, using="owner") == audit.Check(2, None)
