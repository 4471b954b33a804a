import django.db.models.deletion
from django.db import migrations, models

from profiles.walls import owned, policy


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_block_walls"), ("profiles", "0005_reviewed_at")]
    operations = [
        migrations.AddField(
            "memory",
            "weak",
            models.BooleanField(default=False, help_text="Of the least use among what a machine has written."),
        ),
        migrations.AddField(
            "episode",
            "archived_at",
            models.DateTimeField(help_text="Out of search since then; a summary tells of it.", null=True),
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
                (
                    "memory",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="memory.memory"
                    ),
                ),
                (
                    "of",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="makes", to="memory.memory"
                    ),
                ),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.membership")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("memory", "of"), name="part_once")],
            },
        ),
        migrations.RunPython(policy("memory_part", *owned("owner_id")), migrations.RunPython.noop),
    ]
