"""Conversations, turns, and the frames that a socket was or will be sent."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.terms import Kind, Scope


class State(models.TextChoices):
    """Where a turn stands."""

    RUNNING = "running", _("running")
    WAITING_HUMAN = "waiting_human", _("waiting for a person")
    ANSWERED = "answered", _("answered")
    STOPPED = "stopped", _("stopped")
    FAILED = "failed", _("failed")
    INTERRUPTED = "interrupted", _("interrupted")


def everything() -> list[str]:
    """All that a role can name: `scope:kind`."""
    return [f"{scope}:{kind}" for scope in Scope.values for kind in Kind.values]


class Assistant(models.Model):
    """One of a community's assistants; who it is, its `persona` block says."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey("profiles.Community", models.CASCADE, verbose_name=_("community"))
    slug = models.SlugField(_("slug"), max_length=40)
    name = models.CharField(_("name"), max_length=60)
    about = models.CharField(_("what it is for"), max_length=200, blank=True)
    model = models.CharField(_("model"), max_length=80, blank=True, help_text=_("Empty: the configured one."))
    spaces = models.ManyToManyField("profiles.Space", blank=True, verbose_name=_("spaces"),
                                    help_text=_("None: everywhere."))  # fmt: skip
    reads = ArrayField(models.CharField(max_length=24), default=everything, blank=True, verbose_name=_("reads"))
    writes = ArrayField(models.CharField(max_length=24), default=everything, blank=True, verbose_name=_("writes"))
    is_default = models.BooleanField(_("answers where none is chosen"), default=False)
    active = models.BooleanField(_("active"), default=True)

    class Meta:
        ordering = ["-is_default", "name"]
        verbose_name = _("assistant")
        verbose_name_plural = _("assistants")
        constraints = [
            models.UniqueConstraint(fields=["community", "slug"], name="assistant_slug_once"),
            models.UniqueConstraint(
                fields=["community"], condition=models.Q(is_default=True), name="one_default_assistant"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Conversation(models.Model):
    """One talk of one member; what was chosen at its first question stays fixed."""

    id = models.UUIDField(primary_key=True)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="conversations")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    title = models.CharField(max_length=120)
    memory = models.BooleanField(default=True)
    assistant = models.ForeignKey(Assistant, models.SET_NULL, null=True, help_text="Empty: the community's default.")
    seq = models.PositiveBigIntegerField(default=0)
    fold = models.BooleanField(db_default=False, help_text="Its oldest rounds wait to be folded into a summary.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["updated_at"], condition=models.Q(fold=True), name="conversation_to_fold")]


class Turn(models.Model):
    """One question and its answer."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    client_id = models.UUIDField()
    parent = models.ForeignKey("self", models.CASCADE, null=True, related_name="children")
    question = models.TextField()
    answer = models.TextField(blank=True)
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    author = models.ForeignKey(
        "profiles.User", models.SET_NULL, null=True, related_name="+", help_text="Who answered; empty: the assistant."
    )
    runner = models.UUIDField(help_text="Who answers; a recovered turn has another.")
    alive_at = models.DateTimeField()
    held_out = models.BooleanField(db_default=False, help_text="Answered without memory, to be compared.")
    recall_ms = models.PositiveIntegerField(null=True, help_text="How long it took to find what is remembered.")
    asked_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    regions = models.JSONField(default=list)
    usage = models.JSONField(default=dict)
    steps = models.JSONField(default=list, help_text="The tools that were used: name, whether it went well, finds.")
    remembered_at = models.DateTimeField(null=True, help_text="Empty: the background path has not read it yet.")
    remember_attempts = models.PositiveSmallIntegerField(default=0)
    remember_error = models.CharField(
        max_length=24, blank=True, help_text="Code of the last failure; no text of anybody's."
    )
    remember_after = models.DateTimeField(null=True, help_text="Not to be tried again before.")

    class Meta:
        ordering = ["asked_at", "id"]
        indexes = [
            models.Index(
                fields=["community"], condition=models.Q(state=State.WAITING_HUMAN), name="turn_waits_for_a_person"
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["owner", "client_id"], name="client_id_once"),
            models.UniqueConstraint(
                fields=["conversation"], condition=models.Q(state=State.RUNNING), name="one_running_turn"
            ),
        ]


class Spent(models.Model):
    """What a turn took whose conversation was deleted within a day: it counts still, and says nothing else."""

    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    at = models.DateTimeField(help_text="When it was asked.")
    tokens = models.PositiveBigIntegerField(help_text="In and out.")


class Summary(models.Model):
    """What a conversation was about up to one turn, for the context of later ones: the rounds before are folded."""

    turn = models.OneToOneField(Turn, models.CASCADE, primary_key=True, related_name="summary")
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="summaries")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    text = models.TextField()
    exact = ArrayField(models.TextField(), help_text="Sentences that keep their wording, oldest first.")
    made_by = models.CharField(max_length=120, help_text="Prompt, its hash and the model; empty: rules.", blank=True)
    at = models.DateTimeField(help_text="When what it was made of was read; older than a forgetting: not used.")


class Frame(models.Model):
    """One frame of a conversation, by `seq`; texts of memories are joined when it is sent, never kept in it."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="frames")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    turn = models.ForeignKey(Turn, models.CASCADE, related_name="frames")
    seq = models.PositiveBigIntegerField()
    body = models.JSONField()

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["conversation", "seq"], name="seq_once")]


class Feedback(models.Model):
    """A member's vote on one answer."""

    turn = models.OneToOneField(Turn, models.CASCADE, primary_key=True, related_name="feedback")
    owner = models.ForeignKey("profiles.Membership", models.CASCADE)
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    rating = models.CharField(max_length=4, choices=[("up", "up"), ("down", "down")])
    reason = models.CharField(max_length=60, blank=True)
    comment = models.TextField(blank=True)
    at = models.DateTimeField(auto_now=True)


class Token(models.Model):
    """Lets a program act for one member in one community; only a hash of the secret is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="tokens")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    name = models.CharField(max_length=60, blank=True)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret.")
    scopes = ArrayField(
        models.CharField(max_length=16), default=list, help_text="chat, memory:read, memory:write: what it may do."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
