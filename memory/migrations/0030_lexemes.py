import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

LONGEST = 200
"""Characters of a term that count: a lexeme holds 2,046 bytes."""
LEXEMES = f"""
CREATE FUNCTION kith_lexemes(terms text[]) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_to_tsvector(ARRAY(SELECT DISTINCT left(term, {LONGEST}) FROM unnest(terms) AS term WHERE term <> '')) $$;
"""
HERE = "community_id = (SELECT kith_context('community'))"
OWN = "owner_id IN ((SELECT kith_context('member')), (SELECT kith_context('subject')))"
SHARED = "owner_id IS NULL AND (space_id IS NULL OR kith_in_space(space_id) OR (SELECT kith_role()) = 'worker')"
ONCE = f"""
ALTER POLICY reads ON memory_episode USING ({HERE} AND {OWN});
ALTER POLICY agent_reads ON memory_episode USING ((SELECT kith_agent_may('reads', 'personal', 'episodic')));
ALTER POLICY reads ON memory_episodevector USING ({HERE} AND ({OWN} OR {SHARED}));
ALTER POLICY reads ON memory_memoryvector USING ({HERE} AND ({OWN} OR {SHARED}));
ALTER POLICY reads ON memory_passagevector USING ({HERE} AND ({OWN} OR {SHARED}));
"""
"""The same walls, with who reads looked up once a statement, not once a row."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0029_recurring"), ("profiles", "0010_holdout")]
    operations = [
        migrations.RunSQL(LEXEMES, "DROP FUNCTION kith_lexemes(text[])"),
        migrations.AddField(
            "episode",
            "lexemes",
            models.GeneratedField(
                expression=django.db.models.expressions.Func("terms", function="kith_lexemes"),
                output_field=django.contrib.postgres.search.SearchVectorField(),
                db_persist=True,
            ),
        ),
        migrations.AlterField(
            "episode",
            "owner",
            models.ForeignKey(
                "profiles.Membership", django.db.models.deletion.CASCADE, related_name="episodes", db_index=False
            ),
        ),
        migrations.AddIndex("episode", models.Index(fields=["owner", "conversation"], name="episode_owner_talk")),
        migrations.RunSQL(ONCE, migrations.RunSQL.noop),
    ]
