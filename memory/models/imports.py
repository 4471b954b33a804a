"""Imports of shared knowledge: who brought which files, how far it is, and what it takes to undo it."""

import hashlib
import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class ImportState(models.TextChoices):
    """Where an import stands."""

    READING = "reading", _("being read")
    SHOWN = "shown", _("waits for a decision")
    QUEUED = "queued", _("being imported")
    COMMANDED = "commanded", _("being imported")
    """By a command, which brings it to its end itself."""
    DONE = "done", pgettext_lazy("state", "imported")
    FAILED = "failed", _("could not be imported")
    CANCELLED = "cancelled", _("cancelled")
    UNDOING = "undoing", _("being undone")
    UNDONE = "undone", _("undone")


class Import(models.Model):
    """Some files that became knowledge together: all of them, or none."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True)
    asked_by = models.ForeignKey(
        "profiles.User", models.SET_NULL, null=True, related_name="+", help_text="Empty: the operator, or nobody now."
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=9, choices=ImportState.choices, default=ImportState.READING)
    language = models.CharField(max_length=12, blank=True, help_text="In which its asker is told what is wrong.")
    problems = ArrayField(models.TextField(), default=list, help_text="What is wrong with its files.")
    changed = models.BooleanField(default=False, help_text="What was shown did not hold any more; it is shown again.")
    take = ArrayField(
        models.UUIDField(), null=True, help_text="Corrected passages that follow the file after all; empty: undecided."
    )
    queued_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Of what is to be done next.")
    ended_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey("profiles.User", models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)
    left = models.PositiveIntegerField(default=0, help_text="Passages that its undo left, as somebody changed them.")

    class Meta:
        indexes = [models.Index(fields=["community", "-asked_at", "-id"], name="import_newest")]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def plan(self) -> str:
        """The same for the same plan of all files: who has seen one agrees to no other."""
        plans = self.sheets.order_by("key").values_list("plan", flat=True)
        return hashlib.sha256(" ".join(plans).encode()).hexdigest()


class Sheet(models.Model):
    """One file of an import."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    part_of = models.ForeignKey(Import, models.CASCADE, related_name="sheets")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True)
    name = models.CharField(max_length=255)
    key = models.CharField(max_length=200, help_text="Of its document.")
    text = models.TextField(blank=True, help_text="What it says, until the import has ended.")
    plan = models.CharField(max_length=64, blank=True, help_text="Digest of what it would change; empty: not read yet.")
    passages = models.PositiveIntegerField(default=0)
    staged_at = models.DateTimeField(null=True, help_text="Its passages lie ready.")
    document_at = models.DateTimeField(null=True, help_text="Last change of its document when they were laid ready.")
    added = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    kept = models.PositiveIntegerField(default=0, help_text="Corrections by hand that the file says otherwise.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part_of", "key"], name="sheet_key_once")]

    def __str__(self) -> str:
        return str(self.id)


class Swap(models.Model):
    """One passage that an import changes: before, what will stand there; afterwards, what stood there."""

    part_of = models.ForeignKey(Import, models.CASCADE, related_name="swaps")
    sheet = models.ForeignKey(Sheet, models.CASCADE, related_name="swaps")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True)
    place = models.PositiveIntegerField(help_text="In the file.")
    how = models.CharField(max_length=9)
    passage = models.UUIDField(help_text="Of one that is added, the id that it gets.")
    title = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    terms = ArrayField(models.TextField(), default=list)
    language = models.CharField(max_length=8, blank=True)
    is_question = models.BooleanField(default=False)
    verified_by = models.CharField(max_length=60, blank=True)
    imported = models.JSONField(null=True)
    before_at = models.DateTimeField(null=True, help_text="The passage's last change, as it was planned with.")
    after_at = models.DateTimeField(null=True, help_text="Its last change by the import: another one is a person's.")

    class Meta:
        indexes = [models.Index(fields=["passage"], name="swap_passage")]

    def __str__(self) -> str:
        return str(self.id)
