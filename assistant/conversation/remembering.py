"""The background path of ended turns: read in one unit of work, ask the model in none, write in another."""

import asyncio
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone

from assistant.conversation import assistants, branches
from assistant.conversation.models import State, Turn
from assistant.llm import chat
from memory import audit, overviews, policy, reading
from memory.extraction import guard, worth
from memory.extraction.extract import Exchange, Extracted, Unreadable, extract
from memory.ledger import Said, Stale
from memory.mask import masker
from memory.models import Episode
from memory.retrieval import about
from memory.wording import language
from profiles import learn
from profiles.access import Reader, scoped
from profiles.models import Membership

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=3 * policy.EXTRACT_SECONDS)
"""For so long nobody else tries a turn that somebody has begun to read."""
LATER = 50
"""Messages of the member since then that are looked at for what they take back."""


@dataclass(frozen=True, slots=True)
class Job:
    """An exchange that a model is to read; holds only while the turn is at this attempt."""

    reader: Reader
    turn: uuid.UUID
    attempt: int
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing was read; `permanent`: trying again can't help."""

    code: str
    permanent: bool = False


def begin(reader: Reader, waiting: uuid.UUID) -> Job | None:
    """What rules can read is written at once; None where the turn is done by that, or somebody else has it."""
    with scoped(reader):
        row = Turn.objects.select_for_update(skip_locked=True).filter(id=waiting, remembered_at=None).first()
        now = timezone.now()
        if row is None or row.remember_attempts >= policy.EXTRACT_ATTEMPTS or (row.remember_after or now) > now:
            return None
        said, findable = branches.still_said(row), Episode.objects.filter(turn=row.id, masked=False).exists()
        fresh = row.state == State.ANSWERED and not row.remember_attempts
        if said and findable and fresh and reader.memory_on is not False:
            by_rules(reader, row)
        if not said or not _readable(reader, row):
            row.remembered_at = now
            row.save(update_fields=["remembered_at"])
            return None
        row.remember_attempts += 1
        row.remember_after = now + LEASE
        row.save(update_fields=["remember_attempts", "remember_after"])
        masked = masker(reader)
        exchange = Exchange(
            masked(row.question), masked(row.answer), row.asked_at, ZoneInfo(reader.time_zone),
            learn.profile_of(reader).name,
        )  # fmt: skip
        return Job(reader, row.id, row.remember_attempts, exchange)


async def read(jobs: Sequence[Job]) -> list[Extracted | Failure]:
    """Ask the model about each, side by side and outside of any transaction; never raises for one of them."""
    try:
        return await asyncio.gather(*(_read(job.exchange) for job in jobs))
    finally:
        await chat.close()


def finish(job: Job, found: Extracted | Failure) -> bool:
    """Write what was read, if the turn still waits at this attempt; or why it failed, and when to try again."""
    try:
        with scoped(job.reader):
            if isinstance(found, Extracted) and found.claims:
                audit.hold(job.reader.community)  # before any row
            row = Turn.objects.select_for_update().filter(id=job.turn, remembered_at=None).first()
            if row is None or row.remember_attempts != job.attempt:
                return False
            if isinstance(found, Failure):
                _failed(row, found)
                return False
            _write(job.reader, row, found)
    except Stale:  # the member changed a memory meanwhile: nothing of this was written
        with scoped(job.reader):
            row = Turn.objects.get(id=job.turn)
            _failed(row, Failure("stale"))
        return False
    return True


def by_rules(reader: Reader, row: Turn) -> None:
    """The fields of the profile that fill without a model: last topics, interests, expertise, language."""
    profile = learn.profile_of(reader)
    gone = Episode.objects.filter(owner_id=reader.member, replaced=True)
    asked = Turn.objects.filter(owner_id=reader.member, asked_at__lte=row.asked_at).exclude(id__in=gone.values("turn"))
    aside = about.asks_of_self(row.question) or guard.is_instruction(row.question)  # "where do I live" is no topic
    named = () if aside else worth.topics(row.question)
    topics = [] if worth.worth_remembering(row.question) else list(named)
    overviews.note(reader, row.conversation_id, masker(reader)(row.question), named, row.asked_at)
    often = [topic for topic in topics if asked.filter(question__icontains=topic).count() >= policy.INTEREST_TURNS]
    before = asked.exclude(id=row.id).order_by("-asked_at").values_list("question", flat=True).first()
    spoken = language(row.question) if any(map(str.isalpha, row.question)) else ""
    steady = spoken if not profile.language or before is None or language(before) == spoken else ""
    found = {"last_topics": topics, "interests": often, "expertise": worth.expertise(row.question), "language": steady}
    learn.learn(reader, profile, row.id, **{field: value for field, value in found.items() if value})
    profile.save()


def _readable(reader: Reader, row: Turn) -> bool:
    """Whether a model is worth asking: there is one, the member wants it, and these words state something new."""
    if not chat.configured() or reader.memory_on is False or not worth.worth_remembering(row.question):
        return False
    if _forgotten(row):
        return False
    return not _same(row).filter(asked_at__lt=row.asked_at).exists()


def _forgotten(row: Turn) -> bool:
    """Whether the exchange was forgotten as a whole, or one with another answer to the same words: then nothing of it
    is learned, whatever words it has."""
    same = _same(row).values("id")
    return Episode.objects.filter(turn__in=same, hidden_by__isnull=False).exists()


def _same(row: Turn) -> QuerySet[Turn]:
    """It, and those in which the same words were answered at the same place."""
    return Turn.objects.filter(conversation_id=row.conversation_id, parent_id=row.parent_id, question=row.question)


async def _read(exchange: Exchange) -> Extracted | Failure:
    try:
        async with asyncio.timeout(policy.EXTRACT_SECONDS):
            return await extract(exchange, chat.Small())
    except chat.ModelUnavailable as problem:
        return Failure(problem.code, problem.permanent)
    except Unreadable as problem:
        return Failure(problem.code)
    except TimeoutError:
        return Failure("timeout")


def _write(reader: Reader, row: Turn, found: Extracted) -> None:
    off = Membership.objects.filter(id=reader.member, memory_on=False).exists()  # it may just have been switched off
    if not off and not _forgotten(row) and branches.still_said(row):
        masked = masker(reader)  # forgotten while the model was thinking
        claims = tuple(pair for pair in found.claims if masked(pair[0].quote) == pair[0].quote)
        profile = learn.profile_of(reader)
        said = Said(row.id, row.conversation_id, row.asked_at)
        since = Turn.objects.filter(owner_id=reader.member, asked_at__gt=row.asked_at).order_by("asked_at")
        later = list(since.values_list("question", flat=True)[:LATER])
        kept = Extracted(claims, found.made_by)
        acting = assistants.acting(reader, row.conversation.assistant)
        reading.learn(acting, profile, kept, said, later=later)
        profile.save()
    row.remembered_at, row.remember_error, row.remember_after = timezone.now(), "", None
    row.usage = row.usage | {"remembering": {
        "input": found.input, "output": found.output, "cost": chat.price(found.input, found.output),
    }}  # fmt: skip
    row.save(update_fields=["remembered_at", "remember_error", "remember_after", "usage"])


def _failed(row: Turn, failure: Failure) -> None:
    attempts = policy.EXTRACT_ATTEMPTS if failure.permanent else row.remember_attempts
    wait = policy.EXTRACT_AGAIN_SECONDS * 4 ** max(0, row.remember_attempts - 1)
    row.remember_attempts, row.remember_error = attempts, failure.code[:24]
    row.remember_after = timezone.now() + timedelta(seconds=wait)
    row.save(update_fields=["remember_attempts", "remember_error", "remember_after"])
    end = "it waits for a person" if attempts >= policy.EXTRACT_ATTEMPTS else "it is tried again"
    log.warning("turn %s could not be remembered (%s): %s", row.id, failure.code, end)
