"""A member's year, week by week: what is told, asked and kept house of, with the clock turned to each moment."""

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from unittest import mock

from django.utils import timezone

from memory import policy, recall, upkeep
from memory.ledger import Said
from memory.models import Episode, Memory
from memory.remember import notice
from memory.retrieval.text import terms
from memory.upkeep import Blackout
from profiles import learn
from profiles.access import Reader, scoped

START = datetime(2025, 1, 6, 12, tzinfo=UTC)
JOBS = {"en": ("Acme", "Zetacorp", "Nordic Rail", "Blue Yard"), "zh": ("华兴科技", "百川科技", "东方铁路", "蓝院科技")}
WORKS = {"en": "I work at {}.", "zh": "我在{}工作。"}
WHERE = {"en": "Where do I work?", "zh": "我在哪里工作？"}
MAY = {"en": "Where did I work in May?", "zh": "五月的时候我在哪里工作？"}
TALKED = {"en": "What did we talk about in May?", "zh": "五月我们聊了什么？"}
WEEK = {
    "en": ("I like {thing} {number}.", "I went to the {thing} fair number {number} yesterday.", "Who repairs the {thing}?",
           "How much is a {thing} ticket?", "Thanks!", "When does the {thing} room open?", "I met Ann{number} today."),
    "zh": ("我喜欢{thing}{number}号。", "我昨天参加了第{number}次{thing}活动。", "{thing}坏了找谁？", "{thing}票多少钱？", "谢谢！",
           "{thing}室几点开门？", "我今天见了老王{number}。"),
}  # fmt: skip
THINGS = {"en": ("kiln", "loom", "press", "lathe", "garden", "piano"), "zh": ("窑炉", "织机", "印刷机", "车床", "花园", "钢琴")}


@dataclass
class Year:
    """What a year has shown: live memories at most, the answers to where the member works, and nights' seconds."""

    most: int = 0
    turns: int = 0
    right: list[str] = field(default_factory=list)
    answers: list[list[str]] = field(default_factory=list)
    nights: list[float] = field(default_factory=list)


@contextmanager
def clock(now: datetime) -> Iterator[None]:
    """It is `now` for the whole product; the database's own clock is not asked."""
    with mock.patch.object(timezone, "now", lambda: now):
        yield


def tell(reader: Reader, text: str, at: datetime) -> None:
    """One message of the member's, noticed and kept as an exchange."""
    turn, conversation = uuid.uuid4(), uuid.uuid4()
    with clock(at), scoped(reader):
        profile = learn.profile_of(reader)
        if notice(reader, profile, text, Said(turn, conversation, at)).findable:
            Episode.objects.create(turn=turn, conversation=conversation, owner_id=reader.member, question=text, answer="",
                                   community_id=reader.community, terms=terms(text), at=at)  # fmt: skip
        profile.save()


def week(reader: Reader, number: int, language: str, turns: int) -> None:
    """So many messages within one week; each quarter begins with a new job."""
    start = START + timedelta(weeks=number)
    if number % 13 == 0:
        tell(reader, WORKS[language].format(JOBS[language][number // 13]), start)
    says: Sequence[str] = WEEK[language]
    for turn in range(turns):
        count = number * turns + turn
        thing = THINGS[language][count % len(THINGS[language])]
        tell(reader, says[turn % len(says)].format(thing=thing, number=count), start + timedelta(minutes=30 * turn + 30))


def night(reader: Reader, number: int) -> dict[str, int]:
    """House is kept at the end of the week; counts by step."""
    now = START + timedelta(weeks=number, days=6)
    with clock(now):
        return {one.step: one.count for one in upkeep.run(reader, now, blacken=_nothing)}


def live(reader: Reader) -> int:
    """Live memories of the member's."""
    with scoped(reader):
        return Memory.objects.standing().filter(owner_id=reader.member).count()


def heard(reader: Reader, question: str, now: datetime) -> list[str]:
    """The memories that a question finds, best first."""
    with clock(now), scoped(reader):
        return [hit.text for hit in recall.recall(reader, question, now=now).memories]


def play(reader: Reader, language: str, *, turns: int, weeks: int = 52) -> Year:
    """All weeks; every fourth one asks where the member works."""
    year = Year()
    for number in range(weeks):
        week(reader, number, language, turns)
        began = time.monotonic()
        night(reader, number)
        year.nights.append(time.monotonic() - began)
        year.turns += turns
        year.most = max(year.most, live(reader))
        if number % 4 == 2 and len(year.right) < 12:
            year.right.append(JOBS[language][number // 13])
            year.answers.append(heard(reader, WHERE[language], START + timedelta(weeks=number, days=6))[:1])
    return year


def limit() -> int:
    """Live memories of one member at most."""
    return policy.LIVE_MEMORIES


def _nothing(reader: Reader, blackout: Blackout) -> None:
    """Conversations are not played."""
