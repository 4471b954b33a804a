"""Keeping house for members, one after the other; and blacking out, for good, what their conversations still hold."""

import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from assistant import advice
from assistant.conversation import summaries
from assistant.conversation.models import Conversation, Frame, Turn
from memory import policy, upkeep
from memory.upkeep import Blackout, Done
from profiles.access import Reader, reader_for, scoped
from profiles.models import Membership

_TAG = re.compile(r"(<[^>]*>|^)([^<]+)")


def keep(reader: Reader, now: datetime, *, dry_run: bool = False) -> list[Done]:
    """All steps for one member; they count as kept once all of them are done. A dry run asks no model."""
    advised = not dry_run and advice.wanted(reader)
    helps = advice.before(reader, now) if advised else {}
    done = upkeep.run(reader, now, blacken=blacken, dry_run=dry_run, helps=helps)
    if advised:
        advice.after(reader, now)
    if not dry_run:
        kept(reader)
    return done


def kept(reader: Reader) -> None:
    """Not to be looked at again this night."""
    with scoped(reader):
        Membership.objects.filter(id=reader.member).update(kept_at=timezone.now())


def members(at_most: int, *, hours: int = policy.KEPT_HOURS) -> Iterator[Reader]:
    """Members whose turn it is, who waited longest first; each is gone from the list once it is kept."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT member, person, community FROM kith_members_to_keep(%s, %s)", [hours, at_most])
        rows: list[tuple[uuid.UUID, uuid.UUID, str]] = cursor.fetchall()
    for _, person, community in rows:
        reader = reader_for(person, community)
        if reader is not None:
            yield reader


def blacken(reader: Reader, blackout: Blackout) -> None:
    """Turns, what was in their context, the frames they were sent as, and titles; inside the reader's unit of work."""
    for turn in Turn.objects.filter(owner_id=reader.member).order_by("id").iterator(chunk_size=200):
        at = turn.asked_at
        regions = [region | {"text": blackout(region["text"], at)} for region in turn.regions]
        question, answer = blackout(turn.question, at), blackout(turn.answer, at)
        if (question, answer, regions) != (turn.question, turn.answer, turn.regions):
            Turn.objects.filter(id=turn.id).update(question=question, answer=answer, regions=regions)
            _frames(turn.id, blackout, at)
    summaries.drop(reader)  # one may say it in other words; it is made anew when it is wanted
    for talk in Conversation.objects.filter(owner_id=reader.member):
        title = blackout(talk.title, talk.created_at)
        if title != talk.title:
            Conversation.objects.filter(id=talk.id).update(title=title)


def _frames(turn: uuid.UUID, blackout: Blackout, at: datetime) -> None:
    """A word may lie across two pieces of an answer: the first piece then holds all of it, the others nothing."""
    rows = list(Frame.objects.filter(turn_id=turn).order_by("seq"))
    pieces = [row for row in rows if row.body.get("type") == "delta"]
    whole = "".join(row.body["text"] for row in pieces)
    if blackout(whole, at) != whole:
        for row in pieces:
            row.body |= {"text": blackout(whole, at) if row is pieces[0] else ""}
    for row in rows:
        row.body = _in(row.body, blackout, at)
    Frame.objects.bulk_update(rows, ["body"])


def _in(value: Any, blackout: Blackout, at: datetime, key: str = "") -> Any:
    """Only what is read: ids, names of fields and tags stay."""
    if isinstance(value, dict):
        return {name: _in(part, blackout, at, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_in(part, blackout, at) for part in value]
    if key == "text":
        return blackout(value, at)
    return _TAG.sub(lambda part: part[1] + blackout(part[2], at), value) if key == "html" else value
