"""What an export holds, table by table; a personal table that is left out says why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.db import models

from assistant.conversation.models import Conversation, Feedback, Summary, Token, Turn
from memory import audit, sealed
from memory.mask import masker
from memory.models import Block, BlockVersion, Edge, Entity, Episode, Memory, Overview, Part, Recalled, Search
from memory.terms import Status
from profiles.access import Reader
from profiles.models import ErasureRequest, Export, Membership, Profile, ProfileChange, User

Rows = list[dict[str, Any]]
Mask = Callable[[str], str]
_MACHINE = frozenset({"terms", "sealed", "shelved", "owner_id", "community_id"})
"""Columns that repeat, for the machine, what others say; so do all that the database makes itself."""


@dataclass(frozen=True, slots=True)
class Of:
    """The rows of one model: `by` names the column that holds the membership, or the account where `account`."""

    model: type[models.Model]
    by: str = "owner_id"
    account: bool = False
    hide: frozenset[str] = frozenset()
    order: str = "pk"

    def read(self, reader: Reader) -> Rows:
        """Inside the reader's unit of work; words of what was forgotten are blacked out."""
        whose = {self.by: reader.person if self.account else reader.member}
        masked = (lambda text: text) if self.account else masker(reader)
        rows = self.model._default_manager.filter(**whose).order_by(self.order)
        return [row_of(row, self.hide, masked) for row in rows.iterator(chunk_size=500)]


def _memories(reader: Reader) -> Rows:
    """With their versions and sources; of archived ones the words too, of forgotten ones that they were there."""
    rows = Memory.objects.filter(owner_id=reader.member).order_by("created_at")
    said = sealed.shown(rows.exclude(status=Status.FORGOTTEN).prefetch_related("versions", "sources"))
    found = [
        row_of(memory, frozenset({"slot"}))
        | {"versions": [row_of(one, frozenset({"memory_id"})) for one in memory.versions.all()],
           "sources": [row_of(one, frozenset({"memory_id"})) for one in memory.sources.all()]}
        for memory in said
    ]  # fmt: skip
    gone = rows.filter(status=Status.FORGOTTEN).values("id", "kind", "category", "status", "created_at", "left_at")
    return found + [dict(row) for row in gone]


def _audit(reader: Reader) -> Rows:
    """What was done with their data, and by whom of the staff it was opened and why."""
    masked = masker(reader)
    rows = audit.about_me()
    told = [{name: value for name, value in row.items() if name != "text"} for row in rows]  # forgotten by now, maybe
    return [{name: _masked(value, masked) for name, value in row.items()} for row in told]


def _turns(reader: Reader) -> Rows:
    """Their own turns; of the context only how much there was of what: its words are others' too."""
    rows = Of(Turn, order="asked_at", hide=frozenset({"runner", "alive_at"})).read(reader)
    for row in rows:
        row["regions"] = [{"name": region["name"], "tokens": region.get("tokens")} for region in row["regions"]]
    return rows


PARTS: Mapping[str, Callable[[Reader], Rows]] = {
    "account": Of(User, "id", account=True, hide=frozenset({"password"})).read,
    "addresses": Of(EmailAddress, "user_id", account=True).read,
    "membership": Of(Membership, "id").read,
    "spaces": Of(Membership.spaces.through, "membership_id").read,
    "profile": Of(Profile, "membership_id").read,
    "profile_changes": Of(ProfileChange, "membership_id", order="at").read,
    "conversations": Of(Conversation, order="created_at").read,
    "turns": _turns,
    "summaries": Of(Summary, order="at").read,
    "feedback": Of(Feedback, order="at").read,
    "tokens": Of(Token, order="created_at", hide=frozenset({"digest"})).read,
    "memories": _memories,
    "parts": Of(Part).read,
    "episodes": Of(Episode, order="at").read,
    "overviews": Of(Overview, order="at").read,
    "notes": Of(Block).read,
    "notes_before": Of(BlockVersion, order="at").read,
    "entities": Of(Entity, order="name").read,
    "edges": Of(Edge).read,
    "recalled": Of(Recalled).read,
    "saved_finds": Of(Search, order="name").read,
    "deletion_requests": Of(
        ErasureRequest, "person_id", account=True, order="requested_at",
        hide=frozenset({"before", "counts", "receipt", "link", "salt", "asked_by_id", "approved_by_id", "person_id"}),
    ).read,
    "exports": Of(Export).read,
    "audit": _audit,
}  # fmt: skip
"""In this order, which is that of the file."""
TABLES = frozenset({
    "profiles_user", "account_emailaddress", "profiles_membership", "profiles_membership_spaces", "profiles_profile",
    "profiles_profilechange", "conversation_conversation", "conversation_turn", "conversation_summary",
    "conversation_feedback", "conversation_token", "memory_memory", "memory_version", "memory_source", "memory_part",
    "memory_episode", "memory_overview", "memory_block", "memory_blockversion", "memory_entity", "memory_edge",
    "memory_recalled", "memory_search", "profiles_erasurerequest", "profiles_export", "memory_audittext",
})  # fmt: skip
"""The tables that these parts read."""
LEFT_OUT: Mapping[str, str] = {
    "account_emailconfirmation": "links that confirm an address: secrets, not data",
    "conversation_spent": "how many tokens deleted conversations took on their last day: numbers for the limit",
    "conversation_frame": "the answers once more, in the pieces in which they were sent",
    "django_admin_log": "what staff did in the stock admin to what belongs to the community",
    "memory_episodevector": "numbers that a machine made of an episode that is there in words",
    "memory_import": "which files became knowledge of the community; who brought them is named in it, as in the audit",
    "memory_key": "opens what is here in the clear",
    "memory_memoryvector": "numbers that a machine made of a memory that is there in words",
    "memory_passage": "knowledge of the community; its author is named in it, and it is the community's",
    "memory_passagevector": "numbers that a machine made of knowledge of the community",
    "memory_sheet": "one file that became knowledge of the community",
    "memory_swap": "what stood in knowledge of the community before an import; it is the community's",
    "memory_pseudonym": "a random number, so that the audit need not name anybody",
    "memory_questionvector": "numbers that a machine made of a question in knowledge of the community",
    "memory_tombstone": "keyed hashes of what was forgotten; they say nothing",
    "memory_wording": "which of their questions others asked too: the questions themselves are there",
    "profiles_user_groups": "rights in the stock admin",
    "profiles_user_user_permissions": "rights in the stock admin",
}


def row_of(row: models.Model, hide: frozenset[str] = frozenset(), masked: Mask | None = None) -> dict[str, Any]:
    """Column by column, as they stand in hand; what is left out repeats, for the machine, what others say."""
    found = {}
    for field in row._meta.concrete_fields:
        if field.attname not in hide | _MACHINE and not field.generated:
            value = getattr(row, field.attname)
            found[field.attname] = value if masked is None or field.choices else _masked(value, masked)
    return found


def _masked(value: Any, masked: Mask) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(one, masked) for name, one in value.items()}
    return [_masked(one, masked) for one in value] if isinstance(value, list) else value
