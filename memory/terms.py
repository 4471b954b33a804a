"""The words of the memory system, as choices; docs/words.md has the Chinese beside them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """How a memory is used: a standing fact, an event, or a way of doing things."""

    SEMANTIC = "semantic", _("semantic")
    EPISODIC = "episodic", _("episodic")
    PROCEDURAL = "procedural", _("procedural")


class Category(models.TextChoices):
    """What a memory says."""

    FACT = "fact", _("fact")
    PREFERENCE = "preference", _("preference")
    TASK = "task", _("task")
    RELATION = "relation", _("relation")
    EVENT = "event", _("event")
    EXPERIENCE = "experience", _("experience")
    SUMMARY = "summary", _("summary")


class EntityKind(models.TextChoices):
    """What sort of thing has a name."""

    PERSON = "person", _("person")
    PLACE = "place", _("place")
    ORGANISATION = "organisation", _("organisation")
    PROJECT = "project", _("project")
    TOOL = "tool", _("tool")
    EVENT = "event", _("event")
    THING = "thing", _("thing")


class Relation(models.TextChoices):
    """How one thing, or the member, stands to another."""

    LIVES_IN = "lives_in", _("lives in")
    COMES_FROM = "comes_from", _("comes from")
    WORKS_IN = "works_in", _("works in")
    WORKS_AT = "works_at", _("works at")
    USES = "uses", _("uses")
    VISITS = "visits", _("has been in, or goes to")
    ATTENDS = "attends", _("takes part in")
    LEADS = "leads", _("leads")
    LED_BY = "led_by", _("is led by")
    NEEDS = "needs", _("needs")
    DEPENDS_ON = "depends_on", _("depends on")
    PART_OF = "part_of", _("is part of")
    FAMILY = "family", _("is family of")
    WORKS_WITH = "works_with", _("works with")
    KNOWS = "knows", _("knows")


class Label(models.TextChoices):
    """What a block is about: an assistant, or a member."""

    PERSONA = "persona", _("persona")
    HUMAN = "human", _("human")


class Scope(models.TextChoices):
    """Who may read a memory: everyone in the community, one space, or one member."""

    COMMUNITY = "community", _("community")
    SPACE = "space", _("space")
    PERSONAL = "personal", _("personal")


class Status(models.TextChoices):
    """Where a memory stands; only `active` is used as current."""

    ACTIVE = "active", _("active")
    UNDER_REVIEW = "under_review", _("under review")
    SUPERSEDED = "superseded", _("superseded")
    ARCHIVED = "archived", _("archived")
    FORGOTTEN = "forgotten", _("forgotten")


class Origin(models.TextChoices):
    """Where a memory comes from, strongest first; binds machine writers only."""

    TOLD = "told", _("told by the member")
    CONFIRMED = "confirmed", _("confirmed by a moderator")
    IMPORTED = "imported", _("imported")
    CONSOLIDATED = "consolidated", _("consolidated")
    INFERRED = "inferred", _("inferred")

    def yields_to(self, other: str) -> bool:
        """Whether a machine that writes with this origin must leave alone what is of the other."""
        ranks = list(Origin)
        return ranks.index(self) > ranks.index(Origin(other))


MADE = (Origin.CONSOLIDATED, Origin.INFERRED)
"""Of what no person has said in these words: a machine has written it."""
