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
_FAR = """
CASE WHEN %(more)s THEN LEAST(embedding <=> (SELECT first FROM asked),
        (SELECT min(embedding <=> one) FROM unnest((SELECT others FROM asked)) AS one))
    ELSE embedding <=> (SELECT first FROM asked) END
"""
_SEARCHED = "NOT masked AND archived_at IS NULL"
_OWN = f"""
owner_id = %(member)s AND community_id = %(community)s AND {_SEARCHED}
    AND turn IS DISTINCT FROM %(but)s::uuid AND turn NOT IN (SELECT turn FROM doubted)
"""  # noqa: S608 a constant
_READ = f"""
WITH doubted AS MATERIALIZED (
    SELECT s.turn FROM memory_source s JOIN memory_memory m ON m.id = s.memory_id
    WHERE s.owner_id = %(member)s AND m.status <> %(active)s AND m.origin <> %(made)s
), asked AS MATERIALIZED (  -- read once, not once a row
    SELECT %(asked)s::vector AS first, %(also)s::text[]::vector[] AS others, %(either)s::tsquery AS either,
        %(lexemes)s::text[]::tsquery[] AS lexemes
), mine AS MATERIALIZED (
    SELECT turn, at, cardinality(terms) AS length, CASE WHEN lexemes @@ (SELECT either FROM asked) THEN ARRAY(
        SELECT word FROM unnest((SELECT asked.lexemes FROM asked)) WITH ORDINALITY AS one(lexeme, word)
        WHERE lexemes @@ lexeme) END AS holds
    FROM memory_episode WHERE {_OWN}
), near AS MATERIALIZED (
    SELECT episode_id AS turn, {_FAR} AS far FROM memory_episodevector
    WHERE embedder_id = %(maker)s AND community_id = %(community)s AND owner_id = %(member)s
    AND episode_id IS DISTINCT FROM %(but)s::uuid AND episode_id NOT IN (SELECT turn FROM doubted)
), whole AS MATERIALIZED (
    SELECT count(*) AS total, avg(length)::float8 AS length,
        (SELECT 1 - percentile_cont(0.5) WITHIN GROUP (ORDER BY far)
         FROM (SELECT far FROM near LIMIT %(some)s) AS sample) AS usual FROM mine
), often AS MATERIALIZED (
    SELECT word, count(*) AS holding FROM mine, unnest(holds) AS word WHERE holds IS NOT NULL GROUP BY word
), rare AS MATERIALIZED (SELECT word, ln(1 + total::float8 / holding) AS weight FROM often, whole
), best AS MATERIALIZED (
    (SELECT turn FROM mine WHERE holds IS NOT NULL
     ORDER BY (SELECT sum(weight) FROM rare WHERE word = ANY(holds)) DESC, at DESC LIMIT %(most)s)
    UNION (SELECT turn FROM (SELECT turn FROM near ORDER BY far OFFSET 0) AS nearest  -- one by one
     WHERE (SELECT {_SEARCHED} FROM memory_episode AS one WHERE one.turn = nearest.turn) LIMIT %(most)s)
), placed AS (  -- no join: however wrong the planner's idea of the sizes is, none is a loop in a loop
    SELECT turn, conversation, at, question, terms, row_number() OVER talk AS place,
        count(*) FILTER (WHERE turn = ANY(ARRAY(SELECT turn FROM best)))
            OVER (talk ROWS BETWEEN %(around)s PRECEDING AND %(around)s FOLLOWING) AS wanted
    FROM memory_episode WHERE {_OWN} AND conversation = ANY(ARRAY(
        SELECT (SELECT conversation FROM memory_episode AS one WHERE one.turn = best.turn) FROM best))
    WINDOW talk AS (PARTITION BY conversation ORDER BY at, turn)
)
SELECT turn, conversation, place, at, question, cardinality(terms),
    ARRAY(SELECT term FROM unnest(terms) AS term WHERE term = ANY(%(words)s::text[])),
    (SELECT 1 - {_FAR} FROM memory_episodevector WHERE episode_id = placed.turn AND embedder_id = %(maker)s),
    total, whole.length, usual, (SELECT jsonb_object_agg((%(words)s::text[])[word], holding) FROM often)
FROM whole, placed WHERE wanted > 0
"""  # noqa: S608 constants
LONGEST = 200
"""Characters of a word that count where the database finds it, as in `kith_lexemes`."""


def pool(
    reader: Reader, words: Sequence[str], meaning: Meaning | None, *, most: int, but: uuid.UUID | None = None
) -> Pool:
    """The `most` nearest by words and by meaning, all of the reader's compared, and the neighbours of both."""
    maker = maker_of(meaning)
    if not reader.may_read(Scope.PERSONAL, Kind.EPISODIC) or not (words or maker):
        return Pool()
    asked = [written(row) for row in meaning.rows] if meaning and maker else []
    lexemes = [_lexeme(word) for word in words]
    values = {
        "member": reader.member, "community": reader.community, "but": but, "words": list(words),
        "lexemes": lexemes, "either": " | ".join(lexemes) or None,
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


def _lexeme(word: str) -> str:
    """A word as a `tsquery` that finds it as it stands."""
    escaped = word[:LONGEST].replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


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
