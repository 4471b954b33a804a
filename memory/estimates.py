"""Door: how much help the weakest of what a machine wrote will still be, as a model sees it before a weekly review."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memory import asking, policy, weighing
from memory.asking import Asked, Unfit
from memory.extraction import guard, loose_json
from memory.lifecycle.priority import frailest
from memory.mask import masker
from memory.models import Memory
from memory.prompts import prompt
from memory.protocols import Completer
from memory.upkeep import rows_of
from memory.wording import language
from profiles.access import Reader

_SCORE: dict[str, Any] = asking.shape({"n": {"type": "integer"}, "help": {"type": "integer"}})
SHAPE = asking.shape({"scores": {"type": "array", "items": _SCORE}})


@dataclass(frozen=True, slots=True)
class Draft:
    """Memories and their sentences, the weakest first."""

    texts: tuple[tuple[UUID, str], ...]

    @property
    def language(self) -> str:
        return language(" ".join(text for _, text in self.texts))


class _Score(BaseModel):
    model_config = ConfigDict(extra="ignore")
    n: int
    help: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


def draft(reader: Reader, now: datetime) -> Draft | None:
    """What a model may look at; None where no review is due, or there is nothing to choose from."""
    if not weighing.due(reader, now):
        return None
    masked = masker(reader)
    weak = [row.id for row in frailest(rows_of(reader), now)[: policy.ESTIMATES]]
    texts = dict(Memory.objects.filter(id__in=weak).values_list("id", "text"))
    kept = tuple((key, texts[key]) for key in weak if key in texts and _may_go(texts[key], masked(texts[key])))
    return Draft(kept) if len(kept) * policy.WEAK_SHARE >= 1 else None


async def estimate(found: Draft, completer: Completer) -> dict[UUID, float]:
    """Memory → help, 0..1; empty where the model's answer is of no use."""
    numbered = [{"n": number, "text": text} for number, (_, text) in enumerate(found.texts, 1)]
    asked = Asked(prompt(__file__, found.language), found.language, {"memories": numbered}, SHAPE)
    return await asking.ask(completer, asked, lambda said: _read(said, found)) or {}


def _may_go(text: str, masked: str) -> bool:
    return bool(text) and masked == text and not guard.secrets(text)


def _read(said: str, found: Draft) -> dict[UUID, float]:
    raw, _ = loose_json.items(said, "scores", "n")
    scores = [_Score.model_validate(one) for one in raw]
    helps = {found.texts[one.n - 1][0]: one.help / 10 for one in scores if 1 <= one.n <= len(found.texts)}
    if len(helps) < len(scores):
        raise Unfit("each n must be one of the memories, once")
    if len(helps) < policy.ESTIMATED_LEAST * len(found.texts):
        raise Unfit("every memory needs a score")
    return helps
