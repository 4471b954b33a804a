"""The audit: a hash chain of skeletons, and beside it the text that an erasure takes away.

The application may append through `kith_audit` and read as staff; it holds no right to change or remove a line.
"""

import uuid

from django.db import models


class AuditEvent(models.Model):
    """One line of a community's chain: who (a pseudonym), did what, to which thing, and a commitment to the text."""

    community = models.ForeignKey("profiles.Community", models.CASCADE)
    position = models.BigIntegerField()
    at = models.DateTimeField()
    actor = models.UUIDField()
    action = models.CharField(max_length=24)
    target = models.UUIDField(null=True)
    commitment = models.CharField(max_length=64)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["community", "position"], name="audit_position_once")]
        indexes = [models.Index(fields=["community", "target", "position"], name="audit_target")]


class AuditText(models.Model):
    """The erasable half: the words and the salt of the commitment; gone, the chain still verifies."""

    event = models.OneToOneField(AuditEvent, models.CASCADE, primary_key=True, related_name="text")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    subject = models.UUIDField(null=True, help_text="The membership that the line is about.")
    salt = models.CharField(max_length=32)
    body = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["subject", "event"], name="audit_subject")]


class Pseudonym(models.Model):
    """The random name under which a person stands in one community's chain."""

    pseudonym = models.UUIDField(primary_key=True, default=uuid.uuid4)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    member = models.ForeignKey("profiles.Membership", models.DO_NOTHING)  # a trigger: the application has no right here

    class Meta:
        constraints = [models.UniqueConstraint(fields=["member"], name="one_pseudonym_a_member")]
