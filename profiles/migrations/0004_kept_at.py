from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("profiles", "0003_words")]
    operations = [
        migrations.AddField(
            "membership",
            "kept_at",
            models.DateTimeField(editable=False, help_text="When its memories were last put in order.", null=True),
        ),
    ]
