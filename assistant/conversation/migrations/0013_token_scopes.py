import django.contrib.postgres.fields
from django.db import migrations, models

WHOSE = """
DROP FUNCTION kith_token;
CREATE FUNCTION kith_token(of_digest text) RETURNS TABLE (person uuid, community text, scopes text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, c.slug::text, t.scopes::text[] FROM conversation_token t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_user u ON u.id = m.user_id
    JOIN profiles_community c ON c.id = t.community_id
    WHERE t.digest = of_digest AND u.is_active AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
$$;
REVOKE ALL ON FUNCTION kith_token FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0012_turn_figures")]
    operations = [
        migrations.AddField(
            "token",
            "scopes",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=16), default=list, size=None,
                help_text="chat, memory:read, memory:write: what it may do.",
            ),
        ),
        migrations.RunSQL("UPDATE conversation_token SET scopes = ARRAY['chat', 'memory:read', 'memory:write']",
                          migrations.RunSQL.noop),
        migrations.RunSQL(WHOSE, migrations.RunSQL.noop),
    ]
