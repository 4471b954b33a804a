"""What a turn found, put into its context, and cited."""

from django.db import models


class Recalled(models.Model):
    """One memory, episode or passage in one turn, with its score and its parts (each 0..1)."""

    turn = models.UUIDField(db_index=True)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    what = models.CharField(max_length=12, choices=[(x, x) for x in ("memory", "episode", "knowledge")])
    target = models.UUIDField(db_index=True)
    score = models.FloatField()
    parts = models.JSONField(default=dict)
    marker = models.CharField(max_length=8, blank=True, help_text="Empty: found, but not put into the context.")
    cited = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "what", "target"], name="recalled_once")]
