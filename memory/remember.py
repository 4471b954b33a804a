"""Door: what a member's message states, corrects, or asks to forget, written before the reply."""

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from memory import ledger, vectors
from memory.extraction import guard, rules
from memory.extraction.claims import Claim, Correction, Reading
from memory.ledger import Change, Said
from memory.models import Episode, Memory, Source
from memory.retrieval.text import coverage, query_terms, terms
from memory.terms import Origin
from profiles import learn
from profiles.access import Reader
from profiles.models import Profile

ACTOR = "member"


@dataclass(frozen=True, slots=True)
class Noticed:
    """What was written for one message."""

    changes: tuple[Change, ...] = ()
    asks_everything: bool = False
    secrets: tuple[str, ...] = field(default=())


def notice(reader: Reader, profile: Profile, text: str, said: Said, *, again: bool = False) -> Noticed:
    """Read one message of the reader's and write what it says through the ledger.

    `again`: the same words once more (a regenerated answer); they are no new evidence, so nothing is written.
    """
    reading = rules.read(text, at=said.at, zone=ZoneInfo(reader.time_zone))
    if again:
        return Noticed((), reading.asks_everything, reading.secrets)
    changes: list[Change] = []
    for correction in reading.corrections:
        changes += _correct(reader, profile, correction, said)
    for words in reading.forgets:
        changes += _forget(reader, profile, words, said)
    for ended in reading.endings:
        changes += _end(reader, ended, said)
    for claim in reading.claims:
        if _storable(claim, reading):
            changes += keep(reader, profile, claim, said)
    return Noticed(tuple(changes), reading.asks_everything, reading.secrets)


def forget(
    reader: Reader, profile: Profile | None, memory: Memory, said: Said | None, *, reason: str = "", actor: str = ACTOR
) -> Change:  # fmt: skip
    """Forget one memory, and mask the exchanges that its words came from; `profile` is its owner's, if any."""
    change = ledger.forget(reader, memory, said.turn if said else None, actor=actor, reason=reason)
    turns = list(Source.objects.filter(memory=memory).values_list("turn", flat=True))
    Episode.objects.filter(owner_id=memory.owner_id, turn__in=turns).update(masked=True)
    vectors.drop(memory.id, turns)
    if profile is not None:
        learn.unlearn(profile, memory.value)
    return change


def _storable(claim: Claim, reading: Reading) -> bool:
    if guard.secrets(claim.quote) or guard.is_instruction(claim.quote):
        return False
    return claim.explicit or not guard.is_sensitive(claim.quote)


def keep(
    reader: Reader, profile: Profile, claim: Claim, said: Said, *, origin: Origin = Origin.TOLD, actor: str = ACTOR,
    made_by: str = "", reason: str = "",
) -> list[Change]:  # fmt: skip
    """Write one claim, and the profile field that it fills; what is only inferred fills none."""
    change = ledger.add(reader, claim, said, origin=origin, actor=actor, made_by=made_by, reason=reason)
    if change is None:
        return []
    if origin != Origin.TOLD:
        return [] if change.action == "confirmed" else [change]
    if claim.profile in ("name", "expertise", "language"):
        learn.learn(reader, profile, said.turn, **{claim.profile: claim.value})
    elif claim.profile == "interests":
        learn.learn(reader, profile, said.turn, interests=[claim.value])
    elif claim.profile == "preferences":
        learn.learn(reader, profile, said.turn, preferences={claim.slot.split("|", 1)[-1]: claim.value})
    return [] if change.action == "confirmed" else [change]


def _correct(reader: Reader, profile: Profile, correction: Correction, said: Said) -> list[Change]:
    changes = []
    for memory in _about(reader, correction.denied):
        if correction.claim is None or memory.slot != correction.claim.slot:
            changes.append(ledger.flag(reader, memory, said.turn, actor=ACTOR, reason=ledger.CORRECTED))
    if correction.claim is not None:
        changes += keep(reader, profile, correction.claim, said, reason=ledger.CORRECTED)
    return changes


def _about(reader: Reader, denied: tuple[str, ...]) -> list[Memory]:
    """Every live memory of the reader's that says one of the denied words; not only the newest."""
    live = Memory.objects.live().filter(owner_id=reader.member, community_id=reader.community)
    return [memory for memory in live if any(word and word.casefold() in memory.text.casefold() for word in denied)]


def _forget(reader: Reader, profile: Profile, words: str, said: Said) -> list[Change]:
    wanted = query_terms(words)
    live = Memory.objects.live().filter(owner_id=reader.member, community_id=reader.community)
    close = [memory for memory in live if wanted and coverage(wanted, terms(memory.text)) >= 0.6]
    return [forget(reader, profile, memory, said, reason="the member asked") for memory in close]


def _end(reader: Reader, ended: Claim, said: Said) -> list[Change]:
    live = Memory.objects.live().filter(owner_id=reader.member, community_id=reader.community, slot=ended.slot)
    if ended.attribute == "residence":  # "I no longer live in Hangzhou" says nothing about Suzhou
        live = live.filter(value__iexact=ended.value)
    return [ledger.end(reader, memory, said, actor=ACTOR) for memory in live]
