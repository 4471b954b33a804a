from django.db import migrations, models

from profiles.walls import STAFF

REVIEW = f"""
CREATE FUNCTION kith_review(at_most int, after_at timestamptz, after_id uuid, only_one uuid)
RETURNS TABLE (
    memory uuid, owner uuid, since timestamptz, text text, kind text, category text, origin text, scope text,
    confidence float8, version int, why text, by_whom text, waiting bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH waiting AS MATERIALIZED (
        SELECT m.id, m.owner_id, began.at, began.why, began.actor FROM memory_memory m
        LEFT JOIN profiles_membership o ON o.id = m.owner_id
        CROSS JOIN LATERAL (
            SELECT v.at, COALESCE(NULLIF(v.reason, ''), v.action) AS why, v.actor FROM memory_version v
            WHERE v.memory_id = m.id AND v.status = 'under_review' AND v.number > COALESCE((
                SELECT max(p.number) FROM memory_version p WHERE p.memory_id = m.id AND p.status <> 'under_review'), 0)
            ORDER BY v.number LIMIT 1
        ) began
        WHERE {STAFF} AND m.community_id = kith_context('community') AND m.status = 'under_review'
            AND o.frozen_at IS NULL AND (m.scope <> 'space' OR kith_in_space(m.space_id))
            AND (only_one IS NULL OR m.id = only_one)
    )
    SELECT m.id, m.owner_id, w.at, m.text, m.kind, m.category, m.origin, m.scope, m.confidence, m.version, w.why,
        w.actor, (SELECT count(*) FROM waiting)
    FROM waiting w JOIN memory_memory m ON m.id = w.id
    WHERE after_id IS NULL OR (w.at, w.id) > (after_at, after_id)
    ORDER BY w.at, w.id LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_review FROM PUBLIC;
"""
"""What waits for a decision, of everybody in the community: for staff alone, who put it in the audit."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0019_entities"), ("profiles", "0007_freeze")]
    operations = [
        migrations.AddIndex(
            "memory",
            models.Index(fields=["community"], condition=models.Q(status="under_review"), name="memory_waiting"),
        ),
        migrations.AddIndex(
            "auditevent", models.Index(fields=["community", "target", "position"], name="audit_target")
        ),
        migrations.AddIndex("audittext", models.Index(fields=["subject", "event"], name="audit_subject")),
        migrations.RunSQL(REVIEW, "DROP FUNCTION kith_review"),
    ]
