import django.db.models.deletion
from django.db import migrations, models

from profiles.walls import owned, policy


class Migration(migrations.Migration):
    dependencies = [("conversation", "0014_handoff"), ("profiles", "0010_holdout")]
    operations = [
        migrations.CreateModel(
            "Spent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(help_text="When it was asked.")),
                ("tokens", models.PositiveBigIntegerField(help_text="In and out.")),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.membership")),
            ],
        ),
        migrations.RunPython(policy("conversation_spent", *owned("owner_id"))),
    ]
