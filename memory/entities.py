"""Door: the things that a member's memories name, and how they stand to each other, one hop at a time.

Edges are read from the slots of a memory, and are there exactly while its words are in its row: they come with these
(`link`) and leave with them (`unlink`), and with its last edge an entity goes. Readers see those of memories that hold.
"""

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory import audit
from memory.extraction.ties import Named, Tie, ties
from memory.models import Edge, Entity, Memory
from memory.terms import EntityKind, Relation
from memory.wording import key, words
from profiles.access import Reader

WORDED = frozenset({"added", "superseded", "confirmed", "revised", "restored"})
"""The ledger's actions after which a memory may say something else than before."""


@dataclass(frozen=True, slots=True)
class Known:
    """An entity as readers get it."""

    id: uuid.UUID
    name: str
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One edge: `subject` stands to `object` by `relation`, as a memory says; without a subject it is the member."""

    subject: Known | None
    relation: Relation
    object: Known
    memory: uuid.UUID
    text: str


def link(memory: Memory) -> None:
    """Name what the memory names as it stands now, inside the caller's transaction; what is shared has no entities."""
    wanted = {_said(tie): tie for tie in ties(memory.subject, memory.attribute, memory.value, memory.text)}
    owner = memory.owner_id
    if owner is None or (memory.version == 1 and not wanted):
        return
    before = list(memory.edges.select_related("subject", "object")) if memory.version > 1 else []
    if set(wanted) == {_drawn(edge) for edge in before}:
        return
    audit.hold(memory.community_id)  # else another worker could take away an entity that is about to be named
    whose = {"community_id": memory.community_id, "owner_id": owner}
    entity = _entities(whose, wanted.values())
    if before:
        memory.edges.all().delete()
    Edge.objects.bulk_create(
        Edge(memory=memory, subject=entity[tie.subject] if tie.subject else None, relation=tie.relation,
             object=entity[tie.object], **whose)
        for tie in wanted.values()
    )  # fmt: skip
    _tidy(before)


def unlink(memory: Memory) -> None:
    """The memory names nothing any more, as its words leave."""
    if before := list(memory.edges.all()):
        audit.hold(memory.community_id)
        memory.edges.all().delete()
        _tidy(before)


def neighbours(reader: Reader, entity: uuid.UUID | None) -> list[Neighbour]:
    """Everything one hop away from an entity, or, without one, from the member."""
    either = Q(subject=entity) | Q(object=entity) if entity else Q(subject=None)
    return [_neighbour(edge) for edge in _current(reader).filter(either)]


def everything(owner: uuid.UUID) -> list[Neighbour]:
    """All edges of one member, for the pages of the member and of staff who have opened them."""
    return [_neighbour(edge) for edge in _edges(owner).filter(memory__in=Memory.objects.live())]


def of(reader: Reader, memories: Sequence[uuid.UUID]) -> dict[uuid.UUID, tuple[Known, ...]]:
    """What each of these memories of the reader's names; one that names nothing is left out."""
    found: dict[uuid.UUID, dict[uuid.UUID, Known]] = defaultdict(dict)
    for edge in _current(reader).filter(memory__in=memories):
        for one in (edge.subject, edge.object):
            if one is not None:
                found[edge.memory_id][one.id] = _known(one)
    return {memory: tuple(named.values()) for memory, named in found.items()}


def named_in(reader: Reader, text: str) -> list[Known]:
    """The reader's entities whose name stands in the text, the longest names first."""
    said = " ".join(words(text))
    edges = _current(reader)
    rows = Entity.objects.filter(Q(out__in=edges) | Q(into__in=edges), owner_id=reader.member).distinct()
    found = [row for row in rows if _stands(" ".join(words(row.name)), said)]
    return [_known(row) for row in sorted(found, key=lambda row: (-len(row.normal), row.normal))]


def _current(reader: Reader) -> QuerySet[Edge]:
    return _edges(reader.member).filter(memory__in=Memory.objects.readable_by(reader).live())


def _edges(owner: uuid.UUID) -> QuerySet[Edge]:
    return Edge.objects.filter(owner_id=owner).select_related("subject", "object", "memory").order_by("id")


def _neighbour(edge: Edge) -> Neighbour:
    subject = _known(edge.subject) if edge.subject else None
    return Neighbour(subject, Relation(edge.relation), _known(edge.object), edge.memory_id, edge.memory.text)


def _known(row: Entity) -> Known:
    return Known(row.id, row.name, EntityKind(row.kind))


def _stands(name: str, said: str) -> bool:
    """Chinese names may stand inside a run of characters, others as whole words."""
    left = r"(?<![a-z0-9])" if re.match("[a-z0-9]", name[:1]) else ""
    right = r"(?![a-z0-9])" if re.match("[a-z0-9]", name[-1:]) else ""
    return bool(name) and bool(re.search(left + re.escape(name) + right, said))


def _entities(whose: dict[str, uuid.UUID], wanted: Iterable[Tie]) -> dict[Named, Entity]:
    """The member's entities of these names, made where there are none."""
    named = {one for tie in wanted for one in (tie.subject, tie.object) if one is not None}
    known: dict[str, list[Entity]] = defaultdict(list)
    for row in Entity.objects.filter(owner_id=whose["owner_id"], normal__in=[key(one.name) for one in named]):
        known[row.normal].append(row)
    found = {}
    for one in sorted(named, key=lambda one: (one.kind == EntityKind.THING, one.name)):
        normal = key(one.name)
        found[one] = _among(known[normal], one) or Entity.objects.create(
            name=one.name, kind=one.kind, normal=normal, **whose
        )  # fmt: skip
        known[normal].append(found[one])
    return found


def _among(same: Sequence[Entity], named: Named) -> Entity | None:
    """The one that is meant, of those of one name. A name whose sort is not known joins one that has it; one that is
    known gives its sort to a name that had none."""
    of_kind = next((row for row in same if row.kind == named.kind), None)
    if of_kind is not None or named.kind == EntityKind.THING:
        return of_kind or (min(same, key=lambda row: row.kind) if same else None)
    plain = next((row for row in same if row.kind == EntityKind.THING), None)
    if plain is not None:
        plain.kind = named.kind
        plain.save(update_fields=["kind"])
    return plain


def _said(tie: Tie) -> tuple[str, str, str]:
    return key(tie.subject.name) if tie.subject else "", tie.relation, key(tie.object.name)


def _drawn(edge: Edge) -> tuple[str, str, str]:
    return edge.subject.normal if edge.subject else "", edge.relation, edge.object.normal


def _tidy(gone: Sequence[Edge]) -> None:
    """The entities that these named, and nothing names any more, go."""
    if not gone:
        return
    named = {one for edge in gone for one in (edge.subject_id, edge.object_id) if one is not None}
    naming = Edge.objects.filter(Q(subject=OuterRef("pk")) | Q(object=OuterRef("pk")))
    Entity.objects.filter(~Exists(naming), id__in=named).delete()
