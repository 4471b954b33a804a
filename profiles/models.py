"""People, communities (the tenants), and what ties one to the other."""

import secrets
import uuid

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """An account; what is remembered about a person hangs on their memberships, not here."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    @property
    def called(self) -> str:
        """What others see: the given name, or the name to sign in with."""
        return self.get_short_name() or self.username


class Community(models.Model):
    """The tenant: nothing ever crosses one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(_("short name in addresses"), unique=True)
    name = models.CharField(_("name"), max_length=120)
    description = models.TextField(_("description"), blank=True)
    translations = models.JSONField(
        _("in other languages"),
        default=dict,
        blank=True,
        help_text=_("By language: {“zh”: {“name”: …, “description”: …}}."),
    )
    is_open = models.BooleanField(_("open"), default=False, help_text=_("Anyone with an account may join."))
    holdout = models.PositiveSmallIntegerField(
        _("answers without memory, per cent of members"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(50)],
        help_text=_("Their answers use nothing that is remembered, so that the figures can compare; members are told."),
    )

    class Meta:
        verbose_name = _("community")
        verbose_name_plural = _("communities")

    def __str__(self) -> str:
        return self.slug

    def said(self, field: str) -> str:
        """`name` or `description` in the language of the page, where the community has it."""
        words = self.translations.get((get_language() or "")[:2], {})
        return str(words.get(field) or getattr(self, field))


class Space(models.Model):
    """A project or channel inside a community."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey(Community, models.CASCADE, related_name="spaces")
    slug = models.SlugField()
    name = models.CharField(max_length=120)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["community", "slug"], name="space_slug_once")]

    def __str__(self) -> str:
        return self.slug


class Role(models.TextChoices):
    """What a person may do in a community."""

    MEMBER = "member", _("member")
    MODERATOR = "moderator", _("moderator")
    AUDITOR = "auditor", _("auditor")
    ADMIN = "admin", _("admin")


class Membership(models.Model):
    """One person in one community: the owner of everything personal."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    community = models.ForeignKey(Community, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.MEMBER)
    spaces = models.ManyToManyField(Space, blank=True)
    time_zone = models.CharField(max_length=64, default="Asia/Shanghai")
    memory_on = models.BooleanField(null=True, help_text=_("Empty: the member has not chosen yet."))
    joined_at = models.DateTimeField(auto_now_add=True)
    kept_at = models.DateTimeField(null=True, editable=False, help_text="When its memories were last put in order.")
    reviewed_at = models.DateTimeField(
        null=True, editable=False, help_text="When what a machine wrote of it was last reviewed."
    )
    frozen_at = models.DateTimeField(
        null=True, editable=False, help_text="Since then it is being erased: no unit of work is its own any more."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "community"], name="one_membership")]


class Profile(models.Model):
    """Who the member is here, field by field; each change is kept in `ProfileChange`."""

    membership = models.OneToOneField(Membership, models.CASCADE, primary_key=True, related_name="profile")
    community = models.ForeignKey(Community, models.CASCADE)
    name = models.CharField(max_length=120, blank=True)
    interests = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    expertise = models.CharField(max_length=12, blank=True)
    language = models.CharField(max_length=8, blank=True)
    preferences = models.JSONField(default=dict, blank=True)
    last_topics = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    interaction_count = models.PositiveIntegerField(default=0)
    first_seen = models.DateTimeField(null=True)
    last_seen = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)


class ProfileChange(models.Model):
    """One field's old and new value, and the turn that changed it."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="profile_changes")
    community = models.ForeignKey(Community, models.CASCADE)
    field = models.CharField(max_length=24)
    old = models.JSONField(null=True)
    new = models.JSONField(null=True)
    turn = models.UUIDField(null=True)
    at = models.DateTimeField(auto_now_add=True)


def _code() -> str:
    return secrets.token_urlsafe(9)


class Invitation(models.Model):
    """A code that lets its holder join a community that is not open."""

    community = models.ForeignKey(Community, models.CASCADE, related_name="invitations", verbose_name=_("community"))
    code = models.CharField(_("code"), max_length=24, unique=True, default=_code)
    role = models.CharField(_("role"), max_length=12, choices=Role.choices, default=Role.MEMBER)
    uses_left = models.PositiveIntegerField(_("uses left"), default=1)
    expires_at = models.DateTimeField(_("valid until"), null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")


class RequestState(models.TextChoices):
    """Where a request for erasure stands."""

    REQUESTED = "requested", _("requested")
    CONFIRMED = "confirmed", _("confirmed")
    APPROVED = "approved", _("approved")
    ERASING = "erasing", _("erasing")
    VERIFYING = "verifying", _("verifying")
    DONE = "done", _("done")
    PARTIAL = "partial", _("partial")
    CANCELLED = "cancelled", _("cancelled")


class ErasureRequest(models.Model):
    """Somebody is to be erased: from one community, or altogether. At its end it names nobody."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    community = models.ForeignKey(Community, models.CASCADE, null=True, related_name="erasures")
    person = models.ForeignKey(User, models.SET_NULL, null=True, related_name="erasures")
    member = models.UUIDField(null=True, help_text="The membership; empty once it is gone.")
    account = models.BooleanField(help_text="The account too, with all its memberships; else this community only.")
    asked_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    own = models.BooleanField(help_text="Asked for by the person, so that nobody has to approve it.")
    reason = models.CharField(max_length=400, blank=True)
    phrase = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=12, choices=RequestState.choices, default=RequestState.REQUESTED)
    requested_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(help_text="By when it must be done.")
    confirmed_at = models.DateTimeField(null=True)
    cools_until = models.DateTimeField(null=True, help_text="Until then it can be cancelled.")
    approved_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    approved_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    steps = models.JSONField(default=list, help_text="The steps that are done, in their order.")
    before = models.BinaryField(null=True, help_text="What is looked for afterwards, encrypted; emptied at the end.")
    counts = models.JSONField(default=dict, help_text="By store: rows before and after.")
    receipt = models.JSONField(null=True)
    link = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the one-time link to the receipt.")
    salt = models.CharField(max_length=64, blank=True, help_text="Handed over once with the receipt, then emptied.")

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "community"],
                condition=models.Q(state__in=["requested", "confirmed", "approved", "erasing", "verifying"]),
                name="one_open_erasure",
            )
        ]


class ExportState(models.TextChoices):
    """Where an export stands."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")


class Export(models.Model):
    """Everything about one member, to be taken away: a file that is made in the background and kept for some days."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.OneToOneField(Membership, models.CASCADE, related_name="export")
    community = models.ForeignKey(Community, models.CASCADE)
    state = models.CharField(max_length=8, choices=ExportState.choices, default=ExportState.QUEUED)
    language = models.CharField(max_length=12, help_text="Of the part for people to read.")
    progress = models.PositiveSmallIntegerField(default=0, help_text="Per cent.")
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="The file is deleted then, and this row with it.")
