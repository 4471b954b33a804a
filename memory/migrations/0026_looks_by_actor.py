from importlib import import_module

from django.db import migrations

LOOKS = import_module("memory.migrations.0004_looks").LOOKS
ABOUT_ME = import_module("memory.migrations.0022_audit_about_me").ABOUT_ME
WHO = """(
    SELECT u.username::text FROM memory_pseudonym p JOIN profiles_membership m ON m.id = p.member_id
    JOIN profiles_user u ON u.id = m.user_id WHERE p.pseudonym = e.actor
)"""
"""Who acts under the pseudonym; nobody any more once they have been erased, or have left."""
NAMED = f"""
DROP FUNCTION kith_looks();
CREATE FUNCTION kith_looks() RETURNS TABLE (at timestamptz, body text, who text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.at, t.body, {WHO} FROM memory_audittext t JOIN memory_auditevent e ON e.id = t.event_id
    WHERE t.subject = kith_context('member') AND t.community_id = kith_context('community') AND e.action = 'opened'
    ORDER BY e.position DESC LIMIT 50
$$;
REVOKE ALL ON FUNCTION kith_looks FROM PUBLIC;
DROP FUNCTION kith_audit_about_me();
CREATE FUNCTION kith_audit_about_me() RETURNS TABLE (at timestamptz, action text, target uuid, body text, who text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.at, e.action::text, e.target, t.body, CASE WHEN e.action = 'opened' THEN {WHO} END
    FROM memory_audittext t JOIN memory_auditevent e ON e.id = t.event_id
    WHERE t.subject = kith_context('member') AND t.community_id = kith_context('community')
    ORDER BY e.position
$$;
REVOKE ALL ON FUNCTION kith_audit_about_me FROM PUBLIC;
"""
"""The name of who looked is joined when it is read, and kept in no line, so that it goes with its account."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0025_queue_of_the_aged"), ("profiles", "0009_export_walls")]
    operations = [
        migrations.RunSQL(NAMED, f"DROP FUNCTION kith_looks; DROP FUNCTION kith_audit_about_me; {LOOKS} {ABOUT_ME}")
    ]
