"""One recall of a member with so many exchanges, in a table with so many of everybody's; perturbed copies, for timing only."""

import random
import time
import uuid
from statistics import quantiles
from typing import Any

from django.db import connections
from django.utils import timezone

from memory import exchanges, policy, vectors
from memory.recall import recall
from memory.vectors import Meaning
from profiles.access import Reader, scoped
from tests.people import make_world

SIZE, BASES, QUESTIONS, OTHERS = 384, 200, 40, 50
_BASES = """
CREATE TEMPORARY TABLE IF NOT EXISTS bench_base AS SELECT n,
    (SELECT l2_normalize(array_agg(random() - 0.5 + 0 * (n + k))::vector) FROM generate_series(1, %(size)s) AS k) AS embedding
FROM generate_series(0, %(bases)s - 1) AS n
"""
_EXCHANGES = """
INSERT INTO memory_episode (turn, conversation, owner_id, community_id, question, answer, terms, masked, at)
SELECT gen_random_uuid(), md5(%(owner)s || n / 20)::uuid, %(owner)s::uuid, %(community)s, array_to_string(said, ' '), '', said,
    false, now() - n * interval '1 minute'
FROM generate_series(1, %(count)s) AS n,
    LATERAL (SELECT array_agg('w' || (floor(power(random(), 3) * 5000)::int + 0 * (n + k))) AS said FROM generate_series(1, 12) AS k) AS words
"""
_VECTORS = """
INSERT INTO memory_episodevector (embedder_id, community_id, owner_id, episode_id, embedding)
SELECT %(maker)s, e.community_id, e.owner_id, e.turn, b.embedding
FROM memory_episode e JOIN bench_base b ON b.n = abs(hashtext(e.turn::text)) %% %(bases)s WHERE e.owner_id = %(owner)s
"""


def growth(own: int, everybody: int) -> dict[str, Any]:
    """Milliseconds of a whole recall and of the one statement for exchanges, embedding apart."""
    worlds = [make_world(uuid.uuid4().hex[:12]) for _ in range(1 + OTHERS)]
    maker = vectors.embedder(f"bench-{uuid.uuid4().hex}", SIZE).id
    key = vectors.Embedder.objects.get(id=maker).key
    share = max(0, everybody - own) // OTHERS
    for world, count in zip(worlds, [own] + [share] * OTHERS, strict=True):
        _fill(world.alice, count, maker)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE memory_episode")
        cursor.execute("ANALYZE memory_episodevector")
    reader = worlds[0].alice
    whole, bare = [], []
    for number in range(QUESTIONS):
        text, meaning = _asked(number, key)
        whole.append(_milliseconds(lambda: recall(reader, text, meaning=meaning, now=timezone.now()), reader))  # noqa: B023
        bare.append(_milliseconds(lambda: exchanges.pool(reader, text.split(), meaning, most=policy.NEAREST), reader))  # noqa: B023
    return {"own": own, "everybody": everybody, "recall_p50_ms": _part(whole, 50), "recall_p95_ms": _part(whole, 95),
            "statement_p50_ms": _part(bare, 50), "statement_p95_ms": _part(bare, 95)}  # fmt: skip


def _fill(reader: Reader, count: int, maker: int) -> None:
    values = {"owner": str(reader.member), "community": reader.community, "count": count, "maker": maker, "size": SIZE,
              "bases": BASES}  # fmt: skip
    with connections["owner"].cursor() as cursor:
        for statement in (_BASES, _EXCHANGES, _VECTORS):
            cursor.execute(statement, values)


def _asked(number: int, key: str) -> tuple[str, Meaning]:
    """Four words, common and rare, and a direction."""
    chance = random.Random(number)
    words = " ".join(f"w{int(chance.random() ** 3 * 5000)}" for _ in range(4))
    row = [chance.random() - 0.5 for _ in range(SIZE)]
    norm = sum(one * one for one in row) ** 0.5
    return words, Meaning(key, (tuple(one / norm for one in row),))


def _milliseconds(run: Any, reader: Reader) -> float:
    with scoped(reader):
        began = time.perf_counter()
        run()
        return 1000 * (time.perf_counter() - began)


def _part(values: list[float], share: int) -> float:
    return round(quantiles(values, n=100)[share - 1], 1)
