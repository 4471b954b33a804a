"""What pages show for stored codes: who changed a memory, what was done and why, how much a member knows."""

import re
from collections.abc import Iterable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from memory.terms import Category

ACTORS = {
    "member": _("the member"),
    "system": _("the assistant"),
    "reader": _("the assistant"),
    "upkeep": _("the assistant"),
    "moderator": _("a moderator"),
    "operator": _("an operator"),
}
REASONS = {
    "added": _("noted"),
    "confirmed": _("said again"),
    "superseded": _("replaced what was known before"),
    "ended": _("no longer true"),
    "flagged": _("doubted"),
    "forgotten": _("forgotten"),
    "archived": _("archived"),
    "restored": _("brought back"),
    "revised": _("changed by hand"),
    "approved": _("found right"),
    "rejected": _("found wrong"),
    "merged": _("put together with others"),
    "consolidated": _("made one memory with others that are alike"),
    "summarised": _("summarises what was talked about"),
    "reflected": _("what a task has taught"),
    "proposed": _("asked for again and again"),
    "promoted": _("often of use"),
    "demoted": _("long unused"),
    "orders": _("reads like an order to the assistant"),
    "aged": _("a machine wrote it, and it has long been of no use"),
    "what it was made of has changed": _("what it was made of has changed"),
    "nothing is left that it was made of": _("nothing is left that it was made of"),
    "conversation deleted": _("its conversation was deleted"),
    "undo": _("undone"),
    "rolled back": _("undone"),
    "marked wrong": _("marked as wrong"),
    "corrected by the member": _("corrected by the member"),
    "the member asked": _("the member asked"),
    "the words that it came from were forgotten": _("the words that it came from were forgotten"),
    "opened": _("opened"),
    "review": _("review"),
    "hand-off": _("a question to a person"),
    "answered": _("answered by a person"),
    "closed": _("closed without an answer"),
    "exported": _("exported"),
    "shelved": _("moved into the archive file"),
    "emptied": _("words removed for good"),
    "block": _("notes changed"),
    "edited": _("knowledge changed"),
    "imported": _("knowledge imported"),
    "import undone": _("import of knowledge undone"),
    "verified": _("knowledge verified"),
    "unverified": _("knowledge no longer verified"),
    "removed": _("removed"),
    "assistant": _("assistant changed"),
    "erased": _("erased"),
}
COUNTED = {
    re.compile(r"one of (?P<n>\d+) that contradict each other"): _("one of %(n)s that contradict each other"),
    re.compile(r"(?P<n>\d+) of (?P<all>\d+) that it was made of no longer hold"):
        _("%(n)s of %(all)s that it was made of no longer hold"),
}  # fmt: skip
"""Reasons that a machine gives with numbers in them."""
GROUPS: dict[str, Promise] = {
    Category.FACT: _("About you"),
    Category.PREFERENCE: _("What you like and prefer"),
    Category.TASK: _("Plans and tasks"),
    Category.RELATION: _("People around you"),
    Category.EVENT: _("Events"),
    Category.EXPERIENCE: _("Experiences"),
    Category.SUMMARY: _("Summaries"),
}
LEVELS = {"beginner": _("beginner"), "intermediate": _("intermediate"), "expert": _("expert")}
LANGUAGES = {"zh": _("Chinese"), "en": _("English")}


def actor(code: str) -> str:
    """Who changed it; a name that is no code stays as it is."""
    return _said(ACTORS, code)


def reason(code: str) -> str:
    """Why, or what was done; a person's own words stay as they are."""
    for form, text in COUNTED.items():
        if fits := form.fullmatch(code):
            return str(text) % fits.groupdict()
    return _said(REASONS, code)


def done(action: str, why: str) -> str:
    """What was done and, where that says more, why."""
    return " · ".join(dict.fromkeys(reason(code) for code in (action, why) if code))


def group(category: str) -> str:
    """The heading above a member's memories of one category."""
    return _said(GROUPS, category)


def level(code: str) -> str:
    """How much the member knows."""
    return _said(LEVELS, code)


def language(code: str) -> str:
    """A language by its code; a member's own words for one stay as they are."""
    return _said(LANGUAGES, code)


def listed(items: Iterable[object]) -> str:
    """Several things in one line."""
    return pgettext("between the items of a list", ", ").join(map(str, items))


def _said(words: Mapping[str, Promise], code: str) -> str:
    return str(words.get(code, code))
