"""Door: memories that a machine made of others or of past exchanges, and kept true to what is left of these."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import F, Q, prefetch_related_objects

from memory import ledger, sealed, tombs, vectors
from memory.extraction import guard, outcomes, rules, worth
from memory.extraction.claims import Claim
from memory.extraction.clauses import asks, clauses
from memory.ledger import UPKEEP, Change, Holder
from memory.lifecycle import compose
from memory.lifecycle.compose import Line
from memory.mask import masker
from memory.models import Episode, Memory, Part, Source
from memory.retrieval import about, past
from memory.standing import MERGED
from memory.terms import Origin, Status
from memory.wording import language as spoken
from memory.wording import normal
from profiles.access import Reader

SUMMARY, REQUEST, EXPERIENCE = OF_EXCHANGES = ("summary", "procedure", "experience")
"""Attributes of what is made of exchanges; anything else is made of memories."""
LEFT = "what it was made of has changed"
NOTHING = "nothing is left that it was made of"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is made of: other memories, or past exchanges."""

    memories: Sequence[Memory] = ()
    exchanges: Sequence[Episode] = ()


def make(
    reader: Reader, claim: Claim, parts: Parts, *, reason: str, text: str = "", made_by: str = ""
) -> Change | None:  # fmt: skip
    """Write it, its sentence composed of its parts, or `text` as a model has it; what it is made of is named and stays.

    None where it was forgotten before, or something stands in its slot: it never ends anything.
    """
    holds = Memory.objects.standing().filter(owner_id=reader.member, slot=claim.slot)
    said = _said(reader, reader.member, claim.attribute, parts)
    if not said or holds.exists() or refused(reader, claim):
        return None
    claim = replace(claim, text=text or _sentence(claim.attribute, claim.value, claim.language, said))
    done = ledger.state(reader, claim, Holder(reader.member), origin=Origin.CONSOLIDATED, actor=UPKEEP, reason=reason,
                        made_by=made_by)  # fmt: skip
    _join(done.memory, parts)
    return done


def refused(reader: Reader, claim: Claim) -> bool:
    """Whether it was made before, and forgotten or taken back."""
    return tombs.over(reader.member, claim.slot, claim.value).exists()


def extend(reader: Reader, memory: Memory, parts: Parts) -> Change | None:
    """More of the same: named and told beside the others; None where its sentence stays the same."""
    _join(memory, parts)
    said = _said(reader, reader.member, memory.attribute, _parts(memory))
    text = _sentence(memory.attribute, memory.value, memory.language, said)
    return None if text == memory.text else ledger.revise(reader, memory, {"text": text}, actor=UPKEEP, reason=LEFT)


def saying(reader: Reader, owner: uuid.UUID | None) -> list[uuid.UUID]:
    """The memories made of exchanges that say what is forgotten."""
    if owner is None:
        return []
    masked = masker(replace(reader, member=owner))
    rows = Memory.objects.filter(owner_id=owner, attribute__in=OF_EXCHANGES, origin=Origin.CONSOLIDATED)
    return [row.id for row in sealed.rows_shown(owner, rows) if masked(row.text) != row.text]


def made_from(owner: uuid.UUID | None, memories: Iterable[uuid.UUID], turns: Iterable[uuid.UUID]) -> list[uuid.UUID]:
    """The memories that were made of any of these."""
    rows = Memory.objects.filter(owner_id=owner, origin=Origin.CONSOLIDATED)
    either = Q(parts__of__in=list(memories)) | Q(sources__turn__in=list(turns))
    return list(rows.filter(either).distinct().order_by("id").values_list("id", flat=True))


def outdated(memory: Memory) -> bool:
    """Whether something that it was made of is forgotten, so that it must not say what it said before."""
    masked = Episode.objects.filter(owner_id=memory.owner_id, turn__in=memory.sources.values("turn"), masked=True)
    parts = memory.parts.filter(of__status=Status.FORGOTTEN)
    return memory.origin == Origin.CONSOLIDATED and (parts.exists() or masked.exists())


def follow(reader: Reader, made: Iterable[uuid.UUID]) -> None:
    """Something that these were made of has been forgotten, removed or brought back: they say what is left, or go.

    What a person forgot stays forgotten. The versions before lose their words: they said what is forgotten now.
    """
    rows = Memory.objects.select_for_update(of=("self",)).filter(id__in=list(made))
    for memory in rows.exclude(text="", sealed=None, shelved=False).order_by("id"):
        by = memory.versions.latest("number")
        gone = memory.status == Status.FORGOTTEN
        if gone and (by.actor, by.reason) != (UPKEEP, NOTHING):
            continue
        parts = _parts(memory)
        said = _said(reader, memory.owner_id, memory.attribute, parts)
        if said:
            sealed.unseal(memory)
            _join(memory, parts, anew=True)
            text = _sentence(memory.attribute, memory.value, memory.language, said)
            if gone or text != memory.text:
                ledger.rewrite(reader, memory, text, _before(memory) if gone else Status(memory.status), reason=LEFT)
        elif not gone:
            ledger.archive(reader, memory, at=by.at, reason=NOTHING, gone=True)
            vectors.drop(memory.id)


def drop(memory: Memory) -> None:
    """It was taken back: what it told of is there without it."""
    vectors.drop(memory.id)
    Episode.objects.filter(owner_id=memory.owner_id, turn__in=memory.sources.values("turn")).update(archived_at=None)


def archived_for(memory: Memory) -> list[Memory]:
    """What went to the archive because this tells of it, or says the same as the review has found."""
    archived = Memory.objects.filter(owner_id=memory.owner_id, status=Status.ARCHIVED).exclude(id=memory.id)
    ids = set(archived.filter(makes__memory=memory).values_list("id", flat=True))
    merged = archived.filter(versions__number=F("version"), versions__reason=MERGED).exclude(id__in=ids)
    if memory.owner_id is not None and (rows := sealed.rows_shown(memory.owner_id, merged)):
        said = sealed.words(memory).row
        text, value = normal(said["text"]), (memory.attribute, normal(said["value"]))
        ids |= {row.id for row in rows if normal(row.text) == text or (row.attribute, normal(row.value)) == value}
    return list(archived.select_for_update().filter(id__in=ids).order_by("id"))


def questions(reader: Reader, exchange: Episode) -> str:
    """What the member asked in it: no statement, nothing about themselves or about earlier talks, nothing delicate."""
    sentences = {clause.number: clause.sentence for clause in clauses(exchange.question)}
    return " ".join(text for text in sentences.values() if _tells_nothing(reader, text, exchange.at))


def _tells_nothing(reader: Reader, text: str, at: datetime) -> bool:
    if not (asks(text) or worth.orders(text)) or past.talks(text) or about.asks_of_self(text):
        return False
    reading = rules.read(text, at=at, zone=ZoneInfo(reader.time_zone))
    told = reading.claims or reading.corrections or reading.forgets or reading.endings or reading.secrets
    return not (told or reading.asks_everything or guard.is_sensitive(text))


def lines(reader: Reader, memory: Memory) -> list[Line]:
    """What is left of what it was made of says this, line by line, oldest first."""
    return _said(reader, memory.owner_id, memory.attribute, _parts(memory))


def _before(memory: Memory) -> Status:
    """How it stood before its parts had gone."""
    return Status(memory.versions.get(number=memory.version - 1).status)


def _parts(memory: Memory) -> Parts:
    """What is left of what it was made of, oldest first."""
    of = Memory.objects.filter(makes__memory=memory)
    if of.exists():
        left = of.exclude(status=Status.FORGOTTEN).order_by("valid_from", "id")
        return Parts(memories=sealed.shown(left))
    said = Episode.objects.filter(owner_id=memory.owner_id, turn__in=memory.sources.values("turn"))
    return Parts(exchanges=list(said.order_by("at", "turn")))


def _said(reader: Reader, owner: uuid.UUID | None, attribute: str, parts: Parts) -> list[Line]:
    """What each part says, with its day; of an exchange in which something was forgotten, nothing."""
    zone = ZoneInfo(reader.time_zone)
    told = sorted((row.valid_from or row.created_at, row.text) for row in parts.memories)
    if parts.exchanges and owner is not None:
        masked = masker(replace(reader, member=owner))
        for row in parts.exchanges:
            text = row.question if attribute in (REQUEST, EXPERIENCE) else questions(reader, row)
            if text and not row.masked and masked(text) == text:
                told.append((row.at, text))
        told = _lesson(told) if attribute == EXPERIENCE else told
    return [Line(at.astimezone(zone).date(), text) for at, text in told]


def _lesson(told: Sequence[tuple[datetime, str]]) -> list[tuple[datetime, str]]:
    """What a task was, up to how it ended; of one whose end is not told any more, nothing."""
    for place in range(len(told) - 1, -1, -1):
        at, text = told[place]
        if ended := outcomes.read(text):
            return [*told[:place], (at, compose.lesson(ended.parts, spoken(text)))]
    return []


def _sentence(attribute: str, value: str, language: str, said: Sequence[Line]) -> str:
    if attribute == SUMMARY:
        return compose.month(said, language, value[len("2026-01 ") :])
    if attribute == EXPERIENCE:
        return compose.experience(said, language)
    return (compose.request if attribute == REQUEST else compose.repeated)(said, language)


def _join(memory: Memory, parts: Parts, *, anew: bool = False) -> None:
    """Name what it is made of: memories with the words that they came from, exchanges without a word of them."""
    if memory.owner_id is None:
        return
    whose = {"community_id": memory.community_id, "owner_id": memory.owner_id}
    Part.objects.bulk_create([Part(memory=memory, of=row, **whose) for row in parts.memories], ignore_conflicts=True)
    prefetch_related_objects(list(parts.memories), "sources")  # of what is on the shelf they are at hand already
    quoted = sorted((row for part in parts.memories for row in part.sources.all()), key=lambda row: row.at)
    rows = [
        Source(memory=memory, turn=row.turn, conversation=row.conversation, quote=row.quote, at=row.at, **whose)
        for row in quoted
    ] + [
        Source(memory=memory, turn=row.turn, conversation=row.conversation, quote="", at=row.at, **whose)
        for row in parts.exchanges
    ]  # fmt: skip
    if anew:
        Source.objects.filter(memory=memory).exclude(turn__in=[row.turn for row in rows]).delete()
        if parts.memories:
            Source.objects.filter(memory=memory).delete()
    Source.objects.bulk_create(rows, ignore_conflicts=True)
