from django.db import migrations

LOOKS = """
CREATE FUNCTION kith_looks() RETURNS TABLE (at timestamptz, body text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.at, t.body FROM memory_audittext t JOIN memory_auditevent e ON e.id = t.event_id
    WHERE t.subject = kith_context('member') AND t.community_id = kith_context('community') AND e.action = 'opened'
    ORDER BY e.position DESC LIMIT 50
$$;
REVOKE ALL ON FUNCTION kith_looks FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_walls")]
    operations = [migrations.RunSQL(LOOKS, migrations.RunSQL.noop)]
