"""A memory, its versions, the words it came from, and the mark that keeps a forgotten one away."""

import uuid
from functools import reduce
from operator import or_
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from memory.terms import Category, Kind, Origin, Scope, Status
from profiles.access import Reader


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Reads that name their reader."""

    def readable_by(self, reader: Reader) -> Self:
        """What this reader may see: the community's, their spaces', their own; no more than an assistant's role."""
        own = models.Q(scope=Scope.PERSONAL, owner_id=reader.member)
        space = models.Q(scope=Scope.SPACE, space_id__in=reader.spaces)
        shared = models.Q(scope=Scope.COMMUNITY)
        found = self.filter(own | space | shared, community_id=reader.community)
        if reader.agent is None:
            return found
        pairs = [pair.split(":") for pair in sorted(reader.agent.reads)]
        return found.filter(reduce(or_, (models.Q(scope=of, kind=kind) for of, kind in pairs), models.Q(pk=None)))

    def standing(self) -> Self:
        """What holds its slot."""
        return self.filter(status=Status.ACTIVE)

    def live(self) -> Self:
        """Usable as current: what stands, but no task or state whose time was over before the night could end it."""
        over = models.Q(category=Category.TASK, pinned=False, valid_to__lte=timezone.now())
        return self.standing().exclude(over)


class Memory(models.Model):
    """One thing that is remembered, as slots for exact work and as a sentence for recall."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True, related_name="memories")
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True)
    scope = models.CharField(max_length=12, choices=Scope.choices, default=Scope.PERSONAL)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    category = models.CharField(max_length=12, choices=Category.choices)
    subject = models.TextField()
    attribute = models.CharField(max_length=40)
    value = models.TextField()
    text = models.TextField()
    slot = models.TextField()
    terms = ArrayField(models.TextField())
    language = models.CharField(max_length=8)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.ACTIVE)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    importance = models.FloatField()
    confidence = models.FloatField()
    evidence = models.PositiveIntegerField(default=1)
    pinned = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    recalled_at = models.DateTimeField(null=True)
    recall_count = models.PositiveIntegerField(default=0)
    left_at = models.DateTimeField(null=True, help_text="When it was archived or forgotten; empty: neither.")
    sealed = models.BinaryField(null=True, help_text="What it said, encrypted, while it is forgotten.")
    shelved = models.BooleanField(default=False, help_text="Its words are in its owner's archive file.")
    replaced_by = models.ForeignKey("self", models.SET_NULL, null=True, related_name="replaced")
    weak = models.BooleanField(default=False, help_text="Of the least use among what a machine has written.")

    objects = MemoryQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "status"], name="memory_owner_status"),
            models.Index(
                fields=["community"], condition=models.Q(status=Status.UNDER_REVIEW), name="memory_waiting"
            ),
            models.Index(
                fields=["community"], condition=models.Q(status=Status.ACTIVE, weak=True), name="memory_weak"
            ),
            models.Index(fields=["community", "-created_at", "-id"], name="memory_newest"),
            GinIndex(fields=["terms"], name="memory_terms"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "slot"], condition=models.Q(status=Status.ACTIVE), name="one_current_a_slot"
            ),
            models.CheckConstraint(
                condition=(models.Q(scope=Scope.PERSONAL) & models.Q(owner__isnull=False))
                | (models.Q(scope=Scope.SPACE) & models.Q(space__isnull=False))
                | models.Q(scope=Scope.COMMUNITY),
                name="scope_has_its_holder",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__range=(0, 1), confidence__range=(0, 1)), name="memory_weights_in_range"
            ),
        ]


class Version(models.Model):
    """What a memory said and how it stood after one change; `change` is what an undo names."""

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="versions")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True)
    number = models.PositiveIntegerField()
    change = models.UUIDField(db_index=True)
    action = models.CharField(max_length=12)
    text = models.TextField()
    value = models.TextField()
    status = models.CharField(max_length=12, choices=Status.choices)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=200, blank=True)
    turn = models.UUIDField(null=True)
    made_by = models.CharField(max_length=120, blank=True, help_text="Prompt, its hash and the model; empty: rules.")
    content = models.JSONField(
        default=dict, encoder=DjangoJSONEncoder, help_text="The rest of what it said: slot, kind, dates."
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["memory", "number"], name="version_number_once")]
        indexes = [models.Index(fields=["owner", "at"], condition=models.Q(turn=None), name="version_without_words")]


class Source(models.Model):
    """The words that a memory came from."""

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="sources")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True)
    turn = models.UUIDField(db_index=True)
    conversation = models.UUIDField()
    quote = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "turn"], name="source_turn_once")]


class Part(models.Model):
    """A memory that another one was made of; the exchanges that one was made of are its sources."""

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="parts")
    of = models.ForeignKey(Memory, models.CASCADE, related_name="makes")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "of"], name="part_once")]


class Tombstone(models.Model):
    """A keyed hash of what was forgotten: keeps it from coming back without keeping its content."""

    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    digest = models.CharField(max_length=64)
    memory = models.UUIDField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "digest"], name="tombstone_once")]
