"""The plain statement by which recall reads memories takes exactly what their reader may read and what holds now."""

import uuid
from dataclasses import replace
from datetime import timedelta
from itertools import product

from django.utils import timezone

from memory import recall
from memory.models import Memory
from memory.retrieval.score import Asked
from memory.terms import Category, Kind, Origin, Scope, Status
from profiles.access import Agent, Reader, scoped
from profiles.models import Space
from tests.people import World


def test_it_reads_what_the_slower_one_reads(world: World) -> None:
    inside, outside = (Space.objects.using("owner").create(community_id=world.alice.community, slug=slug, name=slug)
                       for slug in ("inside", "outside"))  # fmt: skip
    past, future = (timezone.now() + timedelta(days=days) for days in (-1, 1))
    rows = []
    for status, category, ends, pinned, attribute in product(
        (Status.ACTIVE, Status.SUPERSEDED), (Category.FACT, Category.TASK), (None, past, future), (False, True), ("likes", "dislikes")
    ):  # fmt: skip
        for owner, scope, space in (
            (world.alice, Scope.PERSONAL, None), (world.bob, Scope.PERSONAL, None), (world.charlie, Scope.PERSONAL, None),
            (world.alice, Scope.SPACE, inside), (world.alice, Scope.SPACE, outside),
            (world.mei, Scope.COMMUNITY, None), (world.charlie, Scope.COMMUNITY, None),
        ):  # fmt: skip
            rows.append(Memory(
                community_id=owner.community, owner_id=owner.member, scope=scope, space=space, kind=Kind.SEMANTIC, status=status,
                category=category, valid_to=ends, pinned=pinned, attribute=attribute, subject="me", value="v", text="t",
                slot=str(uuid.uuid4()), terms=["t"], language="en", origin=Origin.TOLD, importance=0.5, confidence=0.9,
            ))  # fmt: skip
    Memory.objects.using("owner").bulk_create(rows)
    alice = replace(world.alice, spaces=(inside.id,))
    narrow = Agent(uuid.uuid4(), frozenset({"community:semantic", "personal:episodic"}), frozenset())
    for reader, attributes in product(
        (alice, replace(alice, agent=narrow), world.bob), (frozenset[str](), frozenset({"likes"}))
    ):
        plain, usual = _both(reader, attributes)
        assert plain == usual
        assert usual


def _both(reader: Reader, attributes: frozenset[str]) -> tuple[set[uuid.UUID], set[uuid.UUID]]:
    with scoped(reader):
        found = recall._memories(reader, Asked((), {}, attributes, timezone.now()))
        live = Memory.objects.readable_by(reader).live()
        usual = live.exclude(attribute="dislikes") if attributes else live
        return {row.hit.id for row in found}, set(usual.values_list("id", flat=True))
