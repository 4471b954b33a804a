"""What an erasure does to every place that could hold something of a person's; a place without a rule is an error.

`account`: the person's own account is `profiles_user`, what is kept of them in a community hangs on a membership.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from django.apps import apps
from django.db import connections, models


class How(StrEnum):
    """What is done."""

    CASCADE = "cascade"
    """Goes with the row that it hangs on: `by` is the chain's first column, required and cascading."""
    OWNED = "owned"
    """Rows whose column `by` names the membership (or the account) are deleted; rows of nobody's stay."""
    MASK = "mask"
    """The row stays, and the name in column `by` is taken out of it."""
    EXPIRE = "expire"
    """Can't be told by person; it is cleared as a whole, or is gone by itself within a known time."""
    KEEP = "keep"
    """Stays as it is; `why` says what makes that right."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How one place is treated, by which column, and why so."""

    how: How
    by: str = ""
    why: str = ""


def _with(column: str) -> Rule:
    return Rule(How.CASCADE, column)


NOBODY = "names nobody and holds no words of a person"
TABLES: Mapping[str, Rule] = {
    "account_emailaddress": _with("user_id"),
    "account_emailconfirmation": _with("email_address_id"),
    "auth_group": Rule(How.KEEP, why=NOBODY),
    "auth_group_permissions": Rule(How.KEEP, why=NOBODY),
    "auth_permission": Rule(How.KEEP, why=NOBODY),
    "conversation_assistant": Rule(How.KEEP, why="an assistant of the community; it speaks of no member"),
    "conversation_assistant_spaces": Rule(How.KEEP, why=NOBODY),
    "conversation_conversation": _with("owner_id"),
    "conversation_feedback": _with("owner_id"),
    "conversation_frame": _with("owner_id"),
    "conversation_summary": _with("owner_id"),
    "conversation_spent": _with("owner_id"),
    "conversation_token": _with("owner_id"),
    "conversation_turn": _with("owner_id"),
    "django_admin_log": Rule(How.OWNED, "user_id", "and the lines whose object_id is the account's id"),
    "django_content_type": Rule(How.KEEP, why=NOBODY),
    "django_migrations": Rule(How.KEEP, why=NOBODY),
    "django_session": Rule(How.EXPIRE, why="all sessions of the account are found by reading each, and deleted"),
    "memory_auditevent": Rule(How.KEEP, why="a skeleton under a pseudonym; without it the chain would not verify"),
    "memory_audittext": Rule(How.OWNED, "subject", "a trigger does it; the chain still verifies"),
    "memory_block": Rule(How.OWNED, "owner_id", "a persona belongs to an assistant and speaks of no member"),
    "memory_blockversion": _with("block_id"),
    "memory_document": Rule(How.KEEP, why="knowledge belongs to the community; its title and key name no author"),
    "memory_edge": _with("owner_id"),
    "memory_embedder": Rule(How.KEEP, why=NOBODY),
    "memory_entity": _with("owner_id"),
    "memory_episode": _with("owner_id"),
    "memory_episodevector": _with("episode_id"),
    "memory_import": Rule(How.MASK, "asked_by_id", "undone_by_id too: what was imported stays, its people are nobody"),
    "memory_key": _with("owner_id"),
    "memory_memory": Rule(How.OWNED, "owner_id", "what the community shares belongs to nobody alone"),
    "memory_memoryvector": _with("memory_id"),
    "memory_overview": _with("owner_id"),
    "memory_part": _with("owner_id"),
    "memory_passage": Rule(How.MASK, "verified_by", "kept_by too: knowledge stays, its people become nobody"),
    "memory_passagevector": _with("passage_id"),
    "memory_proposal": Rule(How.KEEP, why="holds no words: below three members it shows nothing"),
    "memory_pseudonym": Rule(How.OWNED, "member_id", "a trigger does it when a membership ends"),
    "memory_questionvector": _with("passage_id"),
    "memory_recalled": _with("owner_id"),
    "memory_search": _with("owner_id"),
    "memory_sheet": _with("part_of_id"),
    "memory_source": _with("memory_id"),
    "memory_swap": Rule(How.MASK, "verified_by", "knowledge that an import replaced: it stays as passages do"),
    "memory_tombstone": _with("owner_id"),
    "memory_version": _with("memory_id"),
    "memory_wording": _with("owner_id"),
    "profiles_community": Rule(How.KEEP, why="the tenant; its name and description speak of no person"),
    "profiles_erasurerequest": Rule(How.MASK, "person_id", "the request stays, and names nobody any more"),
    "profiles_export": _with("owner_id"),
    "profiles_invitation": Rule(How.KEEP, why="a code of the community; it does not say who used it"),
    "profiles_membership": _with("user_id"),
    "profiles_membership_spaces": _with("membership_id"),
    "profiles_profile": _with("membership_id"),
    "profiles_profilechange": _with("membership_id"),
    "profiles_space": Rule(How.KEEP, why="a place of the community"),
    "profiles_user": Rule(How.OWNED, "id", "the account itself: at the own request, or with the last membership"),
    "profiles_user_groups": _with("user_id"),
    "profiles_user_user_permissions": _with("user_id"),
}
"""Every table of the database."""
CACHE: Mapping[str, Rule] = {
    "kith:1:ready": Rule(How.KEEP, why="is never written: the readiness check only asks for it"),
    "kith:1:allauth": Rule(How.EXPIRE, why="counts of attempts to sign in, by address; gone within a day"),
    "kith:layer": Rule(How.EXPIRE, why="ids of conversations and sockets; gone within a day, and never a word"),
    "kith:window": Rule(How.OWNED, "membership id", "one hash for each member; forgetting drops it too"),
    "kith:queue": Rule(How.EXPIRE, why="names of tasks without arguments; gone as soon as a worker has them"),
}
"""Every prefix of a key in Valkey, which keeps nothing on disk."""
FOLDERS: Mapping[str, Rule] = {
    "postgres": Rule(How.EXPIRE, why="rows by their rules, dead pages by VACUUM and REINDEX; its log is terse"),
    "valkey": Rule(How.EXPIRE, why="a log of starts and stops; no persistence"),
    "embedder": Rule(How.KEEP, why="a socket and a log; texts are never written"),
    "run": Rule(How.KEEP, why="locks and the schedule"),
    "mail": Rule(How.EXPIRE, why="letters to accounts: those to the person's addresses are found and deleted"),
    "archive": Rule(How.OWNED, "membership id", "first the key goes, with its row; then the files that bear the id"),
    "exports": Rule(How.OWNED, "membership id", "files that bear the id; of everybody gone within days"),
    "static": Rule(How.KEEP, why="files of the product"),
    "kith.json": Rule(How.KEEP, why="the layout's number"),
    "receipts.key": Rule(How.KEEP, why="signs receipts"),
    "audit-heads.jsonl": Rule(How.KEEP, why="positions and digests of audit chains: they name nobody"),
    "erased.jsonl": Rule(How.KEEP, why="keyed hashes of ids that are gone: they name nobody"),
    "secret.key": Rule(How.KEEP, why="the key of the installation"),
}  # fmt: skip
"""Everything directly below VAR_DIR."""


def tables() -> set[str]:
    """The tables that are really there, asked of the tables' owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row[0] for row in cursor.fetchall()}


def problems() -> list[str]:
    """What is wrong with the rules about tables, one sentence each; empty: every table is accounted for."""
    there = tables()
    found = [f"{name} has no rule" for name in sorted(there - set(TABLES))]
    found += [f"the rule for {name} names no table" for name in sorted(set(TABLES) - there)]
    near = personal()
    for model in apps.get_models(include_auto_created=True):
        rule = TABLES.get(model._meta.db_table)
        if rule is not None:
            found += _misfit(model, rule, model in near)
    return found


def personal() -> set[type[models.Model]]:
    """The models with a path to an account, however long."""
    found: set[type[models.Model]] = {apps.get_model("profiles", "User")}
    everything = apps.get_models(include_auto_created=True)
    while True:
        more = {model for model in everything if any(field.related_model in found for field in _links(model))} - found
        if not more:
            return found
        found |= more


def _links(model: type[models.Model]) -> list[models.ForeignKey[models.Model, models.Model]]:
    return [field for field in model._meta.get_fields() if isinstance(field, models.ForeignKey)]


def _misfit(model: type[models.Model], rule: Rule, near: bool) -> list[str]:
    table = model._meta.db_table
    columns = {field.column: field for field in model._meta.concrete_fields}
    if rule.how == How.KEEP:
        return [f"{table} has a path to a person and is kept"] if near else [] if rule.why else [f"{table}: why?"]
    if rule.how == How.EXPIRE:
        return [f"{table} has a path to a person and only expires"] if near else []
    field = columns.get(rule.by)
    if field is None:
        return [f"{table} has no column {rule.by}"]
    if rule.how == How.CASCADE:
        follows = isinstance(field, models.ForeignKey) and field.remote_field.on_delete is models.CASCADE
        return [] if follows and not field.null else [f"{table}.{rule.by} does not always go with what it hangs on"]
    return [] if rule.why else [f"{table}: why?"]


def unruled(names: Iterable[str], rules: Mapping[str, Rule]) -> list[str]:
    """The keys that begin with no prefix of the rules."""
    return sorted(name for name in set(names) if not any(name.startswith(prefix) for prefix in rules))


def unruled_folders(var: Path) -> list[str]:
    """What lies directly below VAR_DIR and has no rule."""
    return sorted({path.name for path in var.iterdir()} - set(FOLDERS))
