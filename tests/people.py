"""The people of the tests: Alice and Bob share a community, Mei moderates it, Charlie belongs to another."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from memory import bringing
from memory.extraction.claims import Claim
from memory.ledger import Said
from memory.terms import Category, Kind
from profiles.access import Reader, reader_for, scoped
from profiles.models import Community, Membership, Role, User


@dataclass(frozen=True, slots=True)
class World:
    """One test's readers."""

    alice: Reader
    bob: Reader
    mei: Reader
    charlie: Reader


def make_world(mark: str) -> World:
    """Made by the tables' owner, as the application may not make others members."""
    here = Community.objects.using("owner").create(slug=f"here-{mark}", name="Here")
    there = Community.objects.using("owner").create(slug=f"there-{mark}", name="There")
    return World(
        _member("alice", mark, here, Role.MEMBER), _member("bob", mark, here, Role.MEMBER),
        _member("mei", mark, here, Role.MODERATOR), _member("charlie", mark, there, Role.MEMBER),
    )  # fmt: skip


def _member(name: str, mark: str, community: Community, role: str) -> Reader:
    user = User.objects.using("owner").create(username=f"{name}-{mark}")
    Membership.objects.using("owner").create(user=user, community=community, role=role, memory_on=True)
    reader = reader_for(user.id)
    assert reader is not None
    return reader


def likes(value: str, *, attribute: str = "likes", quote: str = "") -> Claim:
    """A claim about a taste."""
    return Claim(
        Kind.SEMANTIC,
        Category.PREFERENCE,
        "me",
        attribute,
        value,
        f"{attribute} {value}",
        quote or value,
        "en",
        0.5,
        0.9,
    )


def said(turn: uuid.UUID | None = None) -> Said:
    """Words of one turn."""
    return Said(turn or uuid.uuid4(), uuid.uuid4(), datetime(2026, 3, 1, 12, tzinfo=UTC))


def imported(reader: Reader, **files: str) -> uuid.UUID:
    """Markdown files become knowledge: by their name without its ending, what they say. Returns the id of the import."""
    with scoped(reader):
        row = bringing.begin(reader, None)
        for name, text in files.items():
            bringing.add(row, f"{name}.md", text)
        bringing.show(reader, row)
        assert bringing.agree(reader, row.id, row.plan, [])
    while bringing.go_on(reader, row.id):
        pass
    return row.id
