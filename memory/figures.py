"""Door: what was done to a community's memories, counted by day; from the audit, so no person's rows are opened."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from memory import policy
from memory.models import AuditEvent
from profiles.access import Reader

DEEDS = {
    "noted": ("added", "superseded"), "repeated": ("confirmed",), "corrected": ("revised", "flagged"),
    "decided": ("approved", "rejected"), "forgotten": ("forgotten",), "looked": ("opened",),
}  # fmt: skip
"""What is counted together, by the actions of the audit."""


@dataclass(frozen=True, slots=True)
class Figures:
    """For each deed a count a day, oldest day first."""

    days: tuple[date, ...]
    counts: dict[str, tuple[int, ...]]

    @property
    def totals(self) -> dict[str, int]:
        return {deed: sum(several) for deed, several in self.counts.items()}


def stretch(reader: Reader, now: datetime, most: int) -> tuple[tuple[date, ...], datetime]:
    """The last days up to today on the reader's calendar, oldest first, and the moment at which they begin."""
    zone = ZoneInfo(reader.time_zone)
    today = now.astimezone(zone).date()
    days = tuple(today - timedelta(ago) for ago in reversed(range(most)))
    return days, datetime.combine(days[0], time(), zone)


def figures(reader: Reader, now: datetime | None = None, *, most: int = policy.FIGURE_DAYS) -> Figures:
    """Of the last `most` days up to today, on the reader's calendar."""
    days, since = stretch(reader, now or timezone.now(), most)
    zone = ZoneInfo(reader.time_zone)
    rows = AuditEvent.objects.filter(community_id=reader.community, at__gte=since).order_by()
    rows = rows.exclude(action="forgotten", target=None)  # the line that sums up what was forgotten at once
    counted = rows.annotate(day=TruncDate("at", tzinfo=zone)).values_list("day", "action").annotate(Count("id"))
    found: Counter[tuple[date, str]] = Counter()
    for day, action, number in counted:
        found[day, action] += number
    return Figures(
        days, {deed: tuple(sum(found[day, action] for action in of) for day in days) for deed, of in DEEDS.items()}
    )
