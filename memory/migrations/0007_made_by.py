from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_vector_walls")]
    operations = [
        migrations.AddField(
            "version",
            "made_by",
            models.CharField(
                blank=True, default="", help_text="Prompt, its hash and the model; empty: rules.", max_length=120
            ),
            preserve_default=False,
        ),
    ]
