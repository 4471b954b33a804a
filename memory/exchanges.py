"""Past exchanges that a question may mean: by their words, by their meaning, and by what was said around them.

One statement reads one member's own rows and gives back the few that may be meant with their neighbours. What is
masked, doubted or archived is left out before neighbours are looked at, so that no window ever holds it.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import connection

from memory import policy
from memory.extraction import worth
from memory.retrieval.exchange import Exchange, Pool
from memory.retrieval.features import Table
from memory.retrieval.ranker import Ranker
from memory.retrieval.score import Asked, Hit, Row, judged, thinned
from memory.terms import Kind, Origin, Scope, Status
from memory.vectors import Meaning, maker_of, written
from profiles.access import Reader

IMPORTANCE = 0.3
"""Of an exchange: what was said, where nobody asked to have it remembered."""
FEW = 5
"""Exchanges of which a median says nothing yet."""
_READ = """
WITH doubted AS (
    SELECT s.turn FROM memory_source s JOIN memory_memory m ON m.id = s.memory_id
    WHERE s.owner_id = %(member)s AND m.status <> %(active)s AND m.origin <> %(made)s
), mine AS (
    SELECT turn, conversation, at, cardinality(terms) AS length,
        CASE WHEN terms && %(words)s::text[]
            THEN ARRAY(SELECT term FROM unnest(terms) AS term WHERE term = ANY(%(words)s::text[])) END AS held
    FROM memory_episode
    WHERE owner_id = %(member)s AND community_id = %(community)s AND NOT masked AND archived_at IS NULL
    AND turn IS DISTINCT FROM %(but)s::uuid AND turn NOT IN (SELECT turn FROM doubted)
), near AS (
    SELECT episode_id, LEAST(embedding <=> %(asked)s::vector,
        CASE WHEN %(more)s THEN (SELECT min(embedding <=> also) FROM unnest(%(also)s::vector[]) AS also) END) AS far
    FROM memory_episodevector
    WHERE embedder_id = %(maker)s AND community_id = %(community)s AND owner_id = %(member)s
), either AS MATERIALIZED (  -- a full join is never a loop in a loop, however wrong the planner's idea of the sizes is
    SELECT * FROM mine FULL JOIN near ON near.episode_id = mine.turn
), met AS NOT MATERIALIZED (SELECT * FROM either WHERE turn IS NOT NULL
), whole AS MATERIALIZED (
    SELECT count(*) AS total, avg(length)::float8 AS length,
        (SELECT 1 - percentile_cont(0.5) WITHIN GROUP (ORDER BY far)
         FROM (SELECT far FROM met WHERE far IS NOT NULL LIMIT %(some)s) AS sample) AS usual FROM met
), often AS MATERIALIZED (
    SELECT term, count(*) AS holding FROM met, LATERAL (SELECT DISTINCT unnest(held) AS term) AS terms
    WHERE held IS NOT NULL GROUP BY term
), best AS (
    (SELECT turn, conversation FROM met WHERE held IS NOT NULL ORDER BY
        (SELECT sum(ln(1 + total::float8 / holding)) FROM often, whole WHERE term = ANY(held)) DESC, at DESC
        LIMIT %(most)s)
    UNION (SELECT turn, conversation FROM met WHERE far IS NOT NULL ORDER BY far LIMIT %(most)s)
), placed AS (
    SELECT met.*, row_number() OVER talk AS place,
        count(best.turn) OVER (talk ROWS BETWEEN %(around)s PRECEDING AND %(around)s FOLLOWING) AS wanted
    FROM met LEFT JOIN best USING (turn, conversation)
    WHERE conversation IN (SELECT conversation FROM best)
    WINDOW talk AS (PARTITION BY conversation ORDER BY at, turn)
)
SELECT turn, placed.conversation, place, placed.at, question, placed.length, COALESCE(held, '{}'), 1 - far,
    total, whole.length, usual, (SELECT jsonb_object_agg(term, holding) FROM often)
FROM whole, placed JOIN memory_episode USING (turn) WHERE wanted > 0
"""


def pool(
    reader: Reader, words: Sequence[str], meaning: Meaning | None, *, most: int, but: uuid.UUID | None = None
) -> Pool:
    """The `most` nearest by words and by meaning, all of the reader's compared, and the neighbours of both."""
    maker = maker_of(meaning)
    if not reader.may_read(Scope.PERSONAL, Kind.EPISODIC) or not (words or maker):
        return Pool()
    asked = [written(row) for row in meaning.rows] if meaning and maker else []
    values = {
        "member": reader.member, "community": reader.community, "but": but, "words": list(words),
        "asked": asked[0] if asked else None, "also": asked[1:], "more": len(asked) > 1, "maker": maker, "most": most,
        "around": policy.WINDOW_TURNS, "some": policy.USUAL_OF, "active": Status.ACTIVE, "made": Origin.CONSOLIDATED,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_READ, values)
        rows = cursor.fetchall()
    if not rows:
        return Pool()
    total, length, usual, often = rows[0][8:]
    return Pool(tuple(Exchange(*row[:8]) for row in rows), total, length, usual, json.loads(often) if often else {})


def hits(asked: Asked, pool: Pool, table: Table, *, wide: bool = False) -> tuple[Hit, ...]:
    """Those that are sure enough to stand in a context; `wide`: all of them, ordered by nothing yet."""
    own = replace(asked, near={row.turn: row.cosine for row in table.rows if row.cosine is not None})
    rows = [Row(Hit("episode", row.turn, row.text, 0, {}, row.at, turn=row.turn), row.held, IMPORTANCE)
            for row in table.rows]  # fmt: skip
    base = pool.usual if pool.usual is not None and pool.total >= FEW else 0.0
    found = judged(own, rows, table.column("words"), base, weak_too=wide)
    if wide:
        return found
    kept = thinned(found)
    if len(kept) == len(found) or any(tells(hit) for hit in kept):
        return kept
    # the same was only asked before: what answers it is not weak beside a question
    return kept + thinned([hit for hit in found[len(kept) :] if tells(hit)])


def tells(hit: Hit) -> bool:
    """Whether the member said something in it, instead of only asking."""
    return worth.worth_remembering(hit.text)


def few(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """As many as a context takes, one that tells something among them where there is one."""
    first = tuple(hits[: policy.EPISODES])
    telling = next((hit for hit in hits[policy.EPISODES :] if tells(hit)), None)
    return first if telling is None or any(map(tells, first)) else (*first[:-1], telling)


def relevance(table: Table, ranker: Ranker) -> Mapping[uuid.UUID, float]:
    """By the ranker, 0..1."""
    return {row.turn: float(one) for row, one in zip(table.rows, ranker.relevance(table), strict=True)}
