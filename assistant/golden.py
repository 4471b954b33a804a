"""Door: the golden set, played by throw-away members of a throw-away community; nothing of it stays."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from assistant.llm import embedding
from memory.golden import cases
from memory.golden.cases import Verdict
from memory.golden.playing import play
from memory.vectors import Meaning
from profiles.access import Reader, reader_for
from profiles.models import Community, Membership, User

SLUG = "golden-"
"""How the short name of a throw-away community begins."""


def run(names: Sequence[str]) -> dict[str, list[Verdict]]:
    """Each set's verdicts, case by case, each in a transaction that is taken back."""
    verdicts: dict[str, list[Verdict]] = {}
    with _members() as (me, second):
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


@contextmanager
def _members() -> Iterator[tuple[Reader, Reader]]:
    """Two members, made by the tables' owner, as the application may not; gone in the end."""
    slug = f"{SLUG}{uuid.uuid4().hex[:12]}"
    community = Community.objects.using("owner").create(slug=slug, name="Golden set")
    users = []
    try:
        for name in ("first", "second"):
            users.append(User.objects.using("owner").create(username=f"{slug}-{name}"))
            Membership.objects.using("owner").create(user=users[-1], community=community, memory_on=True)
        me, second = (reader_for(user.id) for user in users)
        assert me is not None and second is not None
        yield me, second
    finally:
        Membership.objects.using("owner").filter(community=community).delete()
        for user in users:
            user.delete(using="owner")
        community.delete(using="owner")


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
