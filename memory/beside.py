"""Door: what is kept of a member beside their memories: the assistant's notes with their versions, overviews, and what
the last answers used; many rows cost no more queries than one."""

import uuid
from dataclasses import replace
from itertools import pairwise
from typing import Any

from django.db.models import Max

from memory import labels, policy, sealed
from memory.mask import masker
from memory.models import Block, BlockVersion, Episode, Memory, Overview, Passage, Recalled
from memory.opening import Opened
from memory.visible import difference, pieces


def notes(here: Opened) -> dict[str, Any]:
    """The notes as they stand, and what they said before, oldest first; what was forgotten is blacked out."""
    masked = masker(replace(here.reader, member=here.member))
    block = Block.objects.filter(owner_id=here.member).first()
    rows = list(BlockVersion.objects.filter(owner_id=here.member).order_by("-number")[: policy.NOTES_SHOWN])[::-1]
    said = [masked(row.text) for row in rows]
    changed = [pieces(text) for text in said[:1]] + [difference(old, new) for old, new in pairwise(said)]
    return {
        "text": masked(block.text) if block else "", "version": block.version if block else 0,
        "versions": [
            {"number": row.number, "pieces": words, "at": row.at, "actor": labels.actor(row.actor),
             "reason": labels.reason(row.reason)}
            for row, words in zip(rows, changed, strict=True)
        ],
    }  # fmt: skip


def overviews(here: Opened) -> list[dict[str, Any]]:
    """One for each conversation, the newest first; what was forgotten is blacked out."""
    masked = masker(replace(here.reader, member=here.member))
    rows = Overview.objects.filter(owner_id=here.member).order_by("-at")[: policy.OVERVIEWS_SHOWN]
    return [
        {"topics": labels.listed(map(masked, row.topics)), "last": pieces(masked(row.last)), "rounds": row.rounds,
         "at": row.at, "url": f"/c/{row.conversation}/" if here.own else ""}
        for row in rows
    ]  # fmt: skip


def answers(here: Opened) -> list[dict[str, Any]]:
    """What the last answers had before them, the newest first; of past exchanges only that they were there."""
    used = Recalled.objects.filter(owner_id=here.member).exclude(marker="")
    newest = used.values("turn").annotate(last=Max("id")).order_by("-last")[: policy.ANSWERS_SHOWN]
    turns = [row["turn"] for row in newest]
    rows = list(used.filter(turn__in=turns).order_by("id"))
    asked = dict(Episode.objects.filter(owner_id=here.member, turn__in=turns).values_list("turn", "at"))
    known = _said(here.member, rows)
    return [
        {"at": asked.get(turn), "url": f"/turns/{turn}/" if here.own else "",
         "used": [{"what": row.what, "cited": row.cited, "pieces": pieces(known.get(row.target, "")),
                   "id": str(row.target)} for row in rows if row.turn == turn]}
        for turn in turns
    ]  # fmt: skip


def _said(owner: uuid.UUID, rows: list[Recalled]) -> dict[uuid.UUID, str]:
    """The words of memories as they stand now, and the titles of knowledge."""
    meant = {what: [row.target for row in rows if row.what == what] for what in ("memory", "knowledge")}
    memories = Memory.objects.filter(id__in=meant["memory"])
    titles = Passage.objects.filter(id__in=meant["knowledge"]).values_list("id", "title")
    return dict(titles) | {row.id: row.text for row in sealed.rows_shown(owner, memories)}
