from django.db import migrations

from profiles.walls import STAFF

QUALITY = f"""
CREATE FUNCTION kith_quality(since timestamptz, zone text, machines text[], merged text, stale_days int) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH every AS MATERIALIZED (
        SELECT m.id, m.status, m.created_at, m.left_at FROM memory_memory m LEFT JOIN profiles_membership o ON o.id = m.owner_id
        WHERE {STAFF} AND m.community_id = kith_context('community') AND o.frozen_at IS NULL
    ), later AS (
        SELECT v.memory_id AS id,
            bool_or(v.action IN ('rejected', 'forgotten') AND NOT v.actor = ANY(machines)
                AND e.status IN ('superseded', 'forgotten')) AS junk,
            bool_or(v.reason IN (merged, 'merged')) AS twice,
            bool_or(v.action IN ('revised', 'flagged', 'rejected') AND NOT v.actor = ANY(machines)) AS corrected
        FROM memory_version v JOIN every e ON e.id = v.memory_id
        WHERE e.created_at >= since AND v.number > 1 GROUP BY v.memory_id
    ), used AS (
        SELECT r.target, x.at FROM memory_recalled r JOIN memory_episode x ON x.turn = r.turn
        WHERE {STAFF} AND r.community_id = kith_context('community') AND r.what = 'memory' AND r.marker <> ''
            AND x.at >= since
    ), changed AS (
        SELECT day, sum(by) AS by FROM (
            SELECT (created_at AT TIME ZONE zone)::date AS day, 1 AS by FROM every WHERE created_at >= since
            UNION ALL SELECT (left_at AT TIME ZONE zone)::date, -1 FROM every WHERE left_at >= since
        ) x GROUP BY day
    )
    SELECT jsonb_build_object(
        'written', (SELECT count(*) FROM every WHERE created_at >= since),
        'junk', (SELECT count(*) FROM later WHERE junk), 'twice', (SELECT count(*) FROM later WHERE twice),
        'corrected', (SELECT count(*) FROM later WHERE corrected), 'used', (SELECT count(*) FROM used),
        'stale', (SELECT count(*) FROM used u WHERE EXISTS (
            SELECT FROM memory_version v WHERE v.memory_id = u.target AND NOT v.actor = ANY(machines)
                AND v.action IN ('revised', 'flagged', 'rejected', 'ended')
                AND v.at > u.at AND v.at < u.at + make_interval(days => stale_days))),
        'now', (SELECT count(*) FROM every WHERE left_at IS NULL),
        'change', (SELECT jsonb_object_agg(day, by) FROM changed))
$$;
REVOKE ALL ON FUNCTION kith_quality FROM PUBLIC;
"""
"""How good a community's memories are, in sums alone, for its staff."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0026_looks_by_actor")]
    operations = [migrations.RunSQL(QUALITY, "DROP FUNCTION kith_quality")]
