"""`/staff/recurring/`: what several members have asked in the same words or others, to be answered once for all."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import paging, policy, recurring
from memory.passages import TITLE
from memory.visible import pieces
from profiles.access import EDITORS, AskedBy, for_editors, for_staff


@require_safe
@for_staff
def proposals(request: AskedBy) -> HttpResponse:
    """Those that wait, oldest first: the wordings and how many asked, never who."""
    return _page(request, "staff/recurring.html")


@require_POST
@for_editors
def answer(request: AskedBy, proposal: uuid.UUID) -> HttpResponse:
    """The answer becomes shared knowledge under its title."""
    title, text = " ".join(request.POST.get("title", "").split()), request.POST.get("text", "").strip()
    text = text.replace("\r\n", "\n")
    if not (0 < len(title) <= TITLE and 0 < len(text) <= policy.ANSWER_BY_HAND):
        said = {"title": TITLE, "text": policy.ANSWER_BY_HAND}
        problem = _("It needs a title, of at most %(title)d characters, and a text, of at most %(text)d.") % said
        yours = {"id": str(proposal), "title": title, "text": text}
        return _page(request, problem=problem, yours=yours, status=422)
    if not recurring.answer(request.reader, proposal, title, text):
        return _page(request, problem=_("It waits no longer."), lost=text, status=409)
    return _page(request, told=_("Answered and shared."))


@require_POST
@for_editors
def dismiss(request: AskedBy, proposal: uuid.UUID) -> HttpResponse:
    """Not worth an answer for all."""
    if not recurring.dismiss(request.reader, proposal):
        return _page(request, problem=_("It waits no longer."), status=409)
    return _page(request, told=_("Left without an answer."))


def _page(request: AskedBy, template: str = "staff/_recurring.html", *, status: int = 200, **more: Any) -> HttpResponse:
    found, count, leaf = recurring.page(paging.number(request.GET.get("page", "")))
    items = [{"id": str(one.id), "since": one.since, "members": one.members, "first": one.wordings[0],
              "wordings": [pieces(words) for words in one.wordings]} for one in found]  # fmt: skip
    context = {"items": items, "count": count, "leaf": leaf,
               "may": request.reader.role in EDITORS, **more}  # fmt: skip
    return render(request, template, context, status=status)
