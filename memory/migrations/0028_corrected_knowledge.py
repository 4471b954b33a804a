from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0027_quality")]
    operations = [
        migrations.AddField(
            model_name="passage",
            name="imported",
            field=models.JSONField(
                editable=False,
                help_text="What the file said, of one that was changed by hand since; {}: no file said it. Empty: it "
                "stands as imported.",
                null=True,
            ),
        )
    ]
