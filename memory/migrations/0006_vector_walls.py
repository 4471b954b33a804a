from django.db import migrations

from profiles.walls import HERE, policy

READ = (
    f"{HERE} AND (owner_id IN (kith_context('member'), kith_context('subject')) "
    "OR (owner_id IS NULL AND (space_id IS NULL OR kith_in_space(space_id) OR kith_role() = 'worker')))"
)
WRITE = (
    f"{HERE} AND (owner_id IN (kith_context('member'), kith_context('subject')) "
    "OR (owner_id IS NULL AND kith_role() IN ('moderator', 'admin', 'worker')))"
)

QUEUE = """
CREATE FUNCTION kith_waiting_vectors(maker int, at_most int)
RETURNS TABLE (what text, target uuid, person uuid, community text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    (SELECT 'memory', t.id, CASE WHEN t.scope = 'personal' THEN m.user_id END, c.slug::text FROM memory_memory t
     JOIN profiles_community c ON c.id = t.community_id LEFT JOIN profiles_membership m ON m.id = t.owner_id
     WHERE t.status IN ('active', 'superseded', 'under_review')
     AND NOT EXISTS (SELECT 1 FROM memory_memoryvector v WHERE v.memory_id = t.id AND v.embedder_id = maker)
     ORDER BY t.created_at DESC LIMIT at_most)
    UNION ALL
    (SELECT 'episode', t.turn, m.user_id, c.slug::text FROM memory_episode t
     JOIN profiles_community c ON c.id = t.community_id JOIN profiles_membership m ON m.id = t.owner_id
     WHERE NOT t.masked
     AND NOT EXISTS (SELECT 1 FROM memory_episodevector v WHERE v.episode_id = t.turn AND v.embedder_id = maker)
     ORDER BY t.at DESC LIMIT at_most)
    UNION ALL
    (SELECT 'knowledge', t.id, NULL, c.slug::text FROM memory_passage t
     JOIN profiles_community c ON c.id = t.community_id
     WHERE NOT EXISTS (SELECT 1 FROM memory_passagevector v WHERE v.passage_id = t.id AND v.embedder_id = maker)
     LIMIT at_most)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_waiting_vectors FROM PUBLIC;
"""
SEEN_BY_WORKER = """
CREATE POLICY worker_reads ON memory_passage FOR SELECT
USING (community_id = kith_context('community') AND kith_role() = 'worker');
CREATE POLICY worker_reads ON memory_memory FOR SELECT
USING (community_id = kith_context('community') AND kith_role() = 'worker' AND scope = 'space');
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_vectors")]
    operations = [
        *(migrations.RunPython(policy(f"memory_{table}", READ, WRITE))
          for table in ("memoryvector", "episodevector", "passagevector")),
        migrations.RunSQL(SEEN_BY_WORKER, migrations.RunSQL.noop),
        migrations.RunSQL(QUEUE, migrations.RunSQL.noop),
    ]
