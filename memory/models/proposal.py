"""A question that several members have asked, proposed to be answered once for all; staff never see who asked it."""

import uuid

from django.db import models


class Proposal(models.Model):
    """Questions that are the same one. It holds no words: those are the members' own, and go with them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    found_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, help_text="Answered, or found not worth an answer.")

    class Meta:
        indexes = [models.Index(fields=["community"], condition=models.Q(decided_at=None), name="proposal_waits")]


class Wording(models.Model):
    """One member's question among them: the past exchange that has the words."""

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="wordings")
    episode = models.ForeignKey("memory.Episode", models.CASCADE, related_name="+")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="+")
    community = models.ForeignKey("profiles.Community", models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["episode"], name="proposed_once")]
