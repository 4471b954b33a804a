"""Shared knowledge: documents and the passages that answers cite."""

import uuid
from datetime import date

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _


class Document(models.Model):
    """One imported or hand-written text."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey(
        "profiles.Space",
        models.CASCADE,
        verbose_name=_("space"),
        null=True,
        blank=True,
        help_text=_("Empty: for the whole community."),
    )
    title = models.CharField(_("title"), max_length=200)
    key = models.CharField(_("key"), max_length=200)
    updated_at = models.DateTimeField(_("last change"), auto_now=True)

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        constraints = [models.UniqueConstraint(fields=["community", "key"], name="document_key_once")]

    def __str__(self) -> str:
        return self.key


class There(models.Manager["Passage"]):
    """What nobody has removed."""

    def get_queryset(self) -> models.QuerySet["Passage"]:
        """All but those that only an undo brings back."""
        return super().get_queryset().filter(removed_at=None)


class Passage(models.Model):
    """A citable piece of a document, in one language."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="passages")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True, blank=True)
    title = models.CharField(_("title"), max_length=200)
    text = models.TextField(_("text"))
    terms = ArrayField(models.TextField(), editable=False, default=list)
    language = models.CharField(max_length=8)
    is_question = models.BooleanField(default=False, editable=False, help_text="The title asks what the text answers.")
    verified_by = models.CharField(_("verified by"), max_length=60, blank=True)
    imported = models.JSONField(
        null=True,
        editable=False,
        help_text="What the file said, of one that was changed by hand since; {}: no file said it. Empty: it stands as "
        "imported.",
    )
    valid_from = models.DateField(_("valid from"), null=True, blank=True, help_text=_("The first day; empty: always."))
    valid_to = models.DateField(_("valid until"), null=True, blank=True, help_text=_("The last day; empty: for good."))
    kept_by = models.CharField(_("looked after by"), max_length=60, blank=True)
    removed_at = models.DateTimeField(null=True, editable=False, help_text="Removed; only an undo brings it back.")
    updated_at = models.DateTimeField(auto_now=True)
    objects = There()
    everything: models.Manager["Passage"] = models.Manager()

    class Meta:
        verbose_name = _("passage")
        verbose_name_plural = _("passages")
        indexes = [GinIndex(fields=["terms"], name="passage_terms")]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def by_hand(self) -> bool:
        """Whether somebody wrote or corrected it, so that an import may not simply write over it."""
        return self.imported is not None

    def holds(self, day: date) -> bool:
        """Whether it may be cited on this day."""
        return (self.valid_from is None or self.valid_from <= day) and (self.valid_to is None or day <= self.valid_to)
