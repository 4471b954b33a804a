"""Door: the golden set, played by throw-away members of a throw-away community; nothing of it stays."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from assistant import throwaway
from assistant.llm import embedding
from memory.golden import cases
from memory.golden.cases import Verdict
from memory.golden.playing import play
from memory.vectors import Meaning

SLUG = "golden-"
"""How the short name of a throw-away community begins."""


def run(names: Sequence[str]) -> dict[str, list[Verdict]]:
    """Each set's verdicts, case by case, each in a transaction that is taken back."""
    verdicts: dict[str, list[Verdict]] = {}
    with throwaway.members(SLUG, ("first", "second")) as (me, second):
        for name in names:
            verdicts[name] = []
            for case in cases.read(name):
                with transaction.atomic():
                    verdicts[name].append(play(case, me, second, passages=_passages, query=_query))
                    transaction.set_rollback(True)
    return verdicts


def report(verdicts: dict[str, list[Verdict]]) -> dict[str, Any]:
    """`{"cases", "passed", "precision", "recall", "by_class": {…}, "sets": {…}}`; shares are 0..1."""
    every = [one for some in verdicts.values() for one in some]
    sets = {name: {**cases.figures(some), "by_class": cases.by_class(some)} for name, some in verdicts.items()}
    return {**cases.figures(every), "by_class": cases.by_class(every), "sets": sets}


def _passages(texts: Sequence[str]) -> Meaning | None:
    try:
        return embedding.passages(texts)
    except embedding.Unavailable:
        return None


def _query(texts: Sequence[str]) -> Meaning | None:
    try:
        return embedding.query(texts)
    except embedding.Unavailable:
        return None
