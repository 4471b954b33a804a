import uuid

import django.db.models.deletion
from django.db import migrations, models

from profiles.walls import EDITORS, HERE, STAFF, owned, policy

MEMBERS = 3
FUNCTIONS = f"""
CREATE FUNCTION kith_alike(since timestamptz, near float8, at_most int)
RETURNS TABLE (seed uuid, turn uuid, member bigint, question text, terms text[], cosine float8, at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH asked AS MATERIALIZED (
        SELECT e.turn, e.owner_id, e.question, e.terms, e.at FROM memory_episode e
        JOIN profiles_membership m ON m.id = e.owner_id
        WHERE kith_role() = 'worker' AND e.community_id = kith_context('community') AND e.at > since AND NOT e.masked
            AND e.archived_at IS NULL AND m.frozen_at IS NULL AND m.memory_on IS NOT FALSE
            AND NOT EXISTS (SELECT FROM memory_wording w WHERE w.episode_id = e.turn)
            AND NOT EXISTS (
                SELECT FROM memory_recalled r WHERE r.turn = e.turn AND r.what = 'knowledge' AND r.cited)
        ORDER BY e.at DESC LIMIT at_most
    ), pairs AS (
        SELECT a.turn AS seed, b.turn, b.owner_id, b.question, b.terms, b.at, a.terms @> b.terms AND a.terms <@ b.terms AS same,
            (SELECT 1 - (v.embedding <=> o.embedding) FROM memory_episodevector v
             JOIN memory_episodevector o ON o.embedder_id = v.embedder_id AND o.episode_id = b.turn
             WHERE v.episode_id = a.turn ORDER BY v.embedder_id DESC LIMIT 1) AS cosine
        FROM asked a JOIN asked b ON a.terms && b.terms
    ), close AS (SELECT * FROM pairs WHERE same OR cosine >= near
    ), enough AS (SELECT seed FROM close GROUP BY seed HAVING count(DISTINCT owner_id) >= {MEMBERS})
    SELECT c.seed, c.turn, dense_rank() OVER (PARTITION BY c.seed ORDER BY c.owner_id), c.question, c.terms,
        COALESCE(c.cosine, 0), c.at
    FROM close c JOIN enough USING (seed) ORDER BY c.seed, c.at, c.turn
$$;
CREATE FUNCTION kith_propose(turns uuid[]) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE made uuid := gen_random_uuid();
BEGIN
    IF kith_role() <> 'worker' OR {MEMBERS} > (
        SELECT count(DISTINCT owner_id) FROM memory_episode
        WHERE turn = ANY(turns) AND community_id = kith_context('community') AND NOT masked
    ) THEN
        RETURN NULL;
    END IF;
    INSERT INTO memory_proposal (id, community_id, found_at) VALUES (made, kith_context('community'), now());
    INSERT INTO memory_wording (proposal_id, episode_id, owner_id, community_id)
    SELECT made, e.turn, e.owner_id, e.community_id FROM memory_episode e
    WHERE e.turn = ANY(turns) AND e.community_id = kith_context('community') AND NOT e.masked ON CONFLICT DO NOTHING;
    RETURN made;
END $$;
CREATE FUNCTION kith_proposals(at_most int)
RETURNS TABLE (proposal uuid, since timestamptz, members bigint, wordings text[], waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH open AS MATERIALIZED (
        SELECT p.id, p.found_at, count(DISTINCT w.owner_id) AS members,
            array_agg(DISTINCT e.question ORDER BY e.question) AS wordings
        FROM memory_proposal p JOIN memory_wording w ON w.proposal_id = p.id
        JOIN memory_episode e ON e.turn = w.episode_id AND NOT e.masked
        JOIN profiles_membership m ON m.id = w.owner_id AND m.frozen_at IS NULL
        WHERE {STAFF} AND p.community_id = kith_context('community') AND p.decided_at IS NULL
        GROUP BY p.id HAVING count(DISTINCT w.owner_id) >= {MEMBERS}
    )
    SELECT o.*, (SELECT count(*) FROM open) FROM open o ORDER BY o.found_at, o.id LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_alike, kith_propose, kith_proposals FROM PUBLIC;
"""
"""Questions that at least three members have asked: their words, and of nobody who asked what fewer did. The worker gets
the members as numbers, staff get how many they are."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0028_corrected_knowledge"), ("profiles", "0010_holdout")]
    operations = [
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("found_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(help_text="Answered, or found not worth an answer.", null=True)),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
            ],
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(condition=models.Q(("decided_at", None)), fields=["community"], name="proposal_waits"),
        ),
        migrations.CreateModel(
            name="Wording",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="profiles.community")),
                ("episode", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.episode")),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="profiles.membership")),
                ("proposal", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="wordings", to="memory.proposal")),
            ],
        ),
        migrations.AddConstraint(
            model_name="wording",
            constraint=models.UniqueConstraint(fields=("episode",), name="proposed_once"),
        ),
        migrations.RunPython(policy("memory_proposal", f"{HERE} AND {STAFF}", f"{HERE} AND {EDITORS}")),
        migrations.RunPython(policy("memory_wording", *owned("owner_id"))),
        migrations.RunSQL(FUNCTIONS, "DROP FUNCTION kith_alike, kith_propose, kith_proposals"),
    ]
