from importlib import import_module

from django.db import migrations

from profiles.walls import HERE, STAFF, policy

OWN = f"{HERE} AND owner_id = kith_context('member')"
BEFORE = import_module("memory.migrations.0020_review").REVIEW
REVIEW = f"""
CREATE FUNCTION kith_review(
    at_most int, after_at timestamptz, after_id uuid, only_one uuid, aged_days int
)
RETURNS TABLE (
    memory uuid, owner uuid, since timestamptz, text text, kind text, category text, origin text, scope text,
    confidence float8, version int, why text, by_whom text, waiting bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH doubted AS (
        SELECT m.id, m.owner_id, m.scope, m.space_id, began.at, began.why, began.actor FROM memory_memory m
        CROSS JOIN LATERAL (
            SELECT v.at, COALESCE(NULLIF(v.reason, ''), v.action) AS why, v.actor FROM memory_version v
            WHERE v.memory_id = m.id AND v.status = 'under_review' AND v.number > COALESCE((
                SELECT max(p.number) FROM memory_version p WHERE p.memory_id = m.id AND p.status <> 'under_review'), 0)
            ORDER BY v.number LIMIT 1
        ) began
        WHERE m.community_id = kith_context('community') AND m.status = 'under_review'
    ), aged AS (
        SELECT m.id, m.owner_id, m.scope, m.space_id, rested.until, 'aged', 'upkeep' FROM memory_memory m
        CROSS JOIN LATERAL (
            SELECT GREATEST(m.created_at, m.recalled_at) + make_interval(days => aged_days) AS until
        ) rested
        WHERE m.community_id = kith_context('community') AND m.status = 'active' AND m.weak AND rested.until < now()
            AND NOT EXISTS (SELECT FROM memory_version v WHERE v.memory_id = m.id AND v.action = 'approved')
    ), waiting AS MATERIALIZED (
        SELECT w.id, w.owner_id, w.at, w.why, w.actor FROM (SELECT * FROM doubted UNION ALL SELECT * FROM aged) w
        LEFT JOIN profiles_membership o ON o.id = w.owner_id
        WHERE {STAFF} AND o.frozen_at IS NULL AND (w.scope <> 'space' OR kith_in_space(w.space_id))
            AND (only_one IS NULL OR w.id = only_one)
    )
    SELECT m.id, m.owner_id, w.at, m.text, m.kind, m.category, m.origin, m.scope, m.confidence, m.version, w.why,
        w.actor, (SELECT count(*) FROM waiting)
    FROM waiting w JOIN memory_memory m ON m.id = w.id
    WHERE after_id IS NULL OR (w.at, w.id) > (after_at, after_id)
    ORDER BY w.at, w.id LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_review FROM PUBLIC;
"""
"""What waits for a decision: what is doubted, and what a machine wrote that is weak and long unused, until somebody has
found it right."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0024_saved_finds")]
    operations = [
        migrations.RunPython(policy("memory_search", OWN, OWN)),
        migrations.RunSQL(
            f"DROP FUNCTION kith_review(int, timestamptz, uuid, uuid); {REVIEW}",
            f"DROP FUNCTION kith_review(int, timestamptz, uuid, uuid, int); {BEFORE}",
        ),
    ]
