"""Door: a month's summary, which rules have made as a list of questions, in a sentence by a model.

It counts only where it is made of the member's words, and only as long as nothing of the summary changes; then the list
of rules stands again.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

from django.db.models import F
from pydantic import BaseModel, ConfigDict, Field

from memory import asking, audit, derived, ledger, policy
from memory.asking import Asked, Unfit
from memory.derived import SUMMARY
from memory.extraction import guard, loose_json
from memory.extraction.grounds import Message, same_language
from memory.lifecycle import compose
from memory.lifecycle.compose import Line
from memory.mask import masker
from memory.models import Memory
from memory.prompts import prompt
from memory.protocols import Completer
from memory.terms import Origin, Status
from memory.wording import normal
from profiles.access import Reader

SHAPE = asking.shape({"summary": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary at one version: its topic, and what was asked, oldest first."""

    memory: UUID
    version: int
    language: str
    topic: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """What it may say from now on, and who worded it."""

    draft: Draft
    text: str
    made_by: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")
    summary: Annotated[str, Field(min_length=8, max_length=policy.WORDING_CHARACTERS)]


def drafts(reader: Reader, now: datetime) -> list[Draft]:
    """The summaries that rules have written in these nights, the newest first."""
    since = now - timedelta(days=policy.WORDING_DAYS)
    own = Memory.objects.standing().filter(owner_id=reader.member, origin=Origin.CONSOLIDATED, attribute=SUMMARY)
    rows = own.filter(versions__number=F("version"), versions__made_by="", versions__at__gte=since)
    found = []
    for row in rows.order_by("-versions__at", "id")[: policy.WORDINGS_A_NIGHT]:
        lines = tuple(derived.lines(reader, row))
        if lines:
            found.append(Draft(row.id, row.version, row.language, row.value[len("2026-01 ") :], lines))
    return found


async def word(draft: Draft, completer: Completer) -> Wording | None:
    """The sentence of the model, with its month before it."""
    said = [{"on": f"{line.on}", "asked": line.text} for line in draft.lines]
    asked = Asked(prompt(__file__, draft.language), draft.language, {"topic": draft.topic, "questions": said}, SHAPE)
    text = await asking.ask(completer, asked, lambda answer: _read(answer, draft))
    return Wording(draft, text, asking.made_by("wordings", asked, completer)) if text else None


def write(reader: Reader, wording: Wording) -> bool:
    """Unless the summary was changed meanwhile, or says what was forgotten meanwhile."""
    audit.hold(reader.community)
    rows = Memory.objects.select_for_update(skip_locked=True).filter(id=wording.draft.memory, status=Status.ACTIVE)
    row = rows.filter(owner_id=reader.member, version=wording.draft.version).first()
    if row is None or masker(reader)(wording.text) != wording.text:
        return False
    fields = {"text": wording.text}
    ledger.revise(reader, row, fields, actor=ledger.UPKEEP, reason="summarised", made_by=wording.made_by)
    return True


def _read(said: str, draft: Draft) -> str:
    """The sentence, if the questions carry it; raises `Unfit`."""
    text = " ".join(guard.hidden(_Answer.model_validate(loose_json.one(said, "summary")).summary).split())
    asked = " ".join(line.text for line in draft.lines)
    if not same_language(text, asked):
        raise Unfit("summary is not in the language of the questions")
    if draft.topic != compose.REST.get(draft.language) and normal(draft.topic) not in normal(text):
        raise Unfit("summary does not name the topic")
    figures = set(re.findall(r"\d+", text)) - set(re.findall(r"\d+", asked))
    if figures or Message(asked).share(text) < policy.WORDING_SHARE:
        raise Unfit("summary says more than the questions do")
    if guard.secrets(text) or guard.is_instruction(text) or guard.is_sensitive(text):
        raise Unfit("summary must not give orders or tell what is private")
    return f"{compose.of_month(draft.lines[0].on, draft.language)}{text}"
