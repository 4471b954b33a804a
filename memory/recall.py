"""Door: what is known that helps with this question, for this reader and nobody else."""

import heapq
import json
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Count
from django.utils import timezone

from memory import exchanges, keys, ledger, policy, sealed
from memory.dates import spans
from memory.extraction.clauses import asks, clauses
from memory.ledger import CORRECTED
from memory.models import Episode, Memory, Recalled, Source, Version
from memory.reordering import Rerank, reordered
from memory.retrieval import about, features, past, route
from memory.retrieval import ranker as ranking
from memory.retrieval.details import differ, exchanged
from memory.retrieval.exchange import Pool
from memory.retrieval.ranker import Ranker
from memory.retrieval.score import Asked, Hit, Row, reranked, scored
from memory.retrieval.text import normal, query_terms
from memory.terms import Category, Kind, Origin, Scope, Status
from memory.vectors import Meaning, Near, nearness
from memory.wording import language
from profiles.access import NOBODY, Reader

log = logging.getLogger(__name__)
_RECORD = """
INSERT INTO memory_recalled (turn, owner_id, community_id, cited, what, target, score, parts, marker)
SELECT %s, %s, %s, false, hit.* FROM jsonb_to_recordset(%s::jsonb)
    AS hit(what text, target uuid, score float8, parts jsonb, marker text)
ON CONFLICT (turn, what, target) DO UPDATE SET marker = excluded.marker
    WHERE memory_recalled.marker = '' AND excluded.marker <> ''
"""
_LIVE = """
SELECT id, text, COALESCE(recalled_at, created_at), category, terms, importance, attribute, weak FROM memory_memory
WHERE community_id = %(community)s AND status = %(active)s AND NOT attribute = ANY(%(not)s)
AND (owner_id = %(member)s AND scope = %(own)s OR scope = %(shared)s
    OR space_id = ANY(%(spaces)s) AND scope = %(space)s)
AND (%(may)s::text[] IS NULL OR scope || ':' || kind = ANY(%(may)s::text[]))
AND NOT (category = %(task)s AND NOT pinned AND COALESCE(valid_to <= now(), false))
"""
"""`Memory.objects.readable_by(reader).live()`, which takes Django longer to write than the database to answer."""
_PASSAGES = """
SELECT id, text, updated_at, title, verified_by, terms, document_id, language FROM memory_passage
WHERE removed_at IS NULL AND %s BETWEEN coalesce(valid_from, '-infinity') AND coalesce(valid_to, 'infinity')
AND community_id = %s AND (space_id IS NULL OR space_id = ANY(%s)) AND (terms && %s::text[] OR id = ANY(%s::uuid[]))
"""
__all__ = ["Found", "Hit", "asked_before", "everything", "recall", "record"]
BY_DATE = {"recency": 0.0, "relevance": 0.5, "importance": 0.3, "words": 0.0, "meaning": 0.0}
"""The parts of the score of what is listed because of its date."""


@dataclass(frozen=True, slots=True)
class Found:
    """All finds of one question, best first, and what was noted on the way."""

    memories: tuple[Hit, ...] = ()
    episodes: tuple[Hit, ...] = ()
    knowledge: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def all(self) -> tuple[Hit, ...]:
        return self.memories + self.episodes + self.knowledge

    def led_by(self, hit: Hit | None) -> "Found":
        """The same finds, with this one of the shared knowledge first."""
        return replace(self, knowledge=tuple(sorted(self.knowledge, key=lambda one: one != hit))) if hit else self


def recall(
    reader: Reader,
    text: str,
    *,
    meaning: Meaning | None = None,
    now: datetime | None = None,
    but: uuid.UUID | None = None,
    before: Sequence[str] = (),
    wide: int = 0,
    ranker: Ranker | None = None,
    rerank: Rerank | None = None,
    own: bool = True,
    wordings: Sequence[str] = (),
) -> Found:
    """Search the reader's memories, episodes and the shared knowledge, by words and by `meaning` (the question's
    vectors; without them by words alone, which is noted). `but` is the running turn, `before` are the messages of
    its conversation: one that only goes on ("find cheaper ones") is looked up by what it goes on from. `wide` asks for
    a list of so many episodes, the weak ones too, ordered by `ranker`, instead of the few that a context takes.
    `rerank` orders what was found anew, where it answers. Without `own` nothing that is remembered of the member is
    given, to `rerank` neither. The words of other `wordings` of the question count beside its own. Moments are given in
    the member's time zone."""
    found = _found(reader, text, meaning, now or timezone.now(), but, before, wide, ranker, rerank, own, wordings)
    if not own:
        found = replace(found, memories=(), episodes=())
    here = partial(_here, ZoneInfo(reader.time_zone))
    return Found(here(found.memories), here(found.episodes), here(found.knowledge), found.notes)


def _here(zone: ZoneInfo, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    return tuple(replace(hit, at=hit.at.astimezone(zone)) for hit in hits)


def _found(
    reader: Reader, text: str, meaning: Meaning | None, now: datetime, but: uuid.UUID | None, before: Sequence[str],
    wide: int, ranker: Ranker | None, rerank: Rerank | None, own: bool, wordings: Sequence[str],
) -> Found:  # fmt: skip
    way = route.plan(text, before)
    near = Near() if way.goes_on else nearness(reader, meaning)
    words = query_terms(way.text)
    also = [term for said in wordings for term in query_terms(said) if term not in words]
    asked = Asked(words, near.cosines, about.attributes(way.text), now, list(dict.fromkeys(also)))
    then = None if wide else past.talk_of(way.text, now=asked.now, zone=ZoneInfo(reader.time_zone))
    if then:  # its day is all that such a question says
        told = _told_of(reader, then)
        return Found(told, () if told else _spoken(reader, then, but), notes=("by date",))
    most = policy.CANDIDATES if wide else policy.NEAREST
    pool = Pool() if way.goes_on else exchanges.pool(reader, [*words, *asked.also], meaning, most=most, but=but)
    if not (asked.words or asked.near or pool.rows):
        return Found()
    rows = _past(reader, asked, way.text) or _memories(reader, asked)
    memories: Sequence[Hit] = scored(asked, [*rows, *_archived(reader, asked, way.text)])
    table = features.table(features.Question(way.text, words, _days(reader, asked, way.text), asked.also), pool)
    relevance = exchanges.relevance(table, ranker or ranking.of(ranking.EVENTS))
    episodes = reranked(exchanges.hits(asked, pool, table, wide=bool(wide)), relevance)
    if not wide:
        episodes = _telling(reader, memories[: policy.PUT_IN], episodes)
    if asked.attributes and not wide:  # what was only supposed says nothing about the member
        episodes = [hit for hit in episodes if asks(hit.text) or any(piece.stated for piece in clauses(hit.text))]
    rows, spoken = _passages(reader, asked)
    knowledge: Sequence[Hit] = _in_one_language(scored(asked, rows, near.shared_median), spoken, language(text))
    if about.asks_of_self(way.text):  # a shared text that only shares a word says nothing about the member
        knowledge = tuple(hit for hit in knowledge if hit.parts["meaning"] >= policy.SHARED_ABOUT_SELF)
    kinds = (memories, episodes, knowledge) if own else ((), (), knowledge)
    (memories, episodes, knowledge), again = reordered(rerank, way.text, kinds)
    notes = ("follow-up",) if way.goes_on else () if asked.near or table.meant else ("words alone",)
    shown = tuple(episodes[:wide]) if wide else exchanges.few(episodes)
    return Found(tuple(memories[: policy.PUT_IN]), shown, tuple(knowledge[: policy.PASSAGES]), notes + again)


def asked_before(found: Found, question: str) -> list[Hit]:
    """The reader's own past exchanges that asked the same, newest first: word for word, or nearly so and as meant, with
    no detail that decides otherwise and no word in place of another."""
    same = normal(question)
    alike = [
        hit for hit in found.episodes
        if normal(hit.text) == same
        or (min(hit.parts["words"], hit.parts["meaning"]) >= policy.SAME_QUESTION and not differ(hit.text, question)
            and (hit.parts.get("cosine", 0.0) >= policy.SAME_MEANING or not exchanged(hit.text, question)))
    ]  # fmt: skip
    return sorted(alike, key=lambda hit: hit.at, reverse=True)


def everything(reader: Reader) -> list[Memory]:
    """All live memories of the reader, newest first."""
    return list(Memory.objects.readable_by(reader).live().filter(owner_id=reader.member).order_by("-created_at"))


def record(reader: Reader, turn: uuid.UUID, found: Found, markers: dict[uuid.UUID, str]) -> None:
    """Keep what was found and what was put in; only the latter counts as recalled, and once a turn."""
    if not found.all:
        return
    put_in = {hit.id for hit in found.memories if markers.get(hit.id)}
    if put_in:
        before = Recalled.objects.filter(turn=turn, owner_id=reader.member, what="memory").exclude(marker="")
        ledger.recalled(reader, put_in - set(before.values_list("target", flat=True)))
    rows = [
        {"what": hit.what, "target": str(hit.id), "score": hit.score, "parts": hit.parts,
         "marker": markers.get(hit.id, "")}
        for hit in found.all
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, [turn, reader.member, reader.community, json.dumps(rows)])


def _memories(reader: Reader, asked: Asked) -> list[Row]:
    """What is true now; of likes and dislikes only the side that is asked for."""
    may = None if reader.agent is None else sorted(reader.agent.reads)
    values: dict[str, Any] = {
        "community": reader.community, "member": reader.member, "spaces": list(reader.spaces), "may": may,
        "not": list(about.opposite(asked.attributes)), "task": Category.TASK, "active": Status.ACTIVE,
        "own": Scope.PERSONAL, "space": Scope.SPACE, "shared": Scope.COMMUNITY,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_LIVE, values)
        return [
            Row(Hit("memory", key, text, 0, {}, at, category=category), terms, importance, attribute, weak)
            for key, text, at, category, terms, importance, attribute, weak in cursor.fetchall()
        ]


def _past(reader: Reader, asked: Asked, question: str) -> list[Row]:
    """Where the question looks back: the member's own memories of the attribute that were true then, also those that
    are over, which say until when. What was corrected was never true."""
    attributes = asked.attributes - {"event"}
    back = past.look_back(question, now=asked.now, zone=ZoneInfo(reader.time_zone)) if attributes else None
    if back is None:
        return []
    wrong = Version.objects.filter(owner_id=reader.member, reason=CORRECTED).values("memory")
    own = Memory.objects.readable_by(reader).filter(owner_id=reader.member, attribute__in=attributes)
    rows = own.filter(status__in=(Status.ACTIVE, Status.SUPERSEDED)).exclude(id__in=wrong)
    return [
        Row(Hit("memory", row.id, _labelled(row, reader), 0, {}, row.valid_from or row.created_at,
                category=row.category), row.terms, row.importance, row.attribute)
        for row in rows if back.holds(row.valid_from, row.valid_to)
    ]  # fmt: skip


def _archived(reader: Reader, asked: Asked, question: str) -> list[Row]:
    """Where the question looks back: what went cold, by its words alone, read from the member's file where it lies."""
    if past.look_back(question, now=asked.now, zone=ZoneInfo(reader.time_zone)) is None:
        return []
    rows = Memory.objects.readable_by(reader).filter(owner_id=reader.member, status=Status.ARCHIVED)
    try:
        shown = sealed.rows_shown(reader.member, rows)
    except (OSError, KeyError, keys.Unopened):  # lost, or just being written anew: an answer without it is better
        log.warning("the archive of a member could not be read", exc_info=True)
        return []
    return [
        Row(Hit("memory", row.id, row.text, 0, {}, row.valid_from or row.created_at, category=row.category), row.terms,
            row.importance, row.attribute)
        for row in shown
    ]  # fmt: skip


def _labelled(row: Memory, reader: Reader) -> str:
    """The text with the date until which it was true, where it is no longer."""
    if row.status == Status.ACTIVE or row.valid_to is None:
        return row.text
    until = f"{row.valid_to.astimezone(ZoneInfo(reader.time_zone)):%Y-%m-%d}"
    return f"{row.text}（至 {until}，现在已不是）" if row.language == "zh" else f"{row.text} (until {until}, no longer)"


def _told_of(reader: Reader, then: past.Back) -> tuple[Hit, ...]:
    """The summaries of the months that a question about more than a week touches, what was asked most first."""
    if not then.start or not then.end or then.end - then.start <= timedelta(days=policy.BY_DAY):
        return ()
    zone = ZoneInfo(reader.time_zone)
    first, last = then.start.astimezone(zone), (then.end - timedelta(seconds=1)).astimezone(zone)
    since = first.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    own = Memory.objects.readable_by(reader).live().filter(owner_id=reader.member)
    rows = own.filter(category=Category.SUMMARY, valid_from__gte=since)
    held = [row for row in rows.annotate(size=Count("sources")).order_by("-size", "id")
            if row.valid_from and _month(row.valid_from.astimezone(zone)) <= _month(last)]  # fmt: skip
    return tuple(
        Hit("memory", row.id, row.text, 0.5, BY_DATE, row.valid_from or row.created_at, category=row.category)
        for row in held[: policy.PUT_IN]
    )


def _month(at: datetime) -> tuple[int, int]:
    return at.year, at.month


def _spoken(reader: Reader, then: past.Back, but: uuid.UUID | None) -> tuple[Hit, ...]:
    """What was said in that stretch of time, oldest first, whatever its words; the archive is asked here alone."""
    if not reader.may_read(Scope.PERSONAL, Kind.EPISODIC):
        return ()
    gone = Source.objects.filter(owner_id=reader.member).exclude(memory__status=Status.ACTIVE)
    rows = Episode.objects.filter(owner_id=reader.member, community_id=reader.community, masked=False)
    rows = rows.exclude(turn__in=gone.exclude(memory__origin=Origin.CONSOLIDATED).values("turn"))
    held = rows.filter(at__gte=then.start, at__lt=then.end).exclude(turn=but or NOBODY).order_by("at")
    return tuple(
        Hit("episode", turn, question, 0.5, BY_DATE, at, turn=turn)
        for turn, question, at in held.values_list("turn", "question", "at")[: policy.PUT_IN]
    )


def _days(reader: Reader, asked: Asked, question: str) -> list[tuple[datetime, datetime]]:
    return [(span.start, span.end) for span in spans(question, at=asked.now, zone=ZoneInfo(reader.time_zone))]


def _telling(reader: Reader, memories: Sequence[Hit], episodes: Sequence[Hit]) -> list[Hit]:
    """Exchanges that say more than the memories found already, each wording once, the newest of it."""
    if not episodes:
        return []
    sources = Source.objects.filter(memory__in=[hit.id for hit in memories])
    told = set(sources.values_list("turn", flat=True)) if memories else set()
    newest: dict[str, Hit] = {}
    wordings = {text: normal(text) for text in {hit.text for hit in episodes}}  # the same is often asked again
    for hit in sorted(episodes, key=lambda hit: hit.at):
        newest[wordings[hit.text]] = hit
    return [hit for hit in episodes if hit.id not in told and newest[wordings[hit.text]] is hit]


Spoken = dict[uuid.UUID, tuple[uuid.UUID, str]]
"""Passage → its document and its language."""


def _in_one_language(hits: tuple[Hit, ...], spoken: Spoken, asked: str) -> tuple[Hit, ...]:
    """A document that says it in two languages answers in the one that was asked in, once."""
    has = {document for document, language in (spoken[hit.id] for hit in hits) if language == asked}
    return tuple(hit for hit in hits if spoken[hit.id][1] == asked or spoken[hit.id][0] not in has)


def _passages(reader: Reader, asked: Asked) -> tuple[list[Row], Spoken]:
    if not reader.may_read(Scope.COMMUNITY, Kind.SEMANTIC):
        return [], {}
    closest = heapq.nlargest(3 * policy.PASSAGES, asked.near, key=lambda key: asked.near[key])
    with connection.cursor() as cursor:
        values: list[Any] = [reader.today, reader.community, list(reader.spaces), [*asked.words, *asked.also], closest]
        cursor.execute(_PASSAGES, values)
        found = cursor.fetchall()
    spoken = {key: (document, language) for key, *_, document, language in found}
    rows = [
        Row(Hit("knowledge", key, text, 0, {}, at, title, verified=bool(verified)), terms, 0.5)
        for key, text, at, title, verified, terms, *_ in found
    ]
    return rows, spoken
