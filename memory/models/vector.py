"""Vectors by model: a row carries who made it, and only rows of one maker are compared."""

from django.db import models
from pgvector.django import VectorField


class Embedder(models.Model):
    """One maker of vectors: name, version, file hash, prefix, centring, size."""

    id = models.SmallAutoField(primary_key=True)
    key = models.CharField(max_length=200, unique=True)
    size = models.PositiveSmallIntegerField()
    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key


class Vector(models.Model):
    """A unit vector of one text, with the borders of that text, so that a search stays inside them."""

    embedder = models.ForeignKey(Embedder, models.PROTECT, related_name="+")
    community = models.ForeignKey("profiles.Community", models.CASCADE, related_name="+")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, null=True, related_name="+", db_index=False)
    space = models.ForeignKey("profiles.Space", models.CASCADE, null=True, related_name="+", db_index=False)
    embedding = VectorField()

    class Meta:
        abstract = True


class MemoryVector(Vector):
    """Of a memory's sentence."""

    memory = models.ForeignKey("memory.Memory", models.CASCADE, related_name="vectors", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "embedder"], name="memory_vector_once")]
        indexes = [models.Index(fields=["owner", "embedder"], name="memory_vector_owner")]


class EpisodeVector(Vector):
    """Of what the member asked in a past exchange."""

    episode = models.ForeignKey("memory.Episode", models.CASCADE, related_name="vectors", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["episode", "embedder"], name="episode_vector_once")]
        indexes = [models.Index(fields=["owner", "embedder"], name="episode_vector_owner")]


class PassageVector(Vector):
    """Of a passage with its title."""

    passage = models.ForeignKey("memory.Passage", models.CASCADE, related_name="vectors", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["passage", "embedder"], name="passage_vector_once")]
        indexes = [models.Index(fields=["community", "embedder"], name="passage_vector_community")]


class QuestionVector(Vector):
    """Of a passage's title alone, where that is a question."""

    passage = models.ForeignKey("memory.Passage", models.CASCADE, related_name="question_vectors", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["passage", "embedder"], name="question_vector_once")]
