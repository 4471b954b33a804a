"""Kith beside two stores that one could pick instead, over the same texts and vectors, in tables of the same size:
`python -m tests.bench.peers --path FOLDER` (the extra `bench` installs mem0 and LangGraph's PostgreSQL store).

Both are asked as their documentation says, for ten, with each owner's own rows only; mem0 stores what it is given
(`infer=False`), since no model is asked. Vectors are made once, beforehand, by the configured embedder; no figure of time
holds them. Kith's questions have vectors of their own making (`embedding.query`), the others those of the question as it
stands, and the others' with Kith's are measured too.
"""

import argparse
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from tests.bench.__main__ import VAR, database  # first: it sets Django up

# isort: split

import psycopg
from django.conf import settings
from django.utils import timezone

from assistant import embedded, evaluation, throwaway
from memory.evaluation import datasets, figures, playing
from memory.evaluation.datasets import Question
from memory.models import Episode
from memory.recall import recall
from memory.retrieval import ranker
from memory.vectors import embedder, maker_of
from profiles.access import Reader, scoped
from tests.bench import recalling
from tests.people import make_world

DEPTH = 10
Ask = Callable[[str, int, Question], list[str]]
"""Owner, place and question → keys, best first."""


class Known:
    """An embedder that was asked beforehand: text → its vector, however its spaces are."""

    def __init__(self, rows: Mapping[str, Sequence[float]]) -> None:
        self.rows, self.config = {" ".join(text.split()): row for text, row in rows.items()}, None

    def embed(self, text: str, action: str | None = None) -> list[float]:
        return list(self.rows[" ".join(text.split())])

    def embed_batch(self, texts: list[str], action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def others(count: int, size: int) -> Iterator[tuple[str, str, str, list[float]]]:
    """Rows of fifty more owners, for the size of the table alone: owner, key, text, vector."""
    chance = random.Random(0)
    for number in range(count):
        row = [chance.random() - 0.5 for _ in range(size)]
        norm = sum(one * one for one in row) ** 0.5
        yield f"other-{number % 50}", f"other/{number}", " ".join(f"w{int(chance.random() ** 3 * 5000)}" for _ in range(12)), [
            one / norm for one in row
        ]


def rows_of(owners: Sequence[evaluation.Owner], everybody: int, size: int) -> list[tuple[str, str, str, list[float]]]:
    own = [
        (one.name, said.key, said.text, list(vector))
        for one in owners for said, vector in zip(one.said, one.kept.rows if one.kept else (), strict=True)
    ]  # fmt: skip
    return own + list(others(max(0, everybody - len(own)), size))


def database_named(name: str) -> str:
    """A fresh database with pgvector, and how to reach it."""
    with psycopg.connect(settings.PLACE.dsn("postgres", "postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    dsn = settings.PLACE.dsn("postgres", name)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return str(dsn)


def mem0(rows: Sequence[tuple[str, str, str, list[float]]], questions: Mapping[str, Sequence[float]], size: int) -> Ask:
    from mem0 import Memory

    dsn = database_named("kith_peer_mem0")
    memory = Memory.from_config({
        "vector_store": {"provider": "pgvector", "config": {
            "connection_string": dsn, "collection_name": "peer", "embedding_model_dims": size, "hnsw": True}},
        "embedder": {"provider": "openai", "config": {"model": "known", "embedding_dims": size}},
        "llm": {"provider": "openai", "config": {"model": "none"}}, "history_db_path": str(VAR / "bench" / "mem0.db"),
    })  # fmt: skip
    memory.embedding_model = Known(questions)
    for start in range(0, len(rows), 500):  # as `add(infer=False)` writes a row
        some = rows[start : start + 500]
        memory.vector_store.insert(
            vectors=[row[3] for row in some], ids=[str(uuid.uuid4()) for _ in some],
            payloads=[{"data": row[2], "hash": row[1], "role": "user", "user_id": row[0], "text_lemmatized": row[2],
                       "created_at": timezone.now().isoformat()} for row in some],
        )  # fmt: skip
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("ANALYZE")

    def ask(owner: str, place: int, question: Question) -> list[str]:
        found = memory.search(question.text, filters={"user_id": owner}, top_k=DEPTH, threshold=0.0)
        return [row["hash"] for row in found["results"]]

    return ask


@contextmanager
def langgraph(
    rows: Sequence[tuple[str, str, str, list[float]]], questions: Mapping[str, Sequence[float]], size: int
) -> Iterator[Ask]:
    from langgraph.store.base import PutOp
    from langgraph.store.postgres import PostgresStore

    dsn = database_named("kith_peer_langgraph")
    known = Known({row[2]: row[3] for row in rows} | {text: row for text, row in questions.items()})
    index = {"dims": size, "embed": known.embed_batch, "fields": ["text"]}
    with PostgresStore.from_conn_string(dsn, index=index) as store:
        store.setup()
        for start in range(0, len(rows), 500):
            store.batch([PutOp((row[0],), row[1], {"text": row[2]}) for row in rows[start : start + 500]])
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("ANALYZE")
        yield lambda owner, place, question: [
            item.key for item in store.search((owner,), query=question.text, limit=DEPTH)
        ]


def asked(owners: Sequence[evaluation.Owner], ask: Ask) -> dict[str, Any]:
    """How much is found, and how long it takes."""
    found, times = [], []
    for one in owners:
        for place, question in enumerate(one.questions):
            began = time.perf_counter()
            keys = ask(one.name, place, question)
            times.append(1000 * (time.perf_counter() - began))
            found.append(figures.measured(list(dict.fromkeys(keys)), question.gold))
    return _row(found, times)


def kith(owners: Sequence[evaluation.Owner], reader: Reader) -> dict[str, Any]:
    """The list that is measured, and the time of what a turn calls."""
    found, times = [], []
    with scoped(reader):  # a process asks for the maker of its vectors once
        maker_of(owners[0].vector(0))
    for one in owners:
        with playing.loaded(reader, one.said, one.kept) as keys:
            for place, question in enumerate(one.questions):
                meaning = one.vector(place)
                hits = playing.found(reader, question, meaning, ranker.of(ranker.EVENTS), DEPTH)
                found.append(figures.measured([keys[hit.id] for hit in hits], question.gold))
                began = time.perf_counter()
                recall(reader, question.text, meaning=meaning, now=question.at)
                times.append(1000 * (time.perf_counter() - began))
            Episode.objects.filter(owner_id=reader.member).delete()
    return _row(found, times)


def _row(found: Sequence[Mapping[str, float]], times: Sequence[float]) -> dict[str, Any]:
    parts = quantiles(times, n=100)
    return {"recall@10": round(sum(one["recall@10"] for one in found) / len(found), 4), "questions": len(found),
            "p50_ms": round(parts[49], 1), "p95_ms": round(parts[94], 1)}  # fmt: skip


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", type=Path, required=True, help="a data set whose rows are past exchanges")
    parser.add_argument("--rows", type=int, default=20_000, help="in each system's table")
    parser.add_argument("--limit", type=int, default=0, help="only so many questions")
    chosen = parser.parse_args()
    (VAR / "bench").mkdir(parents=True, exist_ok=True)
    data = datasets.read(chosen.path, "")
    with embedded.lease(settings.PLACE), database():
        owners = list(evaluation.embedded(data, chosen.limit, print))
        size = len(owners[0].kept.rows[0]) if owners[0].kept else 0
        rows = rows_of(owners, chosen.rows, size)
        plain = {one.text: row for owner in owners for one, row in zip(owner.questions, owner.plain.rows, strict=True)}
        ours = {one.text: row for owner in owners for one, row in zip(owner.questions, owner.asked.rows, strict=True)}
        result: dict[str, Any] = {"rows": len(rows), "dataset": data.name, "vectors": owners[0].kept.by}
        for mark, questions in (("", plain), (", Kith's vectors", ours)):
            result[f"mem0{mark}"] = asked(owners, mem0(rows, questions, size))
            with langgraph(rows, questions, size) as ask:
                result[f"langgraph{mark}"] = asked(owners, ask)
        _beside(owners, chosen.rows)
        with throwaway.members("peers-", ("owner",)) as (reader,):
            result["kith"] = kith(owners, reader)
    for name, row in result.items():
        print(f"{name:<26}{row}")
    (VAR / "bench" / "peers.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _beside(owners: Sequence[evaluation.Owner], everybody: int) -> None:
    """The rows of others in Kith's table, with vectors of the same maker."""
    maker = embedder(owners[0].kept.by, len(owners[0].kept.rows[0])).id
    share = max(0, everybody - sum(len(one.said) for one in owners)) // 50
    for _ in range(50):
        recalling._fill(make_world(uuid.uuid4().hex[:12]).alice, share, maker)


if __name__ == "__main__":
    main()
