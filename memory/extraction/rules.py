"""Reading a message by rules, Chinese and English: what it states of its speaker, takes back, and asks to forget."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.extraction import corrections, guard, orders, relations
from memory.extraction.claims import Claim, Reading
from memory.extraction.clauses import Clause, asks, clauses, speaker_lines
from memory.extraction.orders import Note
from memory.extraction.shapes import MEANINGS
from memory.extraction.statements import Moment, Said, stated
from memory.wording import language, normal

LONGEST = 20_000
"""Marks of one message that are read; the rest is left out."""
MOST = 200
"""Claims that one message may hold."""
_JOINED = re.compile(r"^(?:and|but|also)\b[\s,]+(?=(?:I|my|we|our)\b)|^(?:并且|而且)[，,\s]*", re.IGNORECASE)
"""What ties a clause to one that is kept by itself, where it can be nothing else."""
NOTE = 600
"""Marks of one note."""


def read(text: str, *, at: datetime, zone: ZoneInfo) -> Reading:
    """All that one message says; `at` and `zone` are the message's own."""
    text = text[:LONGEST]
    moment = Moment(at, zone)
    ordered, rest = orders.read(text)
    pieces = clauses(rest)
    corrected, used = corrections.read(pieces, moment)
    said = _said([piece for piece in pieces if piece not in used], moment)
    noted = [claim for note in ordered.notes for claim in _noted(note, moment)]
    return Reading(
        claims=_unique([*noted, *(one.claim for one in said if not one.ends)]),
        corrections=tuple(corrected),
        forgets=ordered.forgets,
        endings=_unique(one.claim for one in said if one.ends),
        secrets=guard.secrets(text),
        asks_everything=ordered.asks_everything,
        is_question=asks(rest),
    )


def _said(pieces: Sequence[Clause], moment: Moment, *, explicit: bool = False) -> list[Said]:
    """Of the speaker; and, from clauses that say nothing of them, of others."""
    said = stated(pieces, moment, explicit=explicit)
    used = {one.clause for one in said}
    return [*said, *relations.read([piece for piece in pieces if piece not in used], explicit=explicit)]


def _noted(note: Note, moment: Moment) -> list[Claim]:
    """What the member asked to keep: as the claims that it states, else word for word; pasted lines keep their speaker."""
    if guard.is_instruction(note.words):
        held = _note(note.words, "me", note)
        return [] if guard.secrets(held.value) else [replace(held, orders=True)]
    spoken = speaker_lines(note.words)
    pieces = clauses(note.words)
    said = [one for one in _said(pieces, moment, explicit=True) if not one.ends]
    read = {one.clause for one in said}
    left = [_JOINED.sub("", piece.text.strip()) for piece in pieces if piece not in read and "\x00" not in piece.shadow]
    notes = [_note(words, who, note) for who, words in spoken]
    if said or spoken:
        notes += [_note(words, "me", note) for words in left if len(normal(words)) >= 4]
    else:
        notes += [_note(note.words, "me", note)]
    return [*(one.claim for one in said), *(claim for claim in notes if claim.value and not guard.secrets(claim.value))]


def _note(words: str, subject: str, note: Note) -> Claim:
    meaning = MEANINGS["note"]
    words = guard.hidden(words)[:NOTE]
    text = words if subject == "me" else f"{subject}: {words}"
    return Claim(
        kind=meaning.kind, category=meaning.category, subject=subject, attribute="note", value=words, text=text,
        quote=note.quote[: 2 * NOTE], language=language(words), importance=meaning.importance, confidence=1.0, explicit=True,
    )  # fmt: skip


def _unique(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Each claim once; of two in one slot with the same value the first."""
    kept: dict[tuple[str, str, str], Claim] = {}
    for claim in claims:
        kept.setdefault((claim.slot, claim.attribute, normal(claim.value)), claim)
    return tuple(kept.values())[:MOST]
