from django.db import migrations

from profiles.walls import EDITORS, HERE, STAFF, owned, policy, shared

MEMORY_READ = (
    f"{HERE} AND (scope = 'community' OR (scope = 'space' AND kith_in_space(space_id)) "
    "OR (scope = 'personal' AND owner_id IN (kith_context('member'), kith_context('subject'))))"
)
MEMORY_WRITE = (
    f"{HERE} AND ((scope = 'personal' AND owner_id IN (kith_context('member'), kith_context('subject'))) "
    f"OR (scope <> 'personal' AND {EDITORS}))"
)
OF_MEMORY = "memory_id IN (SELECT id FROM memory_memory)"

AUDIT = """
CREATE FUNCTION kith_audit(of_community uuid, by_actor uuid, did text, what uuid, about uuid, words text)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    before memory_auditevent%ROWTYPE;
    place bigint; moment timestamptz := clock_timestamp(); grain text; promise text; sum text; line bigint;
BEGIN
    IF of_community IS DISTINCT FROM kith_context('community') THEN
        RAISE EXCEPTION 'an audit line belongs to the community of its unit of work';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('kith audit ' || of_community::text, 0));
    SELECT * INTO before FROM memory_auditevent WHERE community_id = of_community ORDER BY position DESC LIMIT 1;
    place := COALESCE(before.position, 0) + 1;
    grain := substr(encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex'), 1, 32);
    promise := encode(sha256(convert_to(grain || words, 'UTF8')), 'hex');
    sum := encode(sha256(convert_to(concat_ws('|', COALESCE(before.digest, ''), of_community, place,
        to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), by_actor, did, what, promise), 'UTF8')), 'hex');
    INSERT INTO memory_auditevent (community_id, position, at, actor, action, target, commitment, previous, digest)
    VALUES (of_community, place, moment, by_actor, did, what, promise, COALESCE(before.digest, ''), sum)
    RETURNING id INTO line;
    INSERT INTO memory_audittext (event_id, community_id, subject, salt, body)
    VALUES (line, of_community, about, grain, words);
    RETURN place;
END $$;
CREATE FUNCTION kith_pseudonym(of_member uuid, of_community uuid) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE known uuid;
BEGIN
    INSERT INTO memory_pseudonym (pseudonym, member_id, community_id)
    VALUES (gen_random_uuid(), of_member, of_community) ON CONFLICT (member_id) DO NOTHING;
    SELECT pseudonym INTO known FROM memory_pseudonym WHERE member_id = of_member;
    RETURN known;
END $$;
REVOKE ALL ON FUNCTION kith_audit, kith_pseudonym FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_initial"), ("profiles", "0002_walls")]
    operations = [
        migrations.RunPython(policy("memory_memory", MEMORY_READ, MEMORY_WRITE)),
        migrations.RunPython(policy("memory_version", OF_MEMORY, OF_MEMORY)),
        migrations.RunPython(policy("memory_source", OF_MEMORY, OF_MEMORY)),
        migrations.RunPython(policy("memory_tombstone", *owned("owner_id"))),
        migrations.RunPython(policy("memory_episode", *owned("owner_id"))),
        migrations.RunPython(policy("memory_recalled", *owned("owner_id"))),
        migrations.RunPython(policy("memory_document", *shared())),
        migrations.RunPython(policy("memory_passage", *shared())),
        migrations.RunPython(policy("memory_auditevent", f"{HERE} AND {STAFF}", "false")),
        migrations.RunPython(policy("memory_audittext", f"{HERE} AND ({STAFF} OR subject = kith_context('member'))", "false")),
        migrations.RunPython(policy("memory_pseudonym", f"{HERE} AND {STAFF}", "false")),
        migrations.RunSQL(AUDIT, migrations.RunSQL.noop),
    ]
