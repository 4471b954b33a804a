from django.db import migrations

from profiles.walls import HERE, STAFF, policy

ENTER = """
CREATE FUNCTION kith_enter(of_member uuid, of_subject uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('kith member ' || who, 0))
        FROM unnest(ARRAY[of_member, of_subject]) AS who WHERE who <> '00000000-0000-0000-0000-000000000000';
    IF NOT EXISTS (
        SELECT FROM unnest(ARRAY[of_member, of_subject]) AS who
        WHERE who <> '00000000-0000-0000-0000-000000000000'
        AND NOT EXISTS (SELECT FROM profiles_membership WHERE id = who AND frozen_at IS NULL)
    ) THEN
        RETURN true;
    END IF;
    PERFORM set_config('kith.member', '', true), set_config('kith.subject', '', true),
        set_config('kith.person', '', true), set_config('kith.role', '', true), set_config('kith.community', '', true);
    RETURN false;
END $$;
REVOKE ALL ON FUNCTION kith_enter FROM PUBLIC;
"""
"""Each statement of it reads anew: who has waited for the lock sees what was done meanwhile."""
REQUEST_READ = f"person_id = kith_context('person') OR ({HERE} AND {STAFF})"


class Migration(migrations.Migration):
    dependencies = [("profiles", "0006_erasure_requests")]
    operations = [
        migrations.RunPython(policy("profiles_erasurerequest", REQUEST_READ, REQUEST_READ)),
        migrations.RunSQL(ENTER, "DROP FUNCTION kith_enter"),
    ]
