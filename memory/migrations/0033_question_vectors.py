import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models

from profiles.walls import policy

HERE = "community_id = (SELECT kith_context('community'))"
READ = (
    f"{HERE} AND owner_id IS NULL "
    "AND (space_id IS NULL OR kith_in_space(space_id) OR (SELECT kith_role()) = 'worker')"
)
WRITE = f"{HERE} AND owner_id IS NULL AND (SELECT kith_role()) IN ('moderator', 'admin', 'worker')"
QUEUE = """
CREATE OR REPLACE FUNCTION kith_waiting_vectors(maker int, at_most int)
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
     WHERE t.removed_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM memory_passagevector v WHERE v.passage_id = t.id AND v.embedder_id = maker)
     LIMIT at_most)
    UNION ALL
    (SELECT 'question', t.id, NULL, c.slug::text FROM memory_passage t
     JOIN profiles_community c ON c.id = t.community_id
     WHERE t.is_question AND t.removed_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM memory_questionvector v WHERE v.passage_id = t.id AND v.embedder_id = maker)
     LIMIT at_most)
    LIMIT at_most
$$;
"""


def which_ask(apps, editor):
    """The titles that are there already."""
    rows = apps.get_model("memory", "Passage").objects.using(editor.connection.alias).filter(is_question=False)
    if rows.exists():
        from memory.passages import question

        asking = [key for key, title in rows.values_list("id", "title").iterator() if question(title)]
        rows.filter(id__in=asking).update(is_question=True)


class Migration(migrations.Migration):
    dependencies = [("memory", "0032_imports"), ("profiles", "0010_holdout")]
    operations = [
        migrations.AddField(
            "passage",
            "is_question",
            models.BooleanField(default=False, editable=False, help_text="The title asks what the text answers."),
        ),
        migrations.AddField("swap", "is_question", models.BooleanField(default=False)),
        migrations.RunPython(which_ask, migrations.RunPython.noop),
        migrations.CreateModel(
            "QuestionVector",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("embedding", pgvector.django.vector.VectorField()),
                (
                    "community",
                    models.ForeignKey("profiles.Community", django.db.models.deletion.CASCADE, related_name="+"),
                ),
                (
                    "embedder",
                    models.ForeignKey("memory.Embedder", django.db.models.deletion.PROTECT, related_name="+"),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        "profiles.Membership", django.db.models.deletion.CASCADE, related_name="+", null=True,
                        db_index=False,
                    ),
                ),
                (
                    "passage",
                    models.ForeignKey(
                        "memory.Passage", django.db.models.deletion.CASCADE, related_name="question_vectors",
                        db_index=False,
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        "profiles.Space", django.db.models.deletion.CASCADE, related_name="+", null=True,
                        db_index=False,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("passage", "embedder"), name="question_vector_once"),
                ],
            },
        ),
        migrations.RunPython(policy("memory_questionvector", READ, WRITE)),
        migrations.RunSQL(QUEUE, migrations.RunSQL.noop),
    ]
