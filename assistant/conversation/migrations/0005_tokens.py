import uuid

import django.db.models.deletion
from django.db import migrations, models

from profiles.walls import owned, policy

WHOSE = """
CREATE FUNCTION kith_token(of_digest text) RETURNS TABLE (person uuid, community text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, c.slug::text FROM conversation_token t
    JOIN profiles_membership m ON m.id = t.owner_id JOIN profiles_user u ON u.id = m.user_id
    JOIN profiles_community c ON c.id = t.community_id
    WHERE t.digest = of_digest AND u.is_active AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
$$;
REVOKE ALL ON FUNCTION kith_token FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0004_remember_attempts"), ("profiles", "0003_words")]
    operations = [
        migrations.CreateModel(
            "Token",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(blank=True, max_length=60)),
                ("digest", models.CharField(help_text="SHA-256 of the secret.", max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="tokens",
                                            to="profiles.membership")),
            ],
        ),
        migrations.RunPython(policy("conversation_token", *owned("owner_id"))),
        migrations.RunSQL(WHOSE, migrations.RunSQL.noop),
    ]
