"""What was found, in the order of somebody else's judgement, where there is one and it answers in time."""

import logging
from collections.abc import Callable, Sequence

from memory import policy
from memory.retrieval.score import Hit, reranked

log = logging.getLogger(__name__)
Rerank = Callable[[str, Sequence[str]], list[float]]
"""A question and texts → one score a text, 0..1; raises `TimeoutError` or `ValueError`."""


def reordered(
    rerank: Rerank | None, question: str, kinds: Sequence[Sequence[Hit]]
) -> tuple[list[list[Hit]], tuple[str, ...]]:
    """Each kind's first finds in the order of their scores, the rest behind them, and what is to be noted. What may be
    found at all, and how sure the best one is, stays as it was judged."""
    firsts = [list(hits[: policy.RERANKED]) for hits in kinds]
    texts = [hit.text for first in firsts for hit in first]
    if rerank is None or max(map(len, firsts), default=0) < 2:
        return [list(hits) for hits in kinds], ()
    try:
        scores = dict(zip([hit.id for first in firsts for hit in first], rerank(question, texts), strict=True))
    except (TimeoutError, ValueError) as problem:
        log.warning("not reranked: %s", problem)
        return [list(hits) for hits in kinds], ("not reranked",)
    changed = [
        [*reranked(first, scores), *hits[len(first) :]] for first, hits in zip(firsts, kinds, strict=True)
    ]  # fmt: skip
    return changed, ("reranked",)
