"""What a small model adds to a member's night, where LLM_SMALL_MODEL names one: rules alone do without.

It is asked between units of work, never inside one; what it says too late, or wrongly, is left out.
"""

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings

from assistant.llm import chat
from memory import estimates, lessons, policy, wordings
from memory.lessons import Draft, Lesson
from profiles.access import Reader, scoped

log = logging.getLogger(__name__)
T = TypeVar("T")


def wanted(reader: Reader) -> bool:
    """Whether there is a model for this, and the member has not switched memory off."""
    return chat.configured() and bool(settings.LLM_SMALL_MODEL) and reader.memory_on is not False


def before(reader: Reader, now: datetime) -> Mapping[UUID, float]:
    """Keep what it finds that tasks have taught; returns how much help it says that the weakest memories will be."""
    with scoped(reader):
        ends, weak = lessons.drafts(reader, now), estimates.draft(reader, now)
    found, helps = async_to_sync(_before)(ends, weak)
    for lesson in filter(None, found):
        with scoped(reader):
            lessons.write(reader, lesson)
    return helps


def after(reader: Reader, now: datetime) -> None:
    """Word anew what rules have summarised."""
    with scoped(reader):
        drafts = wordings.drafts(reader, now)
    for wording in filter(None, async_to_sync(_after)(drafts)):
        with scoped(reader):
            wordings.write(reader, wording)


async def _before(ends: Sequence[Draft], weak: estimates.Draft | None) -> tuple[list[Lesson | None], dict[UUID, float]]:
    """Both side by side."""
    small = chat.Small()
    estimated = asyncio.create_task(_one(estimates.estimate(weak, small))) if weak else None
    try:
        found = await _all([lessons.find(end, small) for end in ends])
        helps = await estimated if estimated else None
    finally:
        await chat.close()
    return found, helps or {}


async def _after(drafts: Sequence[wordings.Draft]) -> list[wordings.Wording | None]:
    small = chat.Small()
    try:
        return await _all([wordings.word(draft, small) for draft in drafts])
    finally:
        await chat.close()


async def _all(jobs: Sequence[Awaitable[T]]) -> list[T | None]:
    """None for each that did not answer in time."""
    return await asyncio.gather(*(_one(job) for job in jobs))


async def _one(job: Awaitable[T]) -> T | None:
    try:
        async with asyncio.timeout(policy.ADVICE_SECONDS):
            return await job
    except (chat.ModelUnavailable, TimeoutError) as problem:
        log.warning("a night goes without the model: %s", getattr(problem, "code", "timeout"))
        return None
