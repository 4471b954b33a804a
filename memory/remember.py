"""Door: what a member's message states, corrects, or asks to forget, written before the reply."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from django.db import transaction

from memory import audit, derived, ledger, overviews, replacing, sealed, vectors
from memory.extraction import guard, rules, worth
from memory.extraction.claims import Claim, Correction, Reading
from memory.ledger import Change, Said
from memory.models import Episode, Memory, Source
from memory.retrieval import about
from memory.retrieval.text import coverage, query_terms, terms
from memory.signals import forgotten
from memory.terms import Origin, Scope, Status
from profiles import learn
from profiles.access import Reader
from profiles.models import Profile

ACTOR = "member"
ORDERS = "orders"
"""Why something waits: it reads like an order to the assistant."""
_BY_VALUE = frozenset({"residence", "lives_in", "works_at", "led_by"})
"""Attributes of which an end names what has ended."""
Shown = Callable[[], Sequence[uuid.UUID]]
"""The memories that the last answer cited, looked up only where they are needed."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What was written for one message."""

    changes: tuple[Change, ...] = ()
    asks_everything: bool = False
    secrets: tuple[str, ...] = field(default=())
    confirmed: tuple[Change, ...] = ()
    withheld: bool = False
    unmatched: bool = False
    held: bool = False
    forgets: bool = False

    @property
    def findable(self) -> bool:
        """Whether the exchange may be found again: not an order to forget, nor a question about all that is kept, nor
        something delicate."""
        forgot = self.forgets or any(change.action == "forgotten" for change in self.changes)
        return not (forgot or self.withheld or self.asks_everything)


def notice(
    reader: Reader, profile: Profile, text: str, said: Said, *, again: bool = False, shown: Shown = list
) -> Noticed:
    """Read one message of the reader's and write what it says through the ledger.

    `again`: the same words once more (a regenerated answer); they are no new evidence, so nothing is written, and they
    are found no more than the first time.
    `shown`: gives the memories that the last answer cited; "that's wrong" without more is about them.
    `withheld`: something delicate was said and not kept; `unmatched`: nothing fits what is to be forgotten; `held`:
    what is to be remembered reads like an order to the assistant, and waits for a moderator.
    """
    reading = rules.read(text, at=said.at, zone=ZoneInfo(reader.time_zone))
    withheld, forgets = _withheld(text, reading), bool(reading.forgets)
    if again:
        return Noticed((), reading.asks_everything, reading.secrets, withheld=withheld, forgets=forgets)
    if reading.claims or reading.corrections or reading.forgets or reading.endings:
        audit.hold(reader.community)
    changes: list[Change] = []
    confirmed: list[Change] = []
    for correction in reading.corrections:
        changes += _correct(reader, profile, correction, said, shown)
    for words in reading.forgets:
        changes += _forget(reader, profile, words, said)
    for ended in reading.endings:
        changes += _end(reader, ended, said)
    held = [claim for claim in reading.claims if claim.orders and _hold(reader, claim, said)]
    for claim in reading.claims:
        if not claim.orders and _storable(claim, reading):
            changes += keep(reader, profile, claim, said, confirmed=confirmed)
    unmatched = forgets and not any(change.action == "forgotten" for change in changes)
    return Noticed(
        tuple(changes), reading.asks_everything, reading.secrets, tuple(confirmed), withheld, unmatched, bool(held),
        forgets,
    )  # fmt: skip


def _withheld(text: str, reading: Reading) -> bool:
    """Whether something delicate is said that nobody asked to keep."""
    if not reading.claims:
        return guard.is_sensitive(text) and worth.worth_remembering(text)
    return any(
        not claim.orders and not _storable(claim, reading) and guard.is_sensitive(claim.quote)
        for claim in reading.claims
    )  # fmt: skip


def forget(
    reader: Reader, profile: Profile | None, memory: Memory, said: Said | None, *, reason: str = "",
    actor: str = ACTOR, change: uuid.UUID | None = None,
) -> Change:  # fmt: skip
    """Forget one memory and what it was made of, and mask the exchanges that its words came from.

    `profile` is its owner's, if any. What was made of it says no word of it any more. `change`: of what else is
    forgotten with it.
    """
    turn = said.turn if said else None
    parts = derived.archived_for(memory)
    done = ledger.forget(reader, memory, turn, actor=actor, reason=reason, change=change)
    for part in parts:
        ledger.forget(reader, part, turn, actor=actor, reason=reason, change=done.id)
    withdraw(reader, profile, [memory, *parts])
    return done


def withdraw(reader: Reader, profile: Profile | None, gone: Sequence[Memory]) -> None:
    """What else says these of one owner, which are forgotten, goes: vectors, overviews, profile, what was made of them;
    the exchanges are masked."""
    owner = gone[0].owner_id
    said_in = list(Source.objects.filter(memory__in=gone).values_list("turn", "conversation"))
    turns = replacing.answered_anew(owner, (turn for turn, _ in said_in))
    Episode.objects.filter(owner_id=owner, turn__in=turns).update(masked=True)
    for memory in gone:
        vectors.drop(memory.id, turns)
        if profile is not None:
            learn.unlearn(profile, sealed.words(memory).row["value"])
    made = derived.made_from(owner, [memory.id for memory in gone], turns)
    derived.follow(reader, {*made, *derived.saying(reader, owner)})
    if owner is not None:
        overviews.drop([conversation for _, conversation in said_in], owner=owner)
        transaction.on_commit(lambda: forgotten.send(forget, member=owner))


def _hold(reader: Reader, claim: Claim, said: Said) -> bool:
    """Kept where nothing is recalled from, until a moderator says what it is; once, however often it is told. Whether
    it waits."""
    if guard.is_sensitive(claim.quote):
        return False
    if before := Memory.objects.filter(owner_id=reader.member, slot=claim.slot).first():
        return before.status == Status.UNDER_REVIEW
    change = ledger.add(reader, claim, said, origin=Origin.TOLD, actor=ACTOR)
    if change is not None:
        ledger.flag(reader, change.memory, said.turn, actor=ACTOR, reason=ORDERS)
    return change is not None


def _storable(claim: Claim, reading: Reading) -> bool:
    if guard.secrets(claim.quote) or guard.is_instruction(claim.quote):
        return False
    return claim.explicit or not guard.is_sensitive(claim.quote)


def keep(
    reader: Reader, profile: Profile, claim: Claim, said: Said, *, origin: Origin = Origin.TOLD, actor: str = ACTOR,
    made_by: str = "", reason: str = "", confirmed: list[Change] | None = None,
) -> list[Change]:  # fmt: skip
    """Write one claim, and the profile field that it fills; what is only inferred fills none.

    What was known already is no change; it goes to `confirmed`. An assistant that may not write such a memory writes
    none, unless the member asked for it in so many words.
    """
    if not claim.explicit and not reader.may_write(Scope.PERSONAL, claim.kind):
        return []
    change = ledger.add(reader, claim, said, origin=origin, actor=actor, made_by=made_by, reason=reason)
    if change is None:
        return []
    if change.action == "confirmed" and confirmed is not None:
        confirmed.append(change)
    if origin != Origin.TOLD:
        return [] if change.action == "confirmed" else [change]
    if claim.profile in ("name", "expertise", "language"):
        learn.learn(reader, profile, said.turn, **{claim.profile: claim.value})
    elif claim.profile == "interests":
        learn.learn(reader, profile, said.turn, interests=[claim.value])
    elif claim.profile == "preferences":
        learn.learn(reader, profile, said.turn, preferences={claim.slot.split("|", 1)[-1]: claim.value})
    return [] if change.action == "confirmed" else [change]


def _correct(
    reader: Reader, profile: Profile, correction: Correction, said: Said, shown: Shown
) -> list[Change]:
    changes = []
    doubted = _about(reader, correction.denied) if correction.denied else _among(reader, shown, correction)
    for memory in doubted:
        if correction.claim is None or memory.slot != correction.claim.slot:
            changes.append(ledger.flag(reader, memory, said.turn, actor=ACTOR, reason=ledger.CORRECTED))
    if correction.claim is not None:
        changes += keep(reader, profile, correction.claim, said, reason=ledger.CORRECTED)
    return changes


def _about(reader: Reader, denied: tuple[str, ...]) -> list[Memory]:
    """Every live memory of the reader's that says one of the denied words; not only the newest."""
    live = Memory.objects.standing().filter(owner_id=reader.member, community_id=reader.community)
    return [memory for memory in live if any(word and word.casefold() in memory.text.casefold() for word in denied)]


def _among(reader: Reader, shown: Shown, correction: Correction) -> list[Memory]:
    """What the last answer said; with a new claim only what is of its attribute is meant."""
    live = Memory.objects.standing().filter(owner_id=reader.member, id__in=shown())
    attribute = correction.claim.attribute if correction.claim else correction.attribute
    return [memory for memory in live if not attribute or memory.attribute == attribute]


def _forget(reader: Reader, profile: Profile, words: str, said: Said) -> list[Change]:
    """What the words state, what they ask for ("where I live"), else what says most of them."""
    wanted = query_terms(words)
    live = Memory.objects.standing().filter(owner_id=reader.member, community_id=reader.community)
    claims = rules.read(words, at=said.at, zone=ZoneInfo(reader.time_zone)).claims
    meant = {(claim.slot, claim.attribute, claim.value.casefold()) for claim in claims}
    close = [memory for memory in live if (memory.slot, memory.attribute, memory.value.casefold()) in meant]
    attributes = about.attributes(words) - {"event"}
    close = close or [memory for memory in live if memory.attribute in attributes and memory.subject == "me"]
    close = close or [memory for memory in live if wanted and coverage(wanted, terms(memory.text)) >= 0.6]
    return [forget(reader, profile, memory, said, reason="the member asked") for memory in close]


def _end(reader: Reader, ended: Claim, said: Said) -> list[Change]:
    live = Memory.objects.standing().filter(owner_id=reader.member, community_id=reader.community, slot=ended.slot)
    if ended.attribute in _BY_VALUE:  # "I no longer live in Hangzhou" says nothing about Suzhou
        live = live.filter(value__iexact=ended.value)
    return [ledger.end(reader, memory, said, actor=ACTOR) for memory in live]
