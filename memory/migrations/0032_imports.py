import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from profiles.walls import STAFF, policy, shared

QUEUE = """
CREATE FUNCTION kith_imports()
RETURNS TABLE (import uuid, person uuid, community uuid, slug text, space uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT * FROM (
        SELECT DISTINCT ON (i.community_id) i.id,
            CASE WHEN i.state = 'undoing' THEN i.undone_by_id ELSE i.asked_by_id END, c.id, c.slug::text, i.space_id
        FROM memory_import i JOIN profiles_community c ON c.id = i.community_id
        WHERE i.state IN ('reading', 'queued', 'undoing') ORDER BY i.community_id, i.queued_at, i.id
    ) first
$$;
REVOKE ALL ON FUNCTION kith_imports FROM PUBLIC;
"""
"""Of each community the import that is next; the others wait for it."""
REMOVED = """
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
    LIMIT at_most
$$;
DELETE FROM memory_passagevector v USING memory_passage p WHERE p.id = v.passage_id AND p.removed_at IS NOT NULL;
"""
"""What is removed has no vector: it would stand among the nearest in the place of what is there."""
READ, WRITE = shared()
READ, WRITE = f"{READ} AND {STAFF}", f"{WRITE} AND {STAFF}"


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0031_kept_knowledge'),
        ('profiles', '0010_holdout'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('asked_at', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('reading', 'being read'), ('shown', 'waits for a decision'), ('queued', 'being imported'), ('commanded', 'being imported'), ('done', 'imported'), ('failed', 'could not be imported'), ('cancelled', 'cancelled'), ('undoing', 'being undone'), ('undone', 'undone')], default='reading', max_length=9)),
                ('language', models.CharField(blank=True, help_text='In which its asker is told what is wrong.', max_length=12)),
                ('problems', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, help_text='What is wrong with its files.', size=None)),
                ('changed', models.BooleanField(default=False, help_text='What was shown did not hold any more; it is shown again.')),
                ('take', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), help_text='Corrected passages that follow the file after all; empty: undecided.', null=True, size=None)),
                ('queued_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Of what is to be done next.')),
                ('ended_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(null=True)),
                ('left', models.PositiveIntegerField(default=0, help_text='Passages that its undo left, as somebody changed them.')),
                ('asked_by', models.ForeignKey(help_text='Empty: the operator, or nobody now.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('community', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='profiles.community')),
                ('space', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, to='profiles.space')),
                ('undone_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Sheet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=255)),
                ('key', models.CharField(help_text='Of its document.', max_length=200)),
                ('text', models.TextField(blank=True, help_text='What it says, until the import has ended.')),
                ('plan', models.CharField(blank=True, help_text='Digest of what it would change; empty: not read yet.', max_length=64)),
                ('passages', models.PositiveIntegerField(default=0)),
                ('staged_at', models.DateTimeField(help_text='Its passages lie ready.', null=True)),
                ('document_at', models.DateTimeField(help_text='Last change of its document when they were laid ready.', null=True)),
                ('added', models.PositiveIntegerField(default=0)),
                ('updated', models.PositiveIntegerField(default=0)),
                ('unchanged', models.PositiveIntegerField(default=0)),
                ('removed', models.PositiveIntegerField(default=0)),
                ('kept', models.PositiveIntegerField(default=0, help_text='Corrections by hand that the file says otherwise.')),
                ('community', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='profiles.community')),
                ('part_of', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sheets', to='memory.import')),
                ('space', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, to='profiles.space')),
            ],
        ),
        migrations.CreateModel(
            name='Swap',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveIntegerField(help_text='In the file.')),
                ('how', models.CharField(max_length=9)),
                ('passage', models.UUIDField(help_text='Of one that is added, the id that it gets.')),
                ('title', models.CharField(blank=True, max_length=200)),
                ('text', models.TextField(blank=True)),
                ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('language', models.CharField(blank=True, max_length=8)),
                ('verified_by', models.CharField(blank=True, max_length=60)),
                ('imported', models.JSONField(null=True)),
                ('before_at', models.DateTimeField(help_text="The passage's last change, as it was planned with.", null=True)),
                ('after_at', models.DateTimeField(help_text="Its last change by the import: another one is a person's.", null=True)),
                ('community', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='profiles.community')),
                ('part_of', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='swaps', to='memory.import')),
                ('sheet', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='swaps', to='memory.sheet')),
                ('space', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, to='profiles.space')),
            ],
        ),
        migrations.AddIndex(
            model_name='import',
            index=models.Index(fields=['community', '-asked_at', '-id'], name='import_newest'),
        ),
        migrations.AddConstraint(
            model_name='sheet',
            constraint=models.UniqueConstraint(fields=('part_of', 'key'), name='sheet_key_once'),
        ),
        migrations.AddIndex(
            model_name='swap',
            index=models.Index(fields=['passage'], name='swap_passage'),
        ),
        *(migrations.RunPython(policy(f"memory_{table}", READ, WRITE)) for table in ("import", "sheet", "swap")),
        migrations.RunSQL(QUEUE, "DROP FUNCTION kith_imports"),
        migrations.RunSQL(REMOVED, migrations.RunSQL.noop),
    ]
