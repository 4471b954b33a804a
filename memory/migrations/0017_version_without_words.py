from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_made_of")]
    operations = [
        migrations.AddIndex(
            "version",
            models.Index(fields=["owner", "at"], condition=models.Q(turn=None), name="version_without_words"),
        ),
    ]
