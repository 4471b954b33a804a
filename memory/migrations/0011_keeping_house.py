from django.db import migrations, models

QUEUE = """
CREATE FUNCTION kith_members_to_keep(hours int, at_most int)
RETURNS TABLE (member uuid, person uuid, community text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT m.id, m.user_id, c.slug::text FROM profiles_membership m JOIN profiles_community c ON c.id = m.community_id
    WHERE m.kept_at IS NULL OR m.kept_at < clock_timestamp() - make_interval(hours => hours)
    ORDER BY m.kept_at NULLS FIRST, m.id LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_members_to_keep FROM PUBLIC;
"""
LEFT = """
UPDATE memory_memory m SET left_at = COALESCE(
    (SELECT max(v.at) FROM memory_version v WHERE v.memory_id = m.id AND v.status = m.status), m.created_at)
WHERE m.status IN ('archived', 'forgotten');
"""
"""Only versions know when it was; the last one that stood so does."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_by_hand"), ("profiles", "0004_kept_at")]
    operations = [
        migrations.AddField(
            "memory",
            "left_at",
            models.DateTimeField(help_text="When it was archived or forgotten; empty: neither.", null=True),
        ),
        migrations.RunSQL(LEFT, migrations.RunSQL.noop),
        migrations.RunSQL(QUEUE, migrations.RunSQL.noop),
    ]
