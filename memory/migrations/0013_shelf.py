from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_sealed")]
    operations = [
        migrations.AddField(
            "key",
            "shelf",
            models.PositiveIntegerField(default=0, help_text="The version of the archive file that counts."),
        ),
        migrations.AddField(
            "memory",
            "shelved",
            models.BooleanField(default=False, help_text="Its words are in its owner's archive file."),
        ),
    ]
