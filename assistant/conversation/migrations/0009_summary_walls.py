from django.db import migrations

from profiles.walls import owned, policy

QUEUE = """
CREATE FUNCTION kith_conversations_to_fold(at_most int)
RETURNS TABLE (conversation uuid, person uuid, community text) LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, m.user_id, c.slug::text FROM conversation_conversation t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_community c ON c.id = t.community_id
    WHERE t.fold ORDER BY t.updated_at LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_conversations_to_fold FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0008_summary")]
    operations = [
        migrations.RunPython(policy("conversation_summary", *owned("owner_id"))),
        migrations.RunSQL(QUEUE, "DROP FUNCTION kith_conversations_to_fold"),
    ]
