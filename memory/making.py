"""Door: what is made of much at night: one memory of alike events, a month's summaries, a task that comes back.

By rules alone, by slots and words: nothing is said that no part of it says.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, QuerySet

from memory import derived, ledger, policy, sealed
from memory.derived import REQUEST, SUMMARY, Parts
from memory.extraction import keywords, worth
from memory.extraction.claims import Claim
from memory.lifecycle.alike import Group, Item, groups, topics
from memory.lifecycle.archive import Act, Job, Row
from memory.lifecycle.compose import REST
from memory.mask import masker
from memory.models import Episode, Memory, Source
from memory.terms import Category, Kind, Origin, Status
from memory.wording import key, language
from profiles.access import Reader


def consolidate(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """Alike events that are over become one memory that names them; they go to the archive."""
    since = now - timedelta(days=policy.ALIKE_DAYS)
    live = [row for row in rows if row.status == Status.ACTIVE and row.event and not (row.safe or row.single)]
    events = Memory.objects.in_bulk([row.id for row in live if row.created <= since])
    items = [
        Item(row.id, f"{row.subject}|{row.attribute}|{row.category}|{row.language}", _words(row.text), row.created_at)
        for row in events.values() if max(row.valid_from or since, row.valid_to or since) <= since
    ]  # fmt: skip
    found = groups(items, least=policy.ALIKE_LEAST, share=policy.ALIKE_SHARE)
    alike = [(group, [events[item.id] for item in group.items]) for group in found]
    told = [(rows, _claim(min(rows, key=_since), group, rows)) for group, rows in alike]
    wanted = [_Alike(reader, claim, rows, now) for rows, claim in told if not derived.refused(reader, claim)]
    return [job for alike in wanted for job in alike.jobs()]


def _since(event: Memory) -> tuple[datetime, uuid.UUID]:
    return event.valid_from or event.created_at, event.id


@dataclass
class _Alike:
    """Alike events on their way into one memory: made of them all with the first few, which leave with it; the others
    leave a few at a time. One that is left behind when this is cut off joins the memory in the next night."""

    reader: Reader
    claim: Claim
    events: list[Memory]
    now: datetime
    made: bool = False
    change: uuid.UUID | None = None

    def jobs(self) -> Iterator[Job]:
        starts = list(range(0, len(self.events), policy.KEEP_BATCH))
        if len(starts) > 1 and len(self.events) - starts[-1] < policy.ALIKE_LEAST:
            starts.pop()  # so that what is left behind is enough to be found alike again
        for start, end in zip(starts, [*starts[1:], len(self.events)], strict=True):
            few = self.events[start:end]
            acts = tuple(Act("consolidate", row.id, f"one of {len(self.events)} that are alike") for row in few)
            then = dict.fromkeys((row.id for row in few), Status.ARCHIVED)
            yield Job(acts, partial(self._leave, few) if start else partial(self._make, few), then)

    def _make(self, few: list[Memory]) -> int:
        found = self._locked(self.events)
        if len(found) < len(self.events):  # somebody is at one of them
            return 0
        claim, parts = self.claim, Parts(memories=found)
        same = Memory.objects.standing().filter(owner_id=self.reader.member, origin=Origin.CONSOLIDATED,
                                                value=claim.value, subject=claim.subject,
                                                attribute=claim.attribute).first()  # fmt: skip
        if same is not None:
            done = derived.extend(self.reader, same, parts)
        else:
            done = derived.make(self.reader, claim, parts, reason="consolidated")
            if done is None:
                return 0
        self.made, self.change = True, done.id if done else None
        return self._leave(few)

    def _leave(self, few: list[Memory]) -> int:
        found = self._locked(few) if self.made else []
        if found:
            why = dict.fromkeys((row.id for row in found), "consolidated")
            ledger.archive_all(self.reader, found, at=self.now, why=why, change=self.change)
        return len(found)

    def _locked(self, events: list[Memory]) -> list[Memory]:
        versions = {row.id: row.version for row in events}
        locked = Memory.objects.select_for_update(skip_locked=True).filter(id__in=versions, status=Status.ACTIVE)
        return [row for row in locked.order_by("valid_from", "id") if versions[row.id] == row.version]


def _claim(like: Memory, group: Group, events: Sequence[Memory]) -> Claim:
    """Named by the words that they share, in the order of the first; its sentence follows from its parts."""
    value = " ".join(word for word in keywords.of(like.text) if key(word) in group.words)
    return Claim(
        Kind.SEMANTIC, Category(like.category), like.subject, like.attribute, value, "", "", like.language,
        min(policy.MADE_IMPORTANCE, max(row.importance for row in events)), min(row.confidence for row in events),
        like.valid_from,
    )  # fmt: skip


def summarise(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """Exchanges of long ago leave search, and one summary for each month and topic tells of them."""
    old = Episode.objects.filter(owner_id=reader.member, community_id=reader.community, archived_at=None, masked=False,
                                 at__lte=now - timedelta(days=policy.SUMMARY_DAYS))  # fmt: skip
    masked = masker(reader)
    months: dict[tuple[str, str], list[tuple[Episode, str]]] = defaultdict(list)
    for row in old.order_by("at", "turn"):
        asked = derived.questions(reader, row)
        asked = asked if masked(asked) == asked else ""
        month = f"{row.at.astimezone(ZoneInfo(reader.time_zone)):%Y-%m}"
        months[month, language(asked) if asked else ""].append((row, asked))
    return [job for (month, spoken), asked in months.items() for job in _of_month(reader, month, spoken, asked, now)]


def _of_month(
    reader: Reader, month: str, spoken: str, asked: Sequence[tuple[Episode, str]], now: datetime
) -> Iterator[Job]:
    """The topics that the month has already come first, so that a later exchange joins its summary."""
    found = {row.turn: row for row, _ in asked}
    if not spoken:  # nothing was asked: what was told is remembered by itself
        yield _told("nothing was asked in it", reader, "", spoken, list(found.values()), now)
        return
    left = [Item(row.turn, spoken, _words(text), row.at) for row, text in asked]
    written = {key(word): word for _, text in asked for word in keywords.of(text)}
    known = {value[len("2026-01 ") :] for value in _summaries(reader, month, spoken).values_list("value", flat=True)}
    for topic in sorted(known - {REST[spoken]}):
        mine = [item for item in left if key(topic) in item.words]
        left = [item for item in left if key(topic) not in item.words]
        if mine:
            yield _told("its month's topic has a summary", reader, f"{month} {topic}", spoken, _of(found, mine), now)
    for group in topics(left, least=policy.SUMMARY_LEAST, most=max(0, policy.SUMMARY_TOPICS - len(known))):
        topic = "".join(written[word] for word in group.words) or REST[spoken]
        if derived.refused(reader, _summary(f"{month} {topic}", spoken, now)):
            continue
        why = f"one of {len(group.items)} of its month and topic"
        yield _told(why, reader, f"{month} {topic}", spoken, _of(found, group.items), now)


def _of(found: dict[uuid.UUID, Episode], items: Sequence[Item]) -> list[Episode]:
    return [found[item.id] for item in items]


def _told(why: str, reader: Reader, value: str, spoken: str, exchanges: list[Episode], now: datetime) -> Job:
    acts = tuple(Act("summaries", row.turn, why) for row in exchanges)
    return Job(acts, partial(_tell, reader, value, spoken, [row.turn for row in exchanges], now))


def _tell(reader: Reader, value: str, spoken: str, turns: list[uuid.UUID], now: datetime) -> int:
    """Those that were forgotten or removed meanwhile are not among them."""
    still = Episode.objects.select_for_update(skip_locked=True).filter(turn__in=turns, archived_at=None, masked=False)
    exchanges = list(still.order_by("at", "turn"))
    if value and exchanges:
        parts = Parts(exchanges=exchanges)
        same = _summaries(reader, value[:7], spoken).filter(value=value).first()
        if same is not None:
            derived.extend(reader, same, parts)
        else:
            derived.make(reader, _summary(value, spoken, exchanges[0].at), parts, reason="summarised")
    Episode.objects.filter(turn__in=[row.turn for row in exchanges]).update(archived_at=now)
    return len(exchanges)


def _summary(value: str, spoken: str, since: datetime) -> Claim:
    return Claim(Kind.EPISODIC, Category.SUMMARY, "me", SUMMARY, value, "", "", spoken, policy.SUMMARY_IMPORTANCE, 1.0,
                 since)  # fmt: skip


def _summaries(reader: Reader, month: str, spoken: str) -> QuerySet[Memory]:
    rows = Memory.objects.standing().filter(owner_id=reader.member, attribute=SUMMARY, origin=Origin.CONSOLIDATED)
    return rows.filter(value__startswith=month, language=spoken)


def propose(reader: Reader, rows: Sequence[Row], now: datetime) -> list[Job]:
    """A task that was asked for on several days is proposed as a procedure; it waits for a person, and once only."""
    since = now - timedelta(days=policy.REPEATED_DAYS)
    mine = Source.objects.filter(owner_id=reader.member, turn=OuterRef("turn"), memory__attribute=REQUEST)
    asked = Episode.objects.filter(owner_id=reader.member, community_id=reader.community, masked=False, at__gt=since)
    masked = masker(reader)
    found = {row.turn: row for row in asked.exclude(Exists(mine)).order_by("at", "turn")
             if worth.orders(row.question) and masked(row.question) == row.question}  # fmt: skip
    items = [Item(row.turn, language(row.question), _words(row.question), row.at) for row in found.values()]
    zone = ZoneInfo(reader.time_zone)
    before = Memory.objects.filter(owner_id=reader.member, attribute=REQUEST)
    said = [row.value for row in sealed.rows_shown(reader.member, before)]
    said += [words.row["value"] for words in sealed.all_words(reader.member, before)]
    known = [_words(value) for value in said]
    jobs = []
    for group in groups(items, least=policy.REPEATED, share=policy.REPEATED_SHARE):
        days = {item.at.astimezone(zone).date() for item in group.items}
        if len(days) < policy.REPEATED or any(group.words <= words or words <= group.words for words in known if words):
            continue
        acts = tuple(Act("procedures", item.id, f"one of {len(days)} days with this task") for item in group.items)
        jobs.append(Job(acts, partial(_propose, reader, _of(found, group.items), group.words)))
    return jobs


def _propose(reader: Reader, exchanges: list[Episode], words: frozenset[str]) -> int:
    last = exchanges[-1]
    value = " ".join(word for word in keywords.of(last.question) if key(word) in words)
    claim = Claim(Kind.PROCEDURAL, Category.TASK, "me", REQUEST, value, "", "", language(last.question), 0.5, 0.7,
                  exchanges[0].at)  # fmt: skip
    if Memory.objects.filter(owner_id=reader.member, slot=claim.slot).exists():
        return 0
    done = derived.make(reader, claim, Parts(exchanges=exchanges), reason="proposed")
    if done is None:
        return 0
    ledger.flag(reader, done.memory, None, actor=ledger.UPKEEP, reason="proposed")
    return len(exchanges)


def _words(text: str) -> frozenset[str]:
    """The words that carry the meaning, in one form each; numbers and dates tell alike things apart."""
    return frozenset(key(word) for word in keywords.of(text) if not any(map(str.isdigit, word)))
