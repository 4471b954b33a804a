"""Blocks: short texts that always stand in the context, and everything that they said before."""

import uuid

from django.db import models
from django.db.models.functions import Length

from memory import policy
from memory.terms import Label

models.TextField.register_lookup(Length)


class Block(models.Model):
    """`persona`: who an assistant is, written by staff. `human`: what an assistant keeps in mind about a member."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True, related_name="blocks")
    assistant = models.UUIDField(null=True)
    label = models.CharField(max_length=8, choices=Label.choices)
    text = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=0, help_text="0: never written.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(label=Label.HUMAN, owner__isnull=False, assistant__isnull=True)
                | models.Q(label=Label.PERSONA, owner__isnull=True, assistant__isnull=False),
                name="block_has_its_holder",
            ),
            models.CheckConstraint(
                condition=models.Q(text__length__lte=policy.BLOCK_LIMIT), name="block_within_its_limit"
            ),
            models.UniqueConstraint(fields=["owner"], condition=models.Q(owner__isnull=False), name="one_human_block"),
            models.UniqueConstraint(
                fields=["assistant"], condition=models.Q(assistant__isnull=False), name="one_persona_block"
            ),
        ]


class BlockVersion(models.Model):
    """What a block said from one change on."""

    block = models.ForeignKey(Block, models.CASCADE, related_name="versions")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True)
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=200, blank=True)
    turn = models.UUIDField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["block", "number"], name="block_version_once")]
