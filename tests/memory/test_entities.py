"""What memories name: entities and edges that live and die with the words of their memory, and are asked for one hop away."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from memory import correct, entities, ledger, policy, recall, remember, rollback
from memory.extraction.rules import read
from memory.ledger import Said
from memory.models import Edge, Entity, Memory
from memory.terms import Origin, Scope
from profiles.access import Agent, Reader, scoped
from profiles.learn import profile_of
from profiles.models import User
from tests.caller import Caller
from tests.memory.test_upkeep import keep
from tests.people import World

AT = datetime(2026, 3, 1, 4, tzinfo=UTC)


def tell(reader: Reader, text: str, turn: uuid.UUID | None = None) -> list[Memory]:
    """What the reader says, through the hot path."""
    with scoped(reader):
        said = Said(turn or uuid.uuid4(), uuid.uuid4(), timezone.now())
        return [change.memory for change in remember.notice(reader, profile_of(reader), text, said).changes]


def names(reader: Reader) -> dict[str, str]:
    with scoped(reader):
        return dict(Entity.objects.filter(owner_id=reader.member).values_list("name", "kind"))


def edges(reader: Reader) -> set[tuple[str, str, str]]:
    with scoped(reader):
        return {(one.subject.name if one.subject else "me", one.relation, one.object.name)
                for one in entities.everything(reader.member)}  # fmt: skip


CASES = {
    "en": ("Anna leads project Falcon", ("Falcon", "led_by", "Anna"), "who leads Falcon?"),
    "zh": ("报销需要主管审批", ("报销", "needs", "主管审批"), "what does 报销 need?"),
    "zh2": ("Falcon 项目由王芳负责", ("Falcon", "led_by", "王芳"), "谁负责 Falcon？"),
    "en2": ("Expenses need the manager's approval.", ("Expenses", "needs", "manager's approval"), "What do expenses need?"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_question_about_an_entity_is_answered_by_the_memory_that_names_it(world: World, case: str) -> None:
    text, edge, question = CASES[case]
    (memory,) = tell(world.alice, text)
    tell(world.alice, "I like tea." if case.startswith("en") else "我喜欢喝茶。")
    assert memory.category == "relation" and edge in edges(world.alice)
    with scoped(world.alice):
        assert recall.recall(world.alice, question).memories[0].id == memory.id
        named = entities.named_in(world.alice, question)
        assert [one.name for one in named] == [edge[0]]
        (one,) = entities.neighbours(world.alice, named[0].id)
        assert (one.relation, one.object.name, one.memory, one.text) == (edge[1], edge[2], memory.id, memory.text)
        assert {known.name for known in entities.of(world.alice, [memory.id])[memory.id]} == {edge[0], edge[2]}
    assert edges(world.bob) == set()
    with scoped(world.bob):
        assert not Entity.objects.exists() and not Edge.objects.exists()
        assert entities.named_in(world.bob, question) == []


def test_one_entity_is_named_by_many_memories_and_is_of_the_sort_that_is_known(world: World) -> None:
    for text in ("Falcon uses Django", "Falcon depends on Redis", "Anna leads project Falcon", "I live in Oslo",
                 "my sister Lena lives in Oslo"):  # fmt: skip
        tell(world.alice, text)
    assert names(world.alice) == {"Falcon": "project", "Django": "tool", "Redis": "thing", "Anna": "person",
                                  "Oslo": "place", "Lena": "person"}  # fmt: skip
    with scoped(world.alice):
        (falcon,) = entities.named_in(world.alice, "Is the falcon ready?")
        around = {(one.relation, one.object.name) for one in entities.neighbours(world.alice, falcon.id)}
        assert around == {("uses", "Django"), ("depends_on", "Redis"), ("led_by", "Anna")}
        own = {(one.relation, one.object.name) for one in entities.neighbours(world.alice, None)}
        assert own == {("lives_in", "Oslo"), ("family", "Lena")}


def test_a_name_is_found_as_a_whole_word_or_in_a_run_of_chinese(world: World) -> None:
    for text in ("Anna leads project Falcon", "小明是我的同事"):
        tell(world.alice, text)
    with scoped(world.alice):
        assert [one.name for one in entities.named_in(world.alice, "Annabel saw falconry")] == []
        assert [one.name for one in entities.named_in(world.alice, "ANNA 认识小明吗？")] == ["Anna", "小明"]


def test_an_entity_is_there_once_whatever_two_workers_write(world: World) -> None:
    tell(world.alice, "I live in Oslo")
    with scoped(world.alice):
        row = Entity.objects.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Entity.objects.create(community_id=row.community_id, owner_id=row.owner_id, name="OSLO", kind=row.kind,
                                  normal=row.normal)  # fmt: skip
        edge = Edge.objects.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Edge.objects.create(community_id=row.community_id, owner_id=row.owner_id, memory_id=edge.memory_id,
                                relation=edge.relation, object=row)  # fmt: skip


@pytest.mark.parametrize("round", range(3))
def test_two_workers_name_one_entity_and_a_third_forgets_what_named_it(world: World, round: int) -> None:
    (old,) = tell(world.alice, "Falcon uses Django")
    texts = ("Anna leads project Falcon", "Falcon depends on Redis")

    def work(job: object) -> None:
        try:
            if isinstance(job, str):
                tell(world.alice, job)
            else:
                with scoped(world.alice):
                    correct.forget(world.alice, old.id)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, [texts[0], None, texts[1]]))
    assert edges(world.alice) == {("Falcon", "led_by", "Anna"), ("Falcon", "depends_on", "Redis")}
    assert sorted(names(world.alice)) == ["Anna", "Falcon", "Redis"]


def test_what_is_said_twice_is_one_memory_with_the_same_edges(world: World) -> None:
    tell(world.alice, "Anna leads project Falcon")
    tell(world.alice, "Falcon is led by Anna")
    assert edges(world.alice) == {("Falcon", "led_by", "Anna")}
    with scoped(world.alice):
        assert Memory.objects.get(attribute="led_by").evidence == 2 and Edge.objects.count() == 1


@pytest.mark.parametrize("texts", [("Anna leads project Falcon", "Tom now leads Falcon"),
                                   ("Falcon 项目由王芳负责", "小明现在负责 Falcon")])  # fmt: skip
def test_what_is_superseded_ties_nothing_any_more_until_it_is_current_again(world: World, texts: tuple[str, str]) -> None:
    tell(world.alice, texts[0])
    before = edges(world.alice)
    (new,) = tell(world.alice, texts[1])
    after = edges(world.alice)
    assert len(before) == len(after) == 1 and before != after
    with scoped(world.alice):
        change = new.versions.get().change
        assert correct.undo(world.alice, change) is not None
    assert edges(world.alice) == before


def test_what_is_so_no_longer_ties_nothing_and_another_s_end_says_nothing_of_it(world: World) -> None:
    tell(world.alice, "Anna leads project Falcon")
    tell(world.alice, "Tom no longer leads Falcon")
    assert edges(world.alice) == {("Falcon", "led_by", "Anna")}
    tell(world.alice, "Anna no longer leads Falcon")
    assert edges(world.alice) == set()


@pytest.mark.parametrize("text", ["报销需要主管审批", "my sister Lena lives in Oslo"])
def test_forgetting_takes_what_nothing_else_names_and_undoing_brings_it_back(world: World, text: str) -> None:
    tell(world.alice, "I live in Oslo")
    (memory,) = tell(world.alice, text)
    before, named = edges(world.alice), names(world.alice)
    with scoped(world.alice):
        change = correct.forget(world.alice, memory.id)
        assert change is not None
    assert names(world.alice) == {"Oslo": "place"}
    assert edges(world.alice) == {("me", "lives_in", "Oslo")}
    with scoped(world.alice):
        assert Edge.objects.count() == 1, "not hidden: gone"
        assert entities.named_in(world.alice, text) == ([] if "Oslo" not in text else entities.named_in(world.alice, "Oslo"))
        correct.undo(world.alice, change.id)
    assert edges(world.alice) == before and names(world.alice) == named


def test_a_rollback_takes_the_edges_of_a_turn(world: World) -> None:
    turn = uuid.uuid4()
    tell(world.alice, "Anna leads project Falcon", turn)
    with scoped(world.alice):
        assert rollback.rollback(world.alice, rollback.Writes(turn=turn)).back
    assert names(world.alice) == {} and edges(world.alice) == set()


def test_what_is_archived_ties_nothing_and_on_the_shelf_names_nothing(world: World) -> None:
    (memory,) = tell(world.alice, "Anna leads project Falcon")
    with scoped(world.alice):
        ledger.archive(world.alice, Memory.objects.get(id=memory.id), at=timezone.now(), reason="cold")
    assert edges(world.alice) == set()
    assert keep(world.alice, policy.SHELF_DAYS + 1)["shelve"] == 1
    assert names(world.alice) == {}, "its words are in the file alone"
    with scoped(world.alice):
        row = correct.own(world.alice, memory.id)
        assert row is not None
        correct.restore(world.alice, row, 1)
    assert edges(world.alice) == {("Falcon", "led_by", "Anna")}


def test_another_name_written_by_hand_is_another_entity(world: World) -> None:
    (memory,) = tell(world.alice, "Anna leads project Falcon")
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
        correct.revise(world.alice, row, {"value": "Tom", "text": "Tom leads project Falcon"})
    assert edges(world.alice) == {("Falcon", "led_by", "Tom")} and set(names(world.alice)) == {"Falcon", "Tom"}


def test_what_the_community_shares_names_nobodys_entities(world: World) -> None:
    claim = read("记住：报销需要主管审批", at=AT, zone=ZoneInfo("UTC")).claims[0]
    with scoped(world.mei):
        holder = ledger.Holder(None, Scope.COMMUNITY)
        ledger.state(world.mei, claim, holder, origin=Origin.CONFIRMED, actor="moderator")
        assert not Edge.objects.exists()


def test_an_assistant_that_may_not_read_a_memory_does_not_hear_what_it_names(world: World) -> None:
    (memory,) = tell(world.alice, "Anna leads project Falcon")
    blind = replace(world.alice, agent=Agent(uuid.uuid4(), frozenset({"community:semantic"}), frozenset()))
    with scoped(blind):
        assert entities.named_in(blind, "Falcon") == [] and entities.neighbours(blind, None) == []
        assert entities.of(blind, [memory.id]) == {}


@pytest.mark.parametrize(("text", "line"), [("Anna leads project Falcon", "Falcon · is led by · Anna"),
                                            ("I live in Oslo", "{} · lives in · Oslo")])  # fmt: skip
def test_the_pages_of_the_member_and_of_staff_list_the_edges(world: World, text: str, line: str) -> None:
    page, staff = Caller(world.alice).client, Caller(world.mei).client
    assert "How things belong together" not in page.get("/me/memory/").content.decode()
    tell(world.alice, text)
    with scoped(world.alice):
        called = User.objects.get(id=world.alice.person).called
    assert line.format("you") in page.get("/me/memory/").content.decode()
    opened = staff.get(f"/staff/members/{world.alice.member}/?reason=she+asked").content.decode()
    assert line.format(called) in opened
    assert line.format("you") not in Caller(world.bob).client.get("/me/memory/").content.decode()


def test_what_was_remembered_before_there_were_entities_gets_its_own(world: World) -> None:
    for text in ("Anna leads project Falcon", "I live in Oslo", "报销需要主管审批"):
        tell(world.alice, text)
    before, named = edges(world.alice), names(world.alice)
    Entity.objects.using("owner").filter(owner_id=world.alice.member).delete()
    assert edges(world.alice) == set()
    migration = import_module("memory.migrations.0019_entities")
    for _ in range(2):
        migration.link(apps, SimpleNamespace(connection=connections["owner"]))
        assert edges(world.alice) == before and names(world.alice) == named
