"""What is forgotten stands nowhere in the tables of memory, can be brought back for thirty days, and stays masked."""

import uuid
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connections
from django.test import override_settings
from django.utils import timezone

from memory import correct, keys, ledger, sealed, upkeep
from memory.mask import masker
from memory.models import Key, Memory, Source
from memory.retrieval.text import terms
from memory.terms import Origin, Scope
from profiles.access import scoped
from profiles.models import Membership
from tests.caller import current
from tests.conversation.test_turn import ask
from tests.memory.test_upkeep import add, nothing
from tests.people import World, likes, said

TRANSCRIPTS = {"memory_episode", "memory_audittext"}
"""What was said stays as it was said, under the mask; the audit's words go with an erasure."""
WORDS = [("zebrafont", "I like zebrafont."), ("斑马字体", "我喜欢斑马字体。")]


def holding(world: World, word: str, rooms: str = "memory|profiles") -> set[str]:
    """The tables of these rooms of which some column of some row of the community holds the word, plain."""
    found = set()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename ~ %s", [f"^({rooms})_"])
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t WHERE t::text LIKE %s AND (t::text LIKE %s OR t::text LIKE %s)',
                [f"%{world.alice.community}%", f"%{word}%", f"%{word.encode().hex()}%"],
            )
            if cursor.fetchone()[0]:
                found.add(table)
    return found if "conversation" in rooms else found - TRANSCRIPTS


@pytest.mark.parametrize(("word", "says"), WORDS)
def test_right_after_the_forgetting_no_table_of_memory_holds_the_words(world: World, word: str, says: str) -> None:
    ask(world.alice, says, uuid.uuid4())
    assert {"memory_memory", "memory_version", "memory_source"} <= holding(world, word)
    with scoped(world.alice):
        memory = Memory.objects.live().get()
        correct.revise(world.alice, memory, {"text": f"{memory.text} {word}!"})
        text, kept = memory.text, memory.terms
        change = correct.forget(world.alice, memory.id)
    assert change is not None
    assert holding(world, word) == set()
    with scoped(world.alice):
        assert word not in masker(world.alice)(f"well, {says}")
        correct.undo(world.alice, change.id)
        row = Memory.objects.get(id=memory.id)
        assert (row.text, row.value, row.slot, row.terms) == (text, memory.value, memory.slot, kept)
        assert all(word in version.text and version.content["slot"] == memory.slot for version in row.versions.all())
        assert word in Source.objects.get().quote
        assert row.sealed is None


@pytest.mark.parametrize(("word", "says"), WORDS)
def test_a_version_of_what_was_forgotten_is_brought_back_whole(world: World, word: str, says: str) -> None:
    memory = add(world.alice, likes(word, quote=says))
    with scoped(world.alice):
        correct.revise(world.alice, Memory.objects.get(id=memory.id), {"value": "x", "text": "likes x"})
        correct.forget(world.alice, memory.id)
        row = Memory.objects.get(id=memory.id)
        assert correct.restore(world.alice, row, 9) is None
        with pytest.raises(correct.Unfit):
            correct.restore(world.alice, row, 3)
    assert holding(world, word) == set(), "a restoring that is refused opens nothing"
    with scoped(world.alice):
        correct.restore(world.alice, row, 1)
        row = Memory.objects.get(id=memory.id)
        assert (row.text, row.value, row.slot) == (memory.text, word, memory.slot)
        assert set(terms(word)) <= set(row.terms)


def test_what_is_emptied_holds_nothing_sealed_either(world: World) -> None:
    memory = add(world.alice, likes("zebrafont"))
    with scoped(world.alice):
        correct.forget(world.alice, memory.id)
        assert Memory.objects.get(id=memory.id).sealed is not None
    upkeep.run(world.alice, timezone.now() + timedelta(days=31), blacken=nothing)
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
        assert (row.sealed, row.text) == (None, "")
        assert masker(world.alice)("zebrafont") == "zebrafont"


@pytest.mark.parametrize(("word", "says"), WORDS)
def test_what_the_community_forgets_is_sealed_under_no_members_key(world: World, word: str, says: str) -> None:
    with scoped(world.mei):
        change = correct.state(world.mei, says, scope=Scope.COMMUNITY)
        gone = correct.forget(world.mei, change.memory.id)
    assert gone is not None
    assert holding(world, word) == set()
    with scoped(world.mei):
        assert not Key.objects.exists()
        correct.undo(world.mei, gone.id)
        assert Memory.objects.get(id=change.memory.id).text == says


def test_each_member_has_a_key_that_nobody_else_sees_and_that_goes_with_the_membership(world: World) -> None:
    for reader in (world.alice, world.bob):
        memory = add(reader, likes("zebrafont"))
        with scoped(reader):
            correct.forget(reader, memory.id)
            assert [key.owner_id for key in Key.objects.all()] == [reader.member]
    mine, theirs = Key.objects.using("owner").filter(owner__in=(world.alice.member, world.bob.member)).order_by("made_at")
    assert keys.unwrapped(bytes(mine.wrapped), str(world.alice.member)) != keys.unwrapped(bytes(theirs.wrapped), str(world.bob.member))
    with pytest.raises(keys.Unopened):
        keys.unwrapped(bytes(mine.wrapped), str(world.bob.member))
    Membership.objects.using("owner").get(id=world.alice.member).delete()
    assert list(Key.objects.using("owner").filter(community=world.alice.community)) == [theirs]


def test_staff_forget_under_the_members_key(world: World) -> None:
    memory = add(world.alice, likes("zebrafont"))
    with scoped(world.mei, subject=world.alice.member):
        gone = correct.forget(world.mei, memory.id, owner=world.alice.member)
    assert gone is not None and holding(world, "zebrafont") == set()
    with scoped(world.alice):
        assert "zebrafont" not in masker(world.alice)("likes zebrafont")
        correct.undo(world.alice, gone.id)
    assert current(world.alice) == ["likes zebrafont"]


def test_a_new_installation_key_opens_what_the_old_one_shut_and_without_the_old_one_nothing_is_shown(world: World) -> None:
    memory = add(world.alice, likes("zebrafont"))
    with scoped(world.alice):
        correct.forget(world.alice, memory.id)
    from django.conf import settings

    old = settings.SECRET_KEY
    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=[old]), scoped(world.alice):
        assert masker(world.alice)("zebrafont") == "█"
        assert ledger.add(world.alice, likes("zebrafont"), said(), origin=Origin.TOLD, actor="member") is None
    with override_settings(SECRET_KEY="n" * 50), scoped(world.alice), pytest.raises(keys.Unopened):
        masker(world.alice)


def test_bytes_open_only_where_they_belong_and_unchanged() -> None:
    key = b"k" * 32
    kept = keys.shut(key, "川菜".encode(), "a")
    assert keys.opened(key, kept, "a").decode() == "川菜"
    for other, content, about in ((b"x" * 32, kept, "a"), (key, kept, "b"), (key, kept[:-1] + bytes([kept[-1] ^ 1]), "a")):
        with pytest.raises(keys.Unopened):
            keys.opened(other, content, about)


def test_what_a_hand_decided_before_the_forgetting_still_holds(world: World) -> None:
    """The mark is over the last value alone; the first one is known from what is sealed."""
    turn = said()
    memory = add(world.alice, likes("tea"), turn)
    with scoped(world.alice):
        correct.revise(world.alice, Memory.objects.get(id=memory.id), {"value": "coffee", "text": "likes coffee"})
        correct.forget(world.alice, memory.id)
        assert ledger.add(world.alice, likes("tea"), turn, origin=Origin.TOLD, actor="reader") is None


@pytest.mark.parametrize(("word", "says"), WORDS)
def test_what_was_forgotten_before_there_were_keys_is_sealed_by_the_migration(world: World, word: str, says: str) -> None:
    memory = add(world.alice, likes(word, quote=says))
    with scoped(world.alice):
        kept = Memory.objects.get(id=memory.id)
        change = correct.forget(world.alice, memory.id)
        assert change is not None
        sealed.unseal(Memory.objects.get(id=memory.id))
    assert "memory_memory" in holding(world, word), "as it was before"
    with connections["owner"].schema_editor() as editor:
        import_module("memory.migrations.0012_sealed").seal(apps, editor)
    assert holding(world, word) == set()
    with scoped(world.alice):
        correct.undo(world.alice, change.id)
        row = Memory.objects.get(id=memory.id)
        assert (row.text, row.slot, row.terms) == (kept.text, kept.slot, kept.terms)
