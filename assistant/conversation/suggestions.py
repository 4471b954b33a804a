"""Questions to try on the empty page: ones that the community's own knowledge answers."""

from django.db.models import Q
from django.utils.translation import gettext as _

from assistant import demo
from memory.models import Passage
from profiles.access import Reader

SHOWN = 4
_ENDS = ("?", "？")


def suggestions(reader: Reader, language: str) -> list[str]:
    """Up to four, in `language` ("zh" or "en"); those written for the demo, else the newest titles as questions."""
    rows = Passage.objects.filter(community_id=reader.community, language=language).select_related("document")
    held = Q(valid_from=None) | Q(valid_from__lte=reader.today), Q(valid_to=None) | Q(valid_to__gte=reader.today)
    rows = rows.filter(*held)
    written = demo.questions(language) if reader.slug == demo.SLUG else {}
    if written:
        there = set(rows.filter(document__key__in=written).values_list("document__key", flat=True))
        return [question for key, question in written.items() if key in there][:SHOWN]
    return [_asked(title) for title in rows.order_by("-updated_at", "id").values_list("title", flat=True)[:SHOWN]]


def _asked(title: str) -> str:
    return title if title.endswith(_ENDS) else _("What should I know about “%(title)s”?") % {"title": title}
