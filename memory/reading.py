"""Door: what a model read in a past exchange, written through the ledger where nothing newer speaks against it."""

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from memory import audit, remember
from memory.extraction import rules
from memory.extraction.claims import Claim
from memory.extraction.extract import Extracted
from memory.ledger import Change, Said
from memory.models import Memory, Source
from memory.terms import Origin, Status
from memory.wording import normal
from profiles.access import Reader
from profiles.models import Profile


class Unkept(Exception):
    """What a model wanted to be kept is not carried by the member's words; the text says why."""


ACTOR = "reader"
"""Who wrote what stands here: the background path."""


def learn(
    reader: Reader, profile: Profile, extracted: Extracted, said: Said, *, later: Iterable[str] = ()
) -> list[Change]:  # fmt: skip
    """Write what was extracted from the exchange `said`; returns the changes.

    The exchange may be old by now, and its message was read by rules already. So what the same turn has written is
    left alone, and what the member said since (`later`: their messages, oldest first) wins.
    """
    if extracted.claims:
        audit.hold(reader.community)
    taken_back = _taken_back(reader, later, said)
    known = list(Memory.objects.filter(id__in=Source.objects.filter(turn=said.turn).values("memory")))
    changes: list[Change] = []
    for claim, origin in extracted.claims:
        if _known(claim, known) or _stale(reader, claim, origin, said) or _denied(claim, taken_back):
            continue
        changes += remember.keep(
            reader, profile, claim, said, origin=origin, actor=ACTOR, made_by=extracted.made_by
        )  # fmt: skip
    return changes


def _known(claim: Claim, known: Sequence[Memory]) -> bool:
    """Whether this turn has said it already, in this slot or in other words."""
    value = normal(claim.value)
    for memory in known:
        other = normal(memory.value)
        if memory.slot == claim.slot or (other and value and (value in other or other in value)):
            return True
    return False


def _stale(reader: Reader, claim: Claim, origin: Origin, said: Said) -> bool:
    """Whether a newer or a stronger word stands in the claim's place, or the claim was doubted or ended since."""
    for memory in Memory.objects.filter(owner_id=reader.member, community_id=reader.community, slot=claim.slot):
        same = memory.attribute == claim.attribute and normal(memory.value) == normal(claim.value)
        if memory.status == Status.ACTIVE:
            newer = memory.sources.filter(at__gt=said.at).exists()
            if not same and (newer or (origin == Origin.INFERRED and memory.origin != Origin.INFERRED)):
                return True
        elif same and memory.versions.filter(at__gt=said.at, status=memory.status).exists():
            return True
    return False


def _taken_back(reader: Reader, later: Iterable[str], said: Said) -> tuple[str, ...]:
    """The words that the member has denied, or asked to forget, since."""
    words: list[str] = []
    for text in later:
        reading = rules.read(text, at=said.at, zone=ZoneInfo(reader.time_zone))
        words += [word for correction in reading.corrections for word in correction.denied]
        words += reading.forgets
    return tuple(normal(word) for word in words if normal(word))


def _denied(claim: Claim, words: tuple[str, ...]) -> bool:
    said = normal(f"{claim.text}{claim.value}")
    return any(word in said or normal(claim.value) in word for word in words)
