from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0033_question_vectors")]
    operations = [
        migrations.AddField(
            "episode",
            "replaced",
            models.BooleanField(default=False, help_text="Another turn took its place; that no undo takes back."),
        ),
        migrations.AlterField(
            "episode",
            "masked",
            models.BooleanField(
                default=False,
                help_text="Found no more: something said here was forgotten, or all of it, or it was replaced.",
            ),
        ),
        migrations.AddConstraint(
            "episode",
            models.CheckConstraint(
                condition=models.Q(("replaced", False), ("masked", True), _connector="OR"),
                name="episode_replaced_is_masked",
            ),
        ),
    ]
