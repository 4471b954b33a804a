"""Shared knowledge: documents and the passages that answers cite."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models


class Document(models.Model):
    """One imported or hand-written text."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True, blank=True)
    title = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["community", "key"], name="document_key_once")]

    def __str__(self) -> str:
        return self.key


class Passage(models.Model):
    """A citable piece of a document, in one language."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="passages")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True, blank=True)
    title = models.CharField(max_length=200)
    text = models.TextField()
    terms = ArrayField(models.TextField(), editable=False, default=list)
    language = models.CharField(max_length=8)
    verified_by = models.CharField(max_length=60, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [GinIndex(fields=["terms"], name="passage_terms")]

    def __str__(self) -> str:
        return str(self.id)
