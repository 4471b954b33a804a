"""A wall taken away turns a test red: each of these tests would notice."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import IntegrityError, connection

from assistant.conversation import regions
from assistant.erasing import plan
from memory import audit, exchanges, recall
from profiles.access import scoped
from tests.erasing import test_erasing
from tests.people import World
from tests.probes import test_instructions
from tests.scripted import Scripted
from tests.test_code_alone import leaks

APPENDS, WRITERS = 100, 8
OWN, HERE = "owner_id = %(member)s", "community_id = %(community)s"


def test_eight_writers_with_a_hundred_lines_each_write_one_chain(world: World) -> None:
    together(world)


def together(world: World) -> None:
    """Raises where a line is lost, or follows another than the one before it."""

    def work(number: int) -> None:
        try:
            for line in range(APPENDS):
                with scoped(world.mei):
                    audit.write(world.mei, "looked", None, world.alice.member, reason=f"{number}/{line}")
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(work, range(WRITERS)))
    with scoped(world.mei):
        assert audit.verify(world.mei.community) == audit.Check(WRITERS * APPENDS, None)


@contextmanager
def function(name: str, old: str, new: str) -> Iterator[None]:
    """A function of the database without one of its lines."""
    dsn = settings.PLACE.dsn("postgres", settings.DATABASES["default"]["NAME"])
    with psycopg.connect(dsn, autocommit=True) as owner:
        (usual,) = owner.execute("SELECT pg_get_functiondef(%s::regproc)", [name]).fetchone() or ("",)
        assert old in usual
        owner.execute(usual.replace(old, new).encode())
        try:
            yield
        finally:
            owner.execute(usual.encode())


@contextmanager
def put(place: Any, name: str, value: Any) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, name, value)
        yield


def no_leak(world: World) -> None:
    assert leaks({"甲金": world.alice, "乙木": world.bob, "丙水": world.charlie}) == []


def parts_but(table: str, parts: Callable[[plan.Target], Any], target: plan.Target) -> list[Any]:
    return [part for part in parts(target) if part.table != table]


MUTANTS: dict[str, tuple[Any, Callable[[World], None]]] = {
    "the owner filter of memories": (
        partial(put, recall, "_LIVE", recall._LIVE.replace(f"{OWN} AND ", "")), no_leak),
    "the owner filter of past exchanges": (
        partial(put, exchanges, "_READ", exchanges._READ.replace("owner_id = %(member)s AND community_id", "community_id")), no_leak),
    "the tenant filter of memories": (
        partial(put, recall, "_LIVE", recall._LIVE.replace(f"{OWN} AND ", "").replace(f"{HERE} AND ", "")), no_leak),
    "the epoch check": (
        partial(function, "kith_enter", "AND frozen_at IS NULL", ""), test_erasing.test_from_the_freeze_on_nobody_writes_in_their_name),
    "the advisory lock": (
        partial(function, "kith_audit", "PERFORM pg_advisory_xact_lock(hashtextextended('kith audit ' || of_community::text, 0));", ""),
        together),
    **{f"the purge rule of {table}": (
        partial(put, plan, "parts", partial(parts_but, table, plan.parts)),
        test_erasing.test_everything_goes_and_a_bystander_with_the_same_words_keeps_every_row)
       for table in ("memory_memory", "memory_episode", "memory_audittext", "conversation_turn", "profiles_profile")},
}  # fmt: skip


@pytest.mark.parametrize("wall", MUTANTS)
def test_without_it_a_test_is_red(world: World, wall: str) -> None:
    without, test = MUTANTS[wall]
    with without(), pytest.raises((AssertionError, IntegrityError)):
        test(world)


def test_without_the_sanitiser_a_test_is_red(world: World, script: Scripted) -> None:
    script.step(lambda seen: seen.streamed, "OK.", endless=True)
    with put(regions, "safe", str), pytest.raises(AssertionError):
        test_instructions.test_an_order_stays_what_one_member_said(world, script, "en", "pasted")
