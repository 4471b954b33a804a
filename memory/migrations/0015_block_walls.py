from django.db import migrations

from profiles.walls import EDITORS, HERE, policy

OWN = "owner_id IN (kith_context('member'), kith_context('subject'))"
READ = f"{HERE} AND (owner_id IS NULL OR {OWN})"
WRITE = f"{HERE} AND ((owner_id IS NULL AND {EDITORS}) OR {OWN})"
"""A persona is read by all of the community and written by moderators and admins."""
AGENT = """
CREATE FUNCTION kith_agent_may(act text, scope text, kind text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT current_setting('kith.' || act, true) = '*'
    OR scope || ':' || kind = ANY(string_to_array(current_setting('kith.' || act, true), ',')) $$;
CREATE POLICY agent_reads ON memory_memory AS RESTRICTIVE FOR SELECT
    USING (status = 'forgotten' OR kith_agent_may('reads', scope, kind));
CREATE POLICY agent_adds ON memory_memory AS RESTRICTIVE FOR INSERT WITH CHECK (kith_agent_may('writes', scope, kind));
CREATE POLICY agent_reads ON memory_episode AS RESTRICTIVE FOR SELECT
    USING (kith_agent_may('reads', 'personal', 'episodic'));
"""
"""An assistant that acts for a member sees and adds what its role says, and nothing else; what was forgotten, whose words
are sealed, stays visible to the mask."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_blocks")]
    operations = [
        migrations.RunPython(policy("memory_block", READ, WRITE)),
        migrations.RunPython(policy("memory_blockversion", READ, WRITE)),
        migrations.RunSQL(AGENT, migrations.RunSQL.noop),
    ]
