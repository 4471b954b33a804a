from django.db import migrations

from profiles.walls import STAFF

FIGURES = f"""
CREATE FUNCTION kith_turn_figures(since timestamptz, zone text) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH every AS (
        SELECT t.*, row_number() OVER (PARTITION BY t.owner_id, md5(lower(btrim(t.question))) ORDER BY t.asked_at) AS nth
        FROM conversation_turn t JOIN conversation_conversation c ON c.id = t.conversation_id
        JOIN profiles_membership m ON m.id = t.owner_id
        WHERE {STAFF} AND t.community_id = kith_context('community') AND t.state = 'answered' AND c.memory
            AND m.memory_on IS NOT FALSE AND m.frozen_at IS NULL
    ), told AS MATERIALIZED (
        SELECT e.id, e.owner_id, (e.asked_at AT TIME ZONE zone)::date AS day, e.regions, e.recall_ms, e.nth > 1 AS again,
            CASE WHEN e.held_out THEN 'without' ELSE 'with' END AS arm, f.rating,
            NULLIF((e.usage ->> 'output')::float8, 0) AS tokens,
            CASE WHEN (e.usage ->> 'input')::float8 > 0 THEN (e.usage ->> 'cost')::float8 END AS cost,
            used.hit, used.cited, e.usage
        FROM every e LEFT JOIN conversation_feedback f ON f.turn_id = e.id
        LEFT JOIN LATERAL (
            SELECT true AS hit, bool_or(r.cited) AS cited FROM memory_recalled r
            WHERE r.turn = e.id AND r.marker <> '' AND r.what <> 'knowledge' HAVING count(*) > 0
        ) used ON true
        WHERE e.asked_at >= since
    ), arms AS (
        SELECT arm, count(*) AS answers, count(DISTINCT owner_id) AS members, count(*) FILTER (WHERE rating = 'up') AS up,
            count(rating) AS votes, avg(tokens) AS tokens, avg(cost) AS cost, count(*) FILTER (WHERE again) AS again,
            count(*) FILTER (WHERE again AND rating = 'up') AS again_up, count(rating) FILTER (WHERE again) AS again_votes,
            count(*) FILTER (WHERE hit) AS hits, count(*) FILTER (WHERE cited) AS cited,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY recall_ms) AS recall_half,
            percentile_cont(0.95) WITHIN GROUP (ORDER BY recall_ms) AS recall_most
        FROM told GROUP BY arm
    ), back AS (
        SELECT arm, count(*) AS came_back FROM (
            SELECT arm, owner_id FROM told GROUP BY arm, owner_id HAVING count(DISTINCT day) > 1
        ) x GROUP BY arm
    ), later AS (
        SELECT arm, work.name, sum((usage -> work.name ->> 'input')::float8 + (usage -> work.name ->> 'output')::float8)
            AS tokens, sum((usage -> work.name ->> 'cost')::float8) AS cost
        FROM told, (VALUES ('remembering'), ('folding')) AS work (name)
        WHERE (usage -> work.name ->> 'input')::float8 > 0 GROUP BY arm, work.name
    ), parts AS (
        SELECT told.arm, part ->> 'name' AS name, sum((part ->> 'tokens')::float8) AS tokens
        FROM told, jsonb_array_elements(told.regions) part GROUP BY told.arm, part ->> 'name'
        UNION ALL SELECT arm, name, tokens FROM later
    ), by_day AS (
        SELECT day, arm, count(*) AS answers, count(*) FILTER (WHERE rating = 'up') AS up, count(rating) AS votes,
            avg(tokens) AS tokens, sum(cost) AS cost
        FROM told GROUP BY day, arm
    )
    SELECT jsonb_build_object(
        'arms', (SELECT jsonb_object_agg(arms.arm, to_jsonb(arms) || jsonb_build_object(
            'came_back', COALESCE(back.came_back, 0),
            'spent', (SELECT jsonb_object_agg(name, later.cost / arms.answers) FROM later WHERE later.arm = arms.arm),
            'parts', (SELECT jsonb_object_agg(name, parts.tokens / arms.answers) FROM parts WHERE parts.arm = arms.arm)))
            FROM arms LEFT JOIN back ON back.arm = arms.arm),
        'days', (SELECT jsonb_agg(to_jsonb(by_day)) FROM by_day))
$$;
REVOKE ALL ON FUNCTION kith_turn_figures FROM PUBLIC;
"""
"""What became of a community's answers, in sums alone, for its staff; of who chats with memory, and apart of those whose
answers go without it to be compared."""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0011_measured"), ("memory", "0021_find"), ("profiles", "0010_holdout")]
    operations = [migrations.RunSQL(FIGURES, "DROP FUNCTION kith_turn_figures")]
