"""A past exchange: the second searchable unit beside memories."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q


class Episode(models.Model):
    """Question and answer of one ended turn; the assistant's words in it are never a source of facts."""

    turn = models.UUIDField(primary_key=True)
    conversation = models.UUIDField()
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="episodes", db_index=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    question = models.TextField()
    answer = models.TextField()
    terms = ArrayField(models.TextField())
    lexemes = models.GeneratedField(  # each term once, as the database finds them fastest
        expression=models.Func("terms", function="kith_lexemes"), output_field=SearchVectorField(), db_persist=True
    )
    masked = models.BooleanField(
        default=False, help_text="Found no more: something said here was forgotten, or all of it, or it was replaced."
    )
    replaced = models.BooleanField(default=False, help_text="Another turn took its place; that no undo takes back.")
    hidden_by = models.UUIDField(null=True, help_text="The change that forgot it as a whole; its undo shows it again.")
    at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, help_text="Out of search since then; a summary tells of it.")

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-at"], name="episode_owner_at"),
            models.Index(fields=["owner", "conversation"], name="episode_owner_talk"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(replaced=False) | Q(masked=True), name="episode_replaced_is_masked"),
        ]
