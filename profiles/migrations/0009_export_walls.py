from django.db import migrations

from profiles.walls import HERE, policy

OWN = f"{HERE} AND owner_id = kith_context('member')"
"""Nobody takes away what belongs to another, staff who have opened the member no more than anybody else."""
ALL = """
CREATE FUNCTION kith_exports()
RETURNS TABLE (export uuid, person uuid, community text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.id, m.user_id, c.slug::text
    FROM profiles_export e JOIN profiles_membership m ON m.id = e.owner_id
    JOIN profiles_community c ON c.id = e.community_id ORDER BY e.asked_at
$$;
REVOKE ALL ON FUNCTION kith_exports FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("profiles", "0008_exports")]
    operations = [
        migrations.RunPython(policy("profiles_export", OWN, OWN)),
        migrations.RunSQL(ALL, "DROP FUNCTION kith_exports"),
    ]
