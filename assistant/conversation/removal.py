"""Removing a conversation: what was said, what was sent, what others remember of it, and what was learned from it."""

import time
import uuid
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

from assistant.conversation import spending, turn, window
from assistant.conversation.models import Conversation, State, Turn
from memory import audit, blocks, derived, overviews, remember
from memory.ledger import Change
from memory.mask import MARK, masker
from memory.models import Episode, Memory, Recalled, Source
from memory.terms import Status
from profiles import learn
from profiles.access import Reader, scoped

STOP_SECONDS = 5.0
"""A running answer has so long to end by itself, with what it has said so far."""
REASON = "conversation deleted"


@dataclass(frozen=True, slots=True)
class Removed:
    """How many turns went, and the changes by which memories were forgotten."""

    turns: int
    changes: tuple[Change, ...] = ()


def remove(reader: Reader, conversation: uuid.UUID, *, forget: bool) -> Removed | None:
    """Delete it; None where there is no such conversation of the reader's. A running turn is ended first.

    `forget`: what was learned from it alone is forgotten too; a memory that other words carry stays, without these.
    """
    if not _exists(reader, conversation):
        return None
    _end(reader, conversation)
    with scoped(reader):
        audit.hold(reader.community)  # before any row
        mine = Conversation.objects.select_for_update().filter(id=conversation, owner_id=reader.member)
        if not mine.exists():
            return None
        turns = list(Turn.objects.filter(conversation_id=conversation).values_list("id", flat=True))
        made = derived.made_from(reader.member, (), turns)
        changes = _forget(reader, conversation, turns) if forget else ()
        _elsewhere(reader, turns)
        Recalled.objects.filter(turn__in=turns).delete()
        Episode.objects.filter(owner_id=reader.member, conversation=conversation).delete()
        overviews.drop([conversation], owner=reader.member)
        derived.follow(reader, made)
        transaction.on_commit(lambda: window.drop(reader.member))
        spending.keep(reader, conversation)
        mine.delete()
        audit.write(reader, "removed", conversation, reader.member, what="conversation", forget=forget)
    return Removed(len(turns), changes)


def _exists(reader: Reader, conversation: uuid.UUID) -> bool:
    with scoped(reader):
        return Conversation.objects.filter(id=conversation, owner_id=reader.member).exists()


def _end(reader: Reader, conversation: uuid.UUID) -> None:
    async_to_sync(turn.stop)(reader, conversation)
    deadline = time.monotonic() + STOP_SECONDS
    while running := _running(reader, conversation):
        if time.monotonic() > deadline:
            turn.recover(reader, running)
            return
        time.sleep(0.05)


def _running(reader: Reader, conversation: uuid.UUID) -> uuid.UUID | None:
    with scoped(reader):
        rows = Turn.objects.filter(conversation_id=conversation, state=State.RUNNING)
        return rows.values_list("id", flat=True).first()


def _forget(reader: Reader, conversation: uuid.UUID, turns: list[uuid.UUID]) -> tuple[Change, ...]:
    """Newest first, so that a correction goes before what it had corrected."""
    profile = learn.profile_of(reader)
    here = Source.objects.filter(owner_id=reader.member, conversation=conversation)
    learned = Memory.objects.select_for_update(of=("self",)).filter(id__in=here.values("memory"))
    changes = []
    for memory in learned.exclude(status=Status.FORGOTTEN).order_by("-created_at"):
        if memory.sources.exclude(conversation=conversation).exists():
            here.filter(memory=memory).delete()
            continue
        memory.refresh_from_db()  # a correction that was just forgotten may have brought it back
        if memory.status == Status.FORGOTTEN:  # what was made of it went first, and took it along
            continue
        changes.append(remember.forget(reader, profile, memory, None, reason=REASON))
    learn.take_back(profile, turns)
    blocks.take_back(reader, turns)
    return tuple(changes)


def _elsewhere(reader: Reader, turns: list[uuid.UUID]) -> None:
    """Other turns had these exchanges in their context, one line each: the line goes, and so does the find."""
    hits = Recalled.objects.filter(owner_id=reader.member, what="episode", target__in=turns).exclude(turn__in=turns)
    for hit in hits.exclude(marker=""):
        row = Turn.objects.filter(id=hit.turn).first()
        if row is not None:
            Turn.objects.filter(id=row.id).update(regions=[_without(region, hit.marker) for region in row.regions])
    hits.delete()


def regions_of(reader: Reader, row: Turn) -> list[dict[str, Any]]:
    """What stood before an answer, without what was forgotten since: words, and past exchanges as a whole."""
    masked, regions = masker(reader), row.regions
    there = Episode.objects.filter(owner_id=reader.member, hidden_by=None).values("turn")
    hits = Recalled.objects.filter(turn=row.id, what="episode").exclude(marker="").exclude(target__in=there)
    for marker in hits.values_list("marker", flat=True):
        regions = [_without(region, marker) for region in regions]
    return [region | {"text": masked(region["text"])} for region in regions]


def _without(region: dict[str, Any], marker: str) -> dict[str, Any]:
    lines = region["text"].split("\n")
    gone = [f"[{marker}] {MARK}" if line.lstrip().startswith(f"[{marker}]") else line for line in lines]
    return region | {"text": "\n".join(gone)} if region["name"] == "memories" else region
