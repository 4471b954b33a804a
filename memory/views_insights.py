"""A few figures for staff: what was done to memories day by day, drawn and as a table, and what waits."""

import csv
import io
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory import queue
from memory.figures import Figures, figures
from profiles.access import AskedBy, for_staff

NAMES = {
    "noted": _("Noted"), "repeated": _("Said again"), "corrected": _("Corrected or doubted"),
    "decided": _("Decided by staff"), "forgotten": _("Forgotten"), "looked": _("Opened by staff"),
}  # fmt: skip
TALL, WIDE = 40, 8
"""Height of a chart and width of a day in it, in units of the drawing."""


@require_safe
@for_staff
def insights(request: AskedBy) -> HttpResponse:
    """Four weeks; `?as=csv` gives the table as a file."""
    found = figures(request.reader)
    if request.GET.get("as") == "csv":
        headers = {"Content-Disposition": 'attachment; filename="insights.csv"'}
        return HttpResponse(_csv(found), "text/csv; charset=utf-8", headers=headers)
    waiting, count = queue.page(most=1)
    context = {
        "charts": [_chart(deed, counts) for deed, counts in found.counts.items()], "tall": TALL,
        "wide": WIDE * len(found.days), "names": list(NAMES.values()), "first": found.days[0], "last": found.days[-1],
        "rows": [(day, counts) for day, *counts in zip(found.days, *found.counts.values(), strict=True)][::-1],
        "waiting": count, "oldest": waiting[0].since if waiting else None,
    }  # fmt: skip
    return render(request, "staff/insights.html", context)


def _chart(deed: str, counts: tuple[int, ...]) -> dict[str, Any]:
    """Bars against the highest day; a day of anything is seen."""
    most = max(counts)
    heights = [max(round(TALL * count / most), 1) if count else 0 for count in counts]
    bars = [{"x": WIDE * place, "y": TALL - height, "height": height} for place, height in enumerate(heights) if height]
    return {"name": NAMES[deed], "total": sum(counts), "most": most, "bars": bars}


def _csv(found: Figures) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["day", *found.counts])
    table.writerows(zip(found.days, *found.counts.values(), strict=True))
    return out.getvalue()
