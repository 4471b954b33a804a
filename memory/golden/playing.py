"""Plays one case through the real write path and asks its questions; the caller takes back what it wrote."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from memory import sealed, vectors
from memory.extraction import guard
from memory.golden.cases import Case, Kept, Line, Verdict, judge
from memory.ledger import Said
from memory.models import Episode, Memory
from memory.recall import recall
from memory.remember import notice
from memory.retrieval.text import terms
from memory.vectors import EPISODE, MEMORY, Meaning, Waiting
from profiles import learn
from profiles.access import Reader, scoped

Embed = Callable[[Sequence[str]], Meaning | None]
"""Vectors of some texts, or None where no embedder answers."""


def play(case: Case, me: Reader, second: Reader, *, passages: Embed, query: Embed) -> Verdict:
    """What came of one case: its lines in order, then its questions; both readers must have remembered nothing."""
    who = {"me": replace(me, time_zone=case.zone), "second": replace(second, time_zone=case.zone)}
    talks = {name: uuid.uuid4() for name in who}
    for place, line in enumerate(case.says):
        if line.who == "assistant":
            continue
        after = case.says[place + 1] if place + 1 < len(case.says) else None
        answer = after.text if after and after.who == "assistant" else ""
        _say(who[line.who], talks[line.who], line, answer)
    for reader in who.values():
        _embed(reader, passages)
    heard = []
    for asked in case.asks:
        reader = who[asked.line.who]
        with scoped(reader):
            found = recall(reader, asked.line.text, meaning=query([asked.line.text]), now=asked.line.at)
        heard.append([hit.text for hit in found.memories + found.episodes])
    return judge(case, _kept(who["me"]), heard)


def _say(reader: Reader, talk: uuid.UUID, line: Line, answer: str) -> None:
    """One turn as the chat writes it, at its own time."""
    question = guard.redact(line.text)
    turn = uuid.uuid4()
    with scoped(reader):
        profile = learn.profile_of(reader)
        noticed = notice(reader, profile, question, Said(turn, talk, line.at))
        if noticed.findable:
            Episode.objects.create(
                turn=turn, conversation=talk, owner_id=reader.member, community_id=reader.community,
                question=question, answer=answer, terms=terms(question), at=line.at,
            )  # fmt: skip


def _embed(reader: Reader, passages: Embed) -> None:
    with scoped(reader):
        mine = Memory.objects.filter(owner_id=reader.member, status__in=vectors.LIVE).values_list("id", flat=True)
        told = Episode.objects.filter(owner_id=reader.member, masked=False).values_list("turn", flat=True)
        wanted = [Waiting(MEMORY, key, reader.person, reader.slug) for key in mine]
        wanted += [Waiting(EPISODE, key, reader.person, reader.slug) for key in told]
        texts = vectors.texts(wanted)
        meaning = passages(list(texts.values())) if texts else None
        if meaning is not None:
            maker = vectors.embedder(meaning.by, len(meaning.rows[0]))
            vectors.store(maker, wanted, dict(zip(texts, meaning.rows, strict=True)))


def _kept(reader: Reader) -> list[Kept]:
    zone = ZoneInfo(reader.time_zone)
    with scoped(reader):
        rows = Memory.objects.filter(owner_id=reader.member).order_by("created_at")
        return [
            Kept(sealed.words(row).row["text"], row.attribute, row.status,
                 row.valid_from.astimezone(zone).isoformat() if row.valid_from else "")
            for row in rows
        ]  # fmt: skip
