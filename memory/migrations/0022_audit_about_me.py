from django.db import migrations

ABOUT_ME = """
CREATE FUNCTION kith_audit_about_me() RETURNS TABLE (at timestamptz, action text, target uuid, body text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.at, e.action::text, e.target, t.body
    FROM memory_audittext t JOIN memory_auditevent e ON e.id = t.event_id
    WHERE t.subject = kith_context('member') AND t.community_id = kith_context('community')
    ORDER BY e.position
$$;
REVOKE ALL ON FUNCTION kith_audit_about_me FROM PUBLIC;
"""
"""The lines about the member of the unit of work, with their words; who wrote them stays under a pseudonym."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0021_find")]
    operations = [migrations.RunSQL(ABOUT_ME, "DROP FUNCTION kith_audit_about_me")]
