"""What pages show for stored codes: who changed a memory, what was done and why, how much a member knows."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTORS = {"member": _("the member"), "system": _("the assistant"), "moderator": _("a moderator")}
REASONS = {
    "added": _("noted"),
    "confirmed": _("said again"),
    "superseded": _("replaced what was known before"),
    "ended": _("no longer true"),
    "flagged": _("doubted"),
    "forgotten": _("forgotten"),
    "restored": _("brought back"),
    "undo": _("undone"),
    "marked wrong": _("marked as wrong"),
    "corrected by the member": _("corrected by the member"),
    "the member asked": _("the member asked"),
}
LEVELS = {"beginner": _("beginner"), "intermediate": _("intermediate"), "expert": _("expert")}
LANGUAGES = {"zh": _("Chinese"), "en": _("English")}


def actor(code: str) -> str:
    """Who changed it; a name that is no code stays as it is."""
    return _said(ACTORS, code)


def reason(code: str) -> str:
    """Why, or what was done; a person's own words stay as they are."""
    return _said(REASONS, code)


def level(code: str) -> str:
    """How much the member knows."""
    return _said(LEVELS, code)


def language(code: str) -> str:
    """A language by its code; a member's own words for one stay as they are."""
    return _said(LANGUAGES, code)


def _said(words: dict[str, Promise], code: str) -> str:
    return str(words.get(code, code))
