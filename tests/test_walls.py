"""The walls in the database: no context, no rows; another's context, none of mine."""

import uuid

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction

from assistant import roles
from assistant.conversation.models import Conversation
from memory import audit, ledger
from memory.models import AuditEvent, Memory
from memory.terms import Origin
from profiles.access import scoped
from profiles.models import User
from tests.people import World, likes, said


def remember(world: World) -> uuid.UUID:
    with scoped(world.alice):
        change = ledger.add(world.alice, likes("tea"), said(), origin=Origin.TOLD, actor="member")
        Conversation.objects.create(
            id=uuid.uuid4(), owner_id=world.alice.member, community_id=world.alice.community, title="tea"
        )
    assert change is not None
    return change.memory.id


def test_the_tests_run_as_the_application(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == ("kith_app", False, False)


def test_without_context_nothing_is_seen_and_the_owner_would_see_the_leak(world: World) -> None:
    memory = remember(world)
    assert not Memory.objects.filter(id=memory).exists()
    assert Memory.objects.using("owner").filter(id=memory).exists()


@pytest.mark.parametrize("who", ["bob", "mei", "charlie"])
def test_nobody_else_sees_a_personal_row_even_by_an_unscoped_query(world: World, who: str) -> None:
    memory = remember(world)
    with scoped(world.alice):
        assert Memory.objects.filter(id=memory).exists()
    with scoped(getattr(world, who)):
        assert not Memory.objects.filter(id=memory).exists()
        assert not Conversation.objects.filter(owner_id=world.alice.member).exists()
        assert not Memory.objects.filter(id=memory).update(text="x")


def test_a_row_for_somebody_else_is_refused(world: World) -> None:
    with pytest.raises(DatabaseError), scoped(world.bob):
        Conversation.objects.create(
            id=uuid.uuid4(), owner_id=world.alice.member, community_id=world.bob.community, title="forged"
        )


def test_context_ends_with_its_transaction(world: World) -> None:
    remember(world)
    with scoped(world.alice):
        assert Memory.objects.exists()
    assert not Memory.objects.exists()


def test_a_moderator_sees_a_member_only_as_the_subject_of_the_unit_of_work(world: World) -> None:
    memory = remember(world)
    with scoped(world.mei, subject=world.alice.member):
        assert Memory.objects.filter(id=memory).exists()


def test_the_application_can_neither_change_nor_remove_an_audit_line(world: World) -> None:
    remember(world)
    for forbidden in ("UPDATE memory_auditevent SET action = 'x'", "DELETE FROM memory_auditevent"):
        with (
            pytest.raises(DatabaseError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(forbidden)
    with scoped(world.alice):
        assert not AuditEvent.objects.exists(), "a member does not read the chain"


def test_a_member_sees_who_opened_their_memories_and_why_and_a_neighbour_does_not(world: World) -> None:
    with scoped(world.mei):
        audit.write(world.mei, "opened", None, world.alice.member, reason="she asked 她问了")
    name = User.objects.get(id=world.mei.person).username
    with scoped(world.alice):
        assert [(look.who, look.reason) for look in audit.looks()] == [(name, "she asked 她问了")]
    with scoped(world.bob):
        assert audit.looks() == []
    with scoped(world.charlie):
        assert audit.looks() == []


@pytest.mark.parametrize("version", ["0.8.3", "0.7.4"])
def test_an_older_pgvector_is_refused_with_its_version(version: str) -> None:
    set_to = "UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'"
    name = settings.DATABASES["default"]["NAME"]
    with psycopg.connect(settings.PLACE.dsn("postgres", name), autocommit=True) as superuser:
        (right,) = superuser.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone() or ("",)
        superuser.execute(set_to, [version])
        try:
            with pytest.raises(roles.WeakWalls, match=f"0.8.4 or newer is needed, the database has {version}"):
                roles.check()
        finally:
            superuser.execute(set_to, [right])
    roles.check()


def test_a_role_that_owns_the_tables_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "connections", {"default": connections["owner"]})
    with pytest.raises(roles.WeakWalls, match="owns the tables"):
        roles.check()
