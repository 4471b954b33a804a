"""One short overview of each conversation: what it was about and where it stopped."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Overview(models.Model):
    """Of one conversation of one member; kept current while it goes on, shown to later conversations."""

    conversation = models.UUIDField(primary_key=True)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="overviews")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    topics = ArrayField(models.CharField(max_length=80), default=list)
    last = models.TextField(help_text="The last question, in the member's words.")
    rounds = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["owner", "-at"], name="overview_owner_at")]
