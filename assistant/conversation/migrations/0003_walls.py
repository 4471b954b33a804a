from django.db import migrations

from profiles.walls import owned, policy

QUEUES = """
CREATE FUNCTION kith_turns_to_remember(at_most int)
RETURNS TABLE (turn uuid, person uuid, community text) LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, m.user_id, c.slug::text FROM conversation_turn t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_community c ON c.id = t.community_id
    WHERE t.remembered_at IS NULL AND t.state <> 'running' ORDER BY t.asked_at LIMIT at_most
$$;
CREATE FUNCTION kith_silent_turns(seconds int)
RETURNS TABLE (turn uuid, person uuid, community text) LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, m.user_id, c.slug::text FROM conversation_turn t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_community c ON c.id = t.community_id
    WHERE t.state = 'running' AND t.alive_at < clock_timestamp() - make_interval(secs => seconds)
$$;
REVOKE ALL ON FUNCTION kith_turns_to_remember, kith_silent_turns FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0002_initial"), ("profiles", "0002_walls")]
    operations = [
        *(
            migrations.RunPython(policy(f"conversation_{table}", *owned("owner_id")))
            for table in ("conversation", "turn", "frame", "feedback")
        ),
        migrations.RunSQL(QUEUES, migrations.RunSQL.noop),
    ]
