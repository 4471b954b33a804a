"""A past exchange: the second searchable unit beside memories."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Episode(models.Model):
    """Question and answer of one ended turn; the assistant's words in it are never a source of facts."""

    turn = models.UUIDField(primary_key=True)
    conversation = models.UUIDField()
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="episodes")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    question = models.TextField()
    answer = models.TextField()
    terms = ArrayField(models.TextField())
    masked = models.BooleanField(default=False, help_text="Something said here was forgotten.")
    hidden_by = models.UUIDField(null=True, help_text="The change that forgot it as a whole; its undo shows it again.")
    at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, help_text="Out of search since then; a summary tells of it.")

    class Meta:
        indexes = [models.Index(fields=["owner", "-at"], name="episode_owner_at")]
