"""Door: how good what is remembered is: what was junk, said twice, corrected, or put into answers though it was stale;
and how much there is. Counted in the database, so no member's rows are opened for it."""

import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from memory import policy
from memory.standing import MACHINES, MERGED
from profiles.access import Reader


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; without any there is nothing to say."""

    part: int
    of: int

    @property
    def percent(self) -> float | None:
        return None if self.rate is None else 100 * self.rate

    @property
    def rate(self) -> float | None:
        return self.part / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Quality:
    """Of the memories written since then, and of those put into answers; `kept`: how many there are on each day."""

    junk: Share
    twice: Share
    corrected: Share
    stale: Share
    kept: tuple[int, ...]


def quality(reader: Reader, days: tuple[date, ...], since: datetime) -> Quality:
    """For staff, of their community; anybody else counts nothing."""
    values: list[Any] = [since, reader.time_zone, list(MACHINES), MERGED, policy.STALE_DAYS]
    with connection.cursor() as cursor:
        cursor.execute("SELECT kith_quality(%s, %s, %s, %s, %s)", values)
        found = json.loads(cursor.fetchone()[0] or "{}")
    written, used = found.get("written", 0), found.get("used", 0)
    junk, twice, corrected = (Share(found.get(name, 0), written) for name in ("junk", "twice", "corrected"))
    return Quality(junk, twice, corrected, Share(found.get("stale", 0), used), _kept(days, found))


def _kept(days: tuple[date, ...], found: dict[str, Any]) -> tuple[int, ...]:
    """Back from how many there are now, day by day."""
    now, change = found.get("now", 0), found.get("change") or {}
    counts = []
    for day in reversed(days):
        counts.append(now)
        now -= change.get(day.isoformat(), 0)
    return tuple(reversed(counts))
