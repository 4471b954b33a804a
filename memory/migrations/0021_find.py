import django.contrib.postgres.indexes
from django.db import migrations, models

from profiles.walls import STAFF

FIND = f"""
CREATE FUNCTION kith_memories(given jsonb, with_words boolean, at_most int, count_to int)
RETURNS TABLE (
    memory uuid, owner uuid, text text, shelved boolean, kind text, category text, status text, scope text,
    origin text, created_at timestamptz, recalled_at timestamptz, found bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    here uuid := kith_context('community');
    rule text := format(
        'm.community_id = %L AND (m.scope <> ''space'' OR kith_in_space(m.space_id)) AND (m.owner_id IS NULL OR '
        'm.owner_id <> ALL (ARRAY(SELECT id FROM profiles_membership WHERE frozen_at IS NOT NULL)))', here);
    name text; fits bigint; shown text; page text;
BEGIN
    IF NOT ({STAFF}) OR here IS NULL THEN
        RETURN;
    END IF;
    FOREACH name IN ARRAY ARRAY['kind', 'category', 'status', 'scope', 'origin', 'owner_id'] LOOP
        IF given ? name THEN rule := rule || format(' AND m.%I = %L', name, given ->> name); END IF;
    END LOOP;
    IF NOT given ? 'status' THEN rule := rule || ' AND m.status <> ''forgotten'''; END IF;
    IF given ? 'since' THEN rule := rule || format(' AND m.created_at >= %L', given ->> 'since'); END IF;
    IF given ? 'until' THEN rule := rule || format(' AND m.created_at < %L', given ->> 'until'); END IF;
    IF given ? 'used_since' THEN rule := rule || format(' AND m.recalled_at >= %L', given ->> 'used_since'); END IF;
    IF with_words AND given ? 'terms' THEN
        rule := rule || format(' AND m.terms @> %L::text[]', ARRAY(SELECT jsonb_array_elements_text(given -> 'terms')));
    END IF;
    shown := 'SELECT m.id, m.owner_id, CASE WHEN $1 THEN m.text ELSE '''' END, m.shelved, m.kind::text, '
        'm.category::text, m.status::text, m.scope::text, m.origin::text, m.created_at, m.recalled_at, ';
    IF given ? 'before_id' THEN
        EXECUTE 'SELECT count(*) FROM (SELECT FROM memory_memory m WHERE ' || rule || ' LIMIT $1) x'
            INTO fits USING count_to + 1;
        page := format(' AND (m.created_at, m.id) < (%L, %L)', given ->> 'before_at', given ->> 'before_id');
        RETURN QUERY EXECUTE shown || '$2 FROM memory_memory m WHERE ' || rule || page
            || ' ORDER BY m.created_at DESC, m.id DESC LIMIT $3' USING with_words, fits, at_most;
        RETURN;
    END IF;
    RETURN QUERY EXECUTE 'WITH fits AS MATERIALIZED (SELECT m.id, m.created_at FROM memory_memory m WHERE ' || rule
        || ' ORDER BY m.created_at DESC, m.id DESC LIMIT $3 + 1) ' || shown || '(SELECT count(*) FROM fits) '
        'FROM (SELECT id FROM fits ORDER BY created_at DESC, id DESC LIMIT $2) f JOIN memory_memory m ON m.id = f.id '
        'ORDER BY m.created_at DESC, m.id DESC' USING with_words, at_most, count_to;
END $$;
REVOKE ALL ON FUNCTION kith_memories FROM PUBLIC;
"""
"""Memories of everybody in the community, for staff alone; their words only to who has put the look in the audit. The
rules are put together as text so that each question is planned for what it asks; the first page and the count of all
are one pass over the rows."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0020_review")]
    operations = [
        migrations.AddIndex(
            "memory", models.Index(fields=["community", "-created_at", "-id"], name="memory_newest")
        ),
        migrations.AddIndex("memory", django.contrib.postgres.indexes.GinIndex(fields=["terms"], name="memory_terms")),
        migrations.RunSQL(FIND, "DROP FUNCTION kith_memories"),
    ]
