from django.db import migrations, models

QUEUE = """
CREATE OR REPLACE FUNCTION kith_turns_to_remember(at_most int)
RETURNS TABLE (turn uuid, person uuid, community text) LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, m.user_id, c.slug::text FROM conversation_turn t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_community c ON c.id = t.community_id
    WHERE t.remembered_at IS NULL AND t.state <> 'running' AND t.remember_attempts < 3
    AND (t.remember_after IS NULL OR t.remember_after <= clock_timestamp())
    ORDER BY t.asked_at LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_turns_to_remember FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0003_walls")]
    operations = [
        migrations.AddField("turn", "remember_attempts", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField(
            "turn",
            "remember_error",
            models.CharField(blank=True, help_text="Code of the last failure; no text of anybody's.", max_length=24),
        ),
        migrations.AddField(
            "turn", "remember_after", models.DateTimeField(help_text="Not to be tried again before.", null=True)
        ),
        migrations.RunSQL(QUEUE, migrations.RunSQL.noop),
    ]
