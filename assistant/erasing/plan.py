"""What an erasure takes from each table, by the rules in `assistant.erasure`: one statement each, children first."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models

from assistant.erasure import TABLES, How

MEMBERSHIP, ACCOUNT = "profiles_membership", "profiles_user"
NOT_HERE = frozenset({"profiles_erasurerequest", "memory_passage", "memory_import", "memory_swap", "django_admin_log"})
"""Taken care of by a step of their own: their rows stay, or are found by more than one column."""


@dataclass(frozen=True, slots=True)
class Target:
    """Who is erased: memberships by id, and the account itself if `account`."""

    person: uuid.UUID
    members: tuple[uuid.UUID, ...]
    account: bool


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one table that go: a condition, for `%(person)s` and `%(members)s`."""

    table: str
    rule: str
    where: str

    @property
    def count(self) -> str:
        return f'SELECT count(*) FROM "{self.table}" WHERE {self.where}'  # noqa: S608 - names of our own tables

    @property
    def delete(self) -> str:
        return f'DELETE FROM "{self.table}" WHERE {self.where}'  # noqa: S608


def parts(target: Target) -> list[Part]:
    """Every table that loses rows, each one before those that it hangs on."""
    found = [Part(table, str(TABLES[table].how), where) for table, where in _conditions(account=target.account).items()]
    return sorted(found, key=lambda part: -_depth(part.table))


def values(target: Target) -> dict[str, Any]:
    """For the conditions."""
    return {"person": target.person, "members": list(target.members)}


def goes(table: str) -> bool:
    """Whether rows of it are deleted: what hangs on something that stays, stays."""
    if table in NOT_HERE or TABLES[table].how not in (How.CASCADE, How.OWNED):
        return False
    parent = _parent(table)
    return parent in (None, MEMBERSHIP, ACCOUNT) or table == ACCOUNT or goes(str(parent))


def _conditions(*, account: bool) -> dict[str, str]:
    wanted = {table: _where(table) for table in TABLES if goes(table)}
    return {table: where for table, where in wanted.items() if account or "%(person)s" not in where}


def _where(table: str) -> str:
    """Whose rows they are, followed up to a membership or an account."""
    if table == MEMBERSHIP:
        return "id = ANY(%(members)s)"
    column, parent = TABLES[table].by, _parent(table)
    if table == ACCOUNT or parent == ACCOUNT:
        return f"{column} = %(person)s"
    if parent in (None, MEMBERSHIP):  # without a foreign key it is a membership's id
        return f"{column} = ANY(%(members)s)"
    model = _models()[parent]
    return f'{column} IN (SELECT {model._meta.pk.column} FROM "{parent}" WHERE {_where(parent)})'  # noqa: S608


def _parent(table: str) -> str | None:
    field = next(one for one in _models()[table]._meta.concrete_fields if one.column == TABLES[table].by)
    related = field.related_model if isinstance(field, models.ForeignKey) else None
    return related._meta.db_table if related is not None and not isinstance(related, str) else None


def _depth(table: str, seen: frozenset[str] = frozenset()) -> int:
    """How far it hangs below others, whichever way is the longest."""
    above = {one for one in _above(table) if one not in seen | {table}}
    return 1 + max((_depth(one, seen | {table}) for one in above), default=0)


def _above(table: str) -> Iterator[str]:
    for field in _models()[table]._meta.concrete_fields:
        related = field.related_model if isinstance(field, models.ForeignKey) else None
        if related is not None and not isinstance(related, str):
            yield related._meta.db_table


@cache
def _models() -> dict[str, type[models.Model]]:
    return {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
