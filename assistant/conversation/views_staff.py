"""`/staff/questions/`: what members have asked a person, the longest waiting first, answered where it was asked."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from assistant.conversation import handoff
from memory import paging, policy
from memory.passages import TITLE
from memory.visible import pieces
from profiles.access import EDITORS, AskedBy, for_editors, for_staff


@require_safe
@for_staff
def questions(request: AskedBy) -> HttpResponse:
    """Those that wait."""
    return _page(request, "staff/questions.html")


@require_POST
@for_editors
def answer(request: AskedBy, conversation: uuid.UUID) -> HttpResponse:
    """Said in the member's conversation; ticked, it becomes shared knowledge under the title."""
    text = request.POST.get("text", "").strip().replace("\r\n", "\n")
    title = " ".join(request.POST.get("title", "").split()) if request.POST.get("share") else ""
    yours = {"conversation": str(conversation), "text": text, "title": request.POST.get("title", "")}
    if not text or len(text) > policy.ANSWER_BY_HAND:
        problem = _("It needs a text, of at most %(most)d characters.") % {"most": policy.ANSWER_BY_HAND}
        return _page(request, problem=problem, yours=yours, status=422)
    if request.POST.get("share") and not 0 < len(title) <= TITLE:
        problem = _("Shared knowledge needs a title, of at most %(most)d characters.") % {"most": TITLE}
        return _page(request, problem=problem, yours=yours, status=422)
    if not handoff.answer(request.reader, conversation, text, title=title):
        return _late(request, text)
    return _page(request, told=_("Answered and shared.") if title else _("Answered."))


@require_POST
@for_editors
def close(request: AskedBy, conversation: uuid.UUID) -> HttpResponse:
    """Without an answer."""
    if not handoff.close(request.reader, conversation):
        return _late(request, "")
    return _page(request, told=_("Closed without an answer."))


def _late(request: AskedBy, text: str) -> HttpResponse:
    """Somebody was faster, or the member waits no longer; no word is lost."""
    return _page(request, problem=_("It waits no longer."), lost=text, status=409)


def _page(request: AskedBy, template: str = "staff/_questions.html", *, status: int = 200, **more: Any) -> HttpResponse:
    found, count, leaf = handoff.page(request.reader, paging.number(request.GET.get("page", "")))
    items = [
        {"conversation": str(one.conversation), "name": one.name, "since": one.since, "first": one.words[0],
         "words": [pieces(words) for words in one.words]}
        for one in found
    ]  # fmt: skip
    context = {"items": items, "count": count, "leaf": leaf,
               "may": request.reader.role in EDITORS, **more}  # fmt: skip
    return render(request, template, context, status=status)
