"""Plays one owner of a data set through the product's tables and its recall; the caller takes back what it wrote."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from zoneinfo import ZoneInfo

import numpy as np

from memory import exchanges, policy, vectors
from memory.dates import spans
from memory.evaluation.datasets import Question, Said
from memory.models import Episode
from memory.recall import Hit, recall
from memory.retrieval import features
from memory.retrieval.ranker import Example, Ranker
from memory.retrieval.text import query_terms, terms
from memory.vectors import EPISODE, Meaning, Waiting
from profiles.access import Reader, scoped

BATCH = 500
"""Rows written in one statement."""


@contextmanager
def loaded(reader: Reader, said: Sequence[Said], meaning: Meaning | None) -> Iterator[dict[uuid.UUID, str]]:
    """The reader's unit of work, in which these are past exchanges; gives the key of each."""
    talks = {one.talk: uuid.uuid4() for one in said}
    keys = {uuid.uuid4(): one.key for one in said}
    rows = [
        Episode(turn=turn, conversation=talks[one.talk], owner_id=reader.member, community_id=reader.community,
                question=one.text, answer="", terms=terms(one.text), at=one.at)
        for turn, one in zip(keys, said, strict=True)
    ]  # fmt: skip
    with scoped(reader):
        Episode.objects.bulk_create(rows, batch_size=BATCH)
        if meaning is not None:
            maker = vectors.embedder(meaning.by, len(meaning.rows[0]))
            wanted = [Waiting(EPISODE, turn, reader.person, reader.slug) for turn in keys]
            found = dict(zip(keys, meaning.rows, strict=True))
            for start in range(0, len(wanted), BATCH):
                vectors.store(maker, wanted[start : start + BATCH], found)
        yield keys


def found(reader: Reader, asked: Question, meaning: Meaning | None, ranker: Ranker, most: int) -> tuple[Hit, ...]:
    """What recall finds for a question, best first."""
    return recall(reader, asked.text, meaning=meaning, now=asked.at, wide=most, ranker=ranker).episodes


def example(reader: Reader, keys: Mapping[uuid.UUID, str], asked: Question, meaning: Meaning | None) -> Example:
    """What may be meant by a question, in features, and what is."""
    words = query_terms(asked.text)
    days = [(span.start, span.end) for span in spans(asked.text, at=asked.at, zone=ZoneInfo(reader.time_zone))]
    pool = exchanges.pool(reader, words, meaning, most=policy.CANDIDATES)
    table = features.table(features.Question(asked.text, words, days), pool)
    return Example(table.values, np.array([float(keys[row.turn] in asked.gold) for row in table.rows]))
