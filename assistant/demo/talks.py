"""Past talks of demo members, through the same door as a live message: noticed, counted, searchable, replayable."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from assistant.conversation import remembering, render
from assistant.conversation.models import Conversation, Frame, State, Turn
from memory.ledger import Change, Said
from memory.models import Episode, Memory, Passage, Recalled, Version
from memory.remember import notice
from memory.retrieval.text import terms
from profiles import learn
from profiles.access import Reader, reader_for, scoped
from profiles.models import Membership, Profile, User

TALKS = Path(__file__).parent / "talks.json"
TITLE = 60
"""Characters of a first question that become the title."""
READING = timedelta(minutes=2)
"""Between an answer and the next question."""
SCORE = 0.6
"""Of a passage that a hand-written answer cites; its parts were never measured."""


@dataclass(frozen=True, slots=True)
class Told:
    """One exchange as it was written: the answer names its passages as [k1], [k2]."""

    question: str
    answer: str
    passages: tuple[Passage, ...]
    at: datetime


def members() -> list[dict[str, Any]]:
    """Who talked: username, name, zone, and the days since they joined."""
    found: list[dict[str, Any]] = _file()["members"]
    return found


def tell(slug: str) -> int:
    """Write the talks of members who have not had theirs; returns of how many. One transaction a member."""
    waiting = [member["username"] for member in members()]
    done = 0
    for user in User.objects.filter(username__in=waiting):
        reader = None if user.has_usable_password() else reader_for(user.id, slug)
        if reader is None or reader.memory_on is not None:
            continue
        with scoped(reader):
            Membership.objects.filter(id=reader.member).update(memory_on=True)
            profile = learn.profile_of(reader)
            for talk in _file()["talks"]:
                if talk["who"] == user.username:
                    _talk(reader, profile, talk)
        done += 1
    return done


def counts(slug: str) -> dict[str, int]:
    """Rows of the community's talks and of what was noticed in them."""
    here = {"community__slug": slug}
    models = {"conversations": Conversation, "turns": Turn, "episodes": Episode, "memories": Memory}
    return {name: model._default_manager.using("owner").filter(**here).count() for name, model in models.items()}


def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TALKS.read_text(encoding="utf-8"))
    return found


def _talk(reader: Reader, profile: Profile, talk: dict[str, Any]) -> None:
    zone = ZoneInfo(reader.time_zone)
    day = timezone.now().astimezone(zone).date() - timedelta(days=talk["days"])
    at = datetime.combine(day, time.fromisoformat(talk["at"]), zone)
    title = talk["turns"][0]["question"][:TITLE]
    row = Conversation.objects.create(
        id=uuid.uuid4(), owner_id=reader.member, community_id=reader.community, title=title
    )
    parent: Turn | None = None
    for number, spoken in enumerate(talk["turns"]):
        passages = _passages(reader, spoken["cites"], spoken["question"])
        told = Told(spoken["question"], spoken["answer"], passages, at + number * READING)
        parent = _turn(reader, profile, row, parent, told)
    ended = at + len(talk["turns"]) * READING
    Conversation.objects.filter(id=row.id).update(seq=row.seq, created_at=at, updated_at=ended)


def _passages(reader: Reader, keys: Sequence[str], question: str) -> tuple[Passage, ...]:
    language = "zh" if any("\u3400" <= letter <= "\u9fff" for letter in question) else "en"
    rows = Passage.objects.filter(community_id=reader.community, document__key__in=keys, language=language)
    by_key = {row.document.key: row for row in rows.select_related("document")}
    return tuple(by_key[key] for key in keys)


def _turn(reader: Reader, profile: Profile, row: Conversation, parent: Turn | None, told: Told) -> Turn:
    ended = told.at + timedelta(seconds=4)
    profile.refresh_from_db()  # what was read by rules in the turn before
    turn = Turn.objects.create(
        conversation=row, owner_id=reader.member, community_id=reader.community, client_id=uuid.uuid4(), parent=parent,
        question=told.question, answer=told.answer, state=State.ANSWERED, runner=uuid.uuid4(), alive_at=ended,
        ended_at=ended, usage={"input": 0, "output": 0, "cost": 0},
    )  # fmt: skip
    Turn.objects.filter(id=turn.id).update(asked_at=told.at)
    noticed = notice(reader, profile, told.question, Said(turn.id, row.id, told.at))
    _date(turn, noticed.changes, told.at)
    learn.count(profile, told.at)
    Recalled.objects.bulk_create(
        Recalled(turn=turn.id, owner_id=reader.member, community_id=reader.community, what="knowledge",
                 target=passage.id, score=SCORE, parts={}, marker=f"k{number}", cited=True)
        for number, passage in enumerate(told.passages, 1)
    )  # fmt: skip
    Episode.objects.create(
        turn=turn.id, conversation=row.id, owner_id=reader.member, community_id=reader.community,
        question=told.question, answer=told.answer, terms=terms(told.question), at=ended,
    )  # fmt: skip
    _frames(reader, row, turn, told, noticed.changes)
    turn.refresh_from_db(fields=["asked_at"])
    remembering.by_rules(reader, turn)  # these are never sent to a model
    Turn.objects.filter(id=turn.id).update(remembered_at=ended)
    return turn


def _date(turn: Turn, changes: Sequence[Change], at: datetime) -> None:
    """Rows are dated by the clock when they are made; these were made in the past."""
    Version.objects.filter(turn=turn.id).update(at=at)
    new = [change.memory.id for change in changes if change.action in ("added", "superseded")]
    Memory.objects.filter(id__in=new).update(created_at=at)


def _frames(reader: Reader, row: Conversation, turn: Turn, told: Told, changes: Sequence[Change]) -> None:
    sources = {
        f"k{number}": (passage.id, f"/knowledge/{passage.id}/") for number, passage in enumerate(told.passages, 1)
    }
    cited = render.cited(told.answer, sources)
    bodies: list[dict[str, Any]] = [{"type": "accepted", "client_id": str(turn.client_id)}]
    if changes:
        noted = [{"id": str(change.memory.id), "change": str(change.id)} for change in changes]
        bodies.append({"type": "noticed", "memories": noted})
    bodies += [
        {"type": "context", "regions": [], "memories": [], "asked_before": [],
         "sources": [{"id": str(passage.id), "title": passage.title, "url": f"/knowledge/{passage.id}/",
                      "verified": bool(passage.verified_by)} for passage in told.passages]},
        {"type": "delta", "n": 0, "text": told.answer},
        {"type": "done", "text": told.answer, "html": render.html(told.answer, cited), "usage": turn.usage,
         "cited": [str(cite.id) for cite in cited], "state": str(State.ANSWERED)},
    ]  # fmt: skip
    Frame.objects.bulk_create(
        Frame(conversation=row, owner_id=reader.member, community_id=reader.community, turn=turn, seq=row.seq + number,
              body={"turn": str(turn.id), **body})
        for number, body in enumerate(bodies, 1)
    )  # fmt: skip
    row.seq += len(bodies)
