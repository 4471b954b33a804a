"""Door: what a task has taught that came to a clear end, kept in the member's words as an experience.

By rules alone where one message says it all; a model may find in the messages before what decided it. It follows the
exchanges that it was told in.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memory import derived, policy
from memory.derived import EXPERIENCE, Parts
from memory.extraction import keywords, outcomes
from memory.extraction.claims import Claim
from memory.follow_up import is_follow_up
from memory.lifecycle.archive import Act, Job, Row
from memory.mask import masker
from memory.models import Episode, Source
from memory.terms import Category, Kind
from memory.wording import language
from profiles.access import Reader


def reflect(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """One experience for each outcome that teaches something, once."""
    masked = masker(reader)
    jobs = []
    for row in open_ends(reader, now):
        ended = outcomes.read(row.question)
        if ended is not None and ended.teaches and masked(row.question) == row.question:
            turns = [one.turn for one in (*_task(reader, row, masked), row)]
            acts = (Act("reflect", row.turn, "a task of which it is told how it ended"),)
            jobs.append(Job(acts, partial(keep, reader, turns)))
    return jobs


def open_ends(reader: Reader, now: datetime) -> QuerySet[Episode]:
    """Exchanges that are still in search and of which no experience was made, not even one that was forgotten."""
    made = Source.objects.filter(owner_id=reader.member, turn=OuterRef("turn"), memory__attribute=EXPERIENCE)
    return _own(reader).filter(~Exists(made), archived_at=None, at__lte=now).order_by("at", "turn")


def before(reader: Reader, row: Episode) -> list[Episode]:
    """What was said in its conversation shortly before it, oldest first."""
    same = _own(reader).filter(conversation=row.conversation, at__lt=row.at).order_by("-at", "-turn")
    return list(same[: policy.EXPERIENCE_BEFORE])[::-1]


def keep(reader: Reader, turns: Sequence[UUID], *, text: str = "", made_by: str = "") -> int:
    """Write it, of the last of these turns and those that it rests on; returns 1, or 0 where that can't be any more.

    `text`: what a model says, which counts only as long as none of them was forgotten or removed.
    """
    exchanges = list(_own(reader).select_for_update(skip_locked=True).filter(turn__in=turns).order_by("at", "turn"))
    if not exchanges or exchanges[-1].turn != turns[-1] or (text and len(exchanges) < len(turns)):
        return 0
    done = derived.make(reader, _claim(exchanges[-1]), Parts(exchanges=exchanges), reason="reflected", text=text,
                        made_by=made_by)  # fmt: skip
    return 1 if done else 0


def _own(reader: Reader) -> QuerySet[Episode]:
    return Episode.objects.filter(owner_id=reader.member, community_id=reader.community, masked=False)


def _task(reader: Reader, row: Episode, masked: Callable[[str], str]) -> list[Episode]:
    """The exchange that told of the task: the newest that shares a word with its end; or, where that names nothing
    itself, the newest that says anything."""
    named = outcomes.about(row.question)
    seen = [one for one in before(reader, row) if masked(one.question) == one.question]
    told = [one for one in seen if outcomes.tells(one.question) and not is_follow_up(one.question)]
    shares = [one for one in told if named & outcomes.about(one.question)]
    return (shares or (told if not named else []))[-1:]


def _claim(row: Episode) -> Claim:
    words = keywords.of(row.question)[: policy.EXPERIENCE_WORDS]
    value = " ".join(words) or row.question[: policy.PART_CHARACTERS]
    return Claim(Kind.PROCEDURAL, Category.EXPERIENCE, "me", EXPERIENCE, value, "", "", language(row.question),
                 policy.EXPERIENCE_IMPORTANCE, 0.8, row.at)  # fmt: skip
