"""Entities and typed edges: what a member's memories name, and how one thing stands to another."""

import uuid

from django.db import models

from memory.terms import EntityKind, Relation


class Entity(models.Model):
    """A thing with a name, once for each member, kind and normal form; it is there as long as an edge names it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="entities")
    name = models.TextField(help_text="As it was first written.")
    kind = models.CharField(max_length=12, choices=EntityKind.choices)
    normal = models.TextField(help_text="One form for equal names.")

    class Meta:
        verbose_name_plural = "entities"
        constraints = [models.UniqueConstraint(fields=["owner", "normal", "kind"], name="entity_once")]


class Edge(models.Model):
    """What a memory says of two things. It is there exactly while the memory's words are in their row."""

    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    memory = models.ForeignKey("memory.Memory", models.CASCADE, related_name="edges")
    subject = models.ForeignKey(
        Entity, models.CASCADE, null=True, related_name="out", help_text="Empty: the member."
    )  # fmt: skip
    relation = models.CharField(max_length=12, choices=Relation.choices)
    object = models.ForeignKey(Entity, models.CASCADE, related_name="into")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["memory", "subject", "relation", "object"], name="edge_once", nulls_distinct=False
            ),
        ]
