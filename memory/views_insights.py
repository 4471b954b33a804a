"""Figures for staff: answers with memory and without, how good memories are, what was done to them, and what waits."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory import policy, queue
from memory.figures import Figures, figures, stretch
from memory.quality import Quality, quality
from profiles.access import AskedBy, Reader, for_staff

NAMES = {
    "noted": _("Noted"), "repeated": _("Said again"), "corrected": _("Corrected or doubted"),
    "decided": _("Decided by staff"), "forgotten": _("Forgotten"), "looked": _("Opened by staff"),
}  # fmt: skip
ARM = {
    "answers": (_("Answers"), ""), "satisfied": (_("Satisfied, of those who voted"), "%"),
    "satisfied_again": (_("Satisfied with the answer to a repeated question"), "%"),
    "returning": (_("Members who came back on another day"), "%"), "tokens": (_("Tokens of an answer"), ""),
    "cost": (_("Cost of a message"), "¤"), "hits": (_("Answers that had something remembered before them"), "%"),
    "cited": (_("Of these, answers that cite it"), "%"), "recall_half": (_("Recall: half of them within"), "ms"),
    "recall_most": (_("Recall: 95 of 100 within"), "ms"),
}  # fmt: skip
"""Each figure of an arm by its field: what it is called, and its unit (¤: the currency of the settings)."""
RATES = {
    "junk": _("Junk: written, and found wrong or forgotten"),
    "twice": _("Said twice: written, and merged with another"),
    "corrected": _("Corrected or doubted by a person"),
    "stale": _("Stale: put into an answer, and corrected soon after"),
}  # fmt: skip
DRAWN = {"answers": _("Answers"), "votes": _("Votes"), "up": _("Votes up"), "tokens": _("Tokens of an answer"),
         "cost": _("Cost")}  # fmt: skip
"""What is drawn of answers day by day, both arms together."""
KEPT = {"kept": _("Memories")}
TALL, WIDE = 40, 8
"""Height of a chart and width of a day in it, in units of the drawing."""


class Talks(Protocol):
    """What the room above measures of answers."""

    arms: dict[str, Any]
    parts: Sequence[Any]
    days: dict[Any, Any]


@require_safe
@for_staff
def insights(request: AskedBy, measured: Callable[[Reader, datetime], Talks]) -> HttpResponse:
    """The last weeks; `?as=csv` gives the deeds by day as a file, with `of=answers` or `of=arms` those tables.
    `measured`: gives what became of answers since a moment."""
    reader = request.reader
    asked = request.GET.get("days", "")
    most = next((days for days in policy.FIGURE_RANGES if str(days) == asked), policy.FIGURE_DAYS)
    found = figures(reader, most=most)
    days, since = stretch(reader, timezone.now(), most)
    talks, good = measured(reader, since), quality(reader, days, since)
    if request.GET.get("as") == "csv":
        return _file(request.GET.get("of", "deeds"), found, talks, good)
    waiting, count = queue.page(most=1)
    by_day = _by_day(found, talks) | {"kept": good.kept}
    context = {
        "charts": [_chart((DRAWN | KEPT)[name], counts, adds=name not in ("tokens", "kept"))
                   for name, counts in by_day.items() if any(counts)],
        "deeds": [_chart(NAMES[deed], counts) for deed, counts in found.counts.items()], "tall": TALL,
        "wide": WIDE * len(found.days), "names": list(NAMES.values()), "first": found.days[0], "last": found.days[-1],
        "rows": [(day, counts) for day, *counts in zip(found.days, *found.counts.values(), strict=True)][::-1],
        "answer_names": list((DRAWN | KEPT).values()),
        "answer_rows": [(day, counts) for day, *counts in zip(found.days, *by_day.values(), strict=True)][::-1],
        "arms": _arms(talks), "rates": [(RATES[name], getattr(good, name)) for name in RATES],
        "parts": talks.parts, "waiting": count, "oldest": waiting[0].since if waiting else None, "most": most,
        "ranges": policy.FIGURE_RANGES, "holdout": reader.holdout,
    }  # fmt: skip
    return render(request, "staff/insights.html", context)


def _arms(talks: Talks) -> list[dict[str, Any]]:
    """One line for each figure, with memory and without; None where nothing was measured."""
    return [
        {"name": name, "unit": unit, "values": [_scaled(getattr(talks.arms[arm], field), unit) for arm in talks.arms]}
        for field, (name, unit) in ARM.items()
    ]  # fmt: skip


def _scaled(value: float | None, unit: str) -> float | None:
    return value if value is None or unit != "%" else 100 * value


def _by_day(found: Figures, talks: Talks) -> dict[str, list[float | None]]:
    """What is drawn, both arms together: sums, and of tokens the mean; None on a day without an answer of its kind."""
    rows = [[talks.days[day, arm] for arm in talks.arms if (day, arm) in talks.days] for day in found.days]
    sums = {name: [_sum(row[name] for row in day) for day in rows] for name in DRAWN if name != "tokens"}
    tokens = [_mean([(row["tokens"], row["answers"]) for row in day if row["tokens"] is not None]) for day in rows]
    return {name: tokens if name == "tokens" else sums[name] for name in DRAWN}


def _sum(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def _mean(weighed: list[tuple[float, int]]) -> float | None:
    count = sum(weight for _value, weight in weighed)
    return sum(value * weight for value, weight in weighed) / count if count else None


def _chart(name: Any, counts: Sequence[float | None], *, adds: bool = True) -> dict[str, Any]:
    """Bars against the highest day; a day of anything is seen. `adds`: whether the days make a sum; else the last
    that there is stands beside the name."""
    most = max(count or 0 for count in counts)
    heights = [max(round(TALL * count / most), 1) if count else 0 for count in counts]
    bars = [{"x": WIDE * place, "y": TALL - height, "height": height} for place, height in enumerate(heights) if height]
    there = [count for count in counts if count is not None]
    return {"name": name, "total": sum(there) if adds else there[-1], "adds": adds, "most": most, "bars": bars}


def _file(of: str, found: Figures, talks: Talks, good: Quality) -> HttpResponse:
    out = io.StringIO()
    table = csv.writer(out)
    if of == "arms":
        table.writerow(["figure", *talks.arms])
        table.writerows([field, *(getattr(arm, field) for arm in talks.arms.values())] for field in ARM)
        table.writerows([name, getattr(good, name).rate, ""] for name in RATES)
        for what in ("tokens", "cost"):
            table.writerows([f"{what}:{part.name}", *getattr(part, what).values()] for part in talks.parts)
    else:
        columns = _by_day(found, talks) | {"kept": good.kept} if of == "answers" else found.counts
        table.writerow(["day", *columns])
        table.writerows(zip(found.days, *columns.values(), strict=True))
    headers = {"Content-Disposition": f'attachment; filename="insights-{"arms" if of == "arms" else "days"}.csv"'}
    return HttpResponse(out.getvalue(), "text/csv; charset=utf-8", headers=headers)
