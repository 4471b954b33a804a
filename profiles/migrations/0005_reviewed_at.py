from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("profiles", "0004_kept_at")]
    operations = [
        migrations.AddField(
            "membership",
            "reviewed_at",
            models.DateTimeField(
                editable=False, help_text="When what a machine wrote of it was last reviewed.", null=True
            ),
        ),
    ]
