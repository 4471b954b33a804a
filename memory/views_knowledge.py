"""The knowledge room: what a community shares, found, written, edited, verified; files come in by `views_imports`."""

import uuid
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import knowledge, paging, passages, policy, views_imports
from memory.models import Document, Passage
from memory.retrieval.text import query_terms
from memory.visible import pieces
from profiles.access import EDITORS, AskedBy, Reader, for_editors, for_staff
from profiles.models import Space

Days = tuple[date | None, date | None]


@require_safe
@for_staff
def room(request: AskedBy) -> HttpResponse:
    """The documents; or, of one of them or with words to find, the passages."""
    reader, asked = request.reader, request.GET
    words, document = asked.get("q", "").strip(), _document(reader, asked.get("document", ""))
    context: dict[str, Any] = {"words": words, "document": document, "may": reader.role in EDITORS,
                               "spaces": Space.objects.filter(id__in=reader.spaces)}  # fmt: skip
    if words or document:
        rows, more = _passages(reader, words, document, asked.get("before", ""))
        context |= {"passages": [_shown(reader, row) for row in rows], "more": more}
    else:
        context |= _documents(reader, asked.get("after", "")) | views_imports.listed(reader, asked.get("imports", ""))
    return render(request, "staff/knowledge.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def one(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """One passage, or with `?edit` the form for it; posted: other words."""
    if request.method == "POST":
        if request.reader.role not in EDITORS:
            raise PermissionDenied
        return _edit(request, passage)
    row = Passage.objects.select_related("document").filter(id=passage).first()
    if row is None:
        raise Http404
    form = request.reader.role in EDITORS and "edit" in request.GET
    context = {"passage": _shown(request.reader, row), "form": form, "keepers": _keepers(request.reader, row)}
    return render(request, "staff/_passage.html", context)


def _edit(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """Where somebody was faster both texts are shown and nothing is lost."""
    (title, text), days, keeper = _words(request), _days(request), request.POST.get("kept_by", "")

    def change(row: Passage) -> None:
        knowledge.edit(request.reader, row, title, text)
        knowledge.arrange(request.reader, row, *days, keeper)

    if problem := _problem(title, text) or _wrong(request, passage, days, keeper):
        row = Passage.objects.filter(id=passage).first()
        if row is None:
            raise Http404
        yours = {"title": title, "text": text, "valid_from": days[0], "valid_to": days[1]}
        context = {"passage": _shown(request.reader, row), "form": True, "problem": problem, "yours": yours,
                   "keepers": _keepers(request.reader, row)}  # fmt: skip
        return render(request, "staff/_passage.html", context, status=422)
    return _changed(request, passage, change, title=title, text=text, valid_from=days[0], valid_to=days[1])


@require_POST
@for_editors
def verify(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """Vouch for it as it was read, or (`right` empty) no longer."""
    right = bool(request.POST.get("right"))
    return _changed(request, passage, lambda row: knowledge.verify(request.reader, row, right=right))


@require_POST
@for_editors
def remove(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """It is gone, as it was read; an undo stands in its place."""
    return _changed(request, passage, lambda row: knowledge.remove(request.reader, row))


@require_POST
@for_editors
def restore(request: AskedBy, passage: uuid.UUID) -> HttpResponse:
    """Back, as it was removed."""
    row = knowledge.restore(request.reader, passage)
    if row is None:
        raise Http404
    return render(request, "staff/_passage.html", {"passage": _shown(request.reader, row)})


@require_POST
@for_editors
def write(request: AskedBy) -> HttpResponse:
    """A new passage, by hand; its writer vouches for it."""
    title, text = _words(request)
    if problem := _problem(title, text):
        return render(request, "staff/_write.html", {"problem": problem, "title": title, "text": text}, status=422)
    row = knowledge.write(request.reader, title, text)
    return render(request, "staff/_write.html", {"written": _shown(request.reader, row)})


def _changed(request: AskedBy, passage: uuid.UUID, change: Callable[[Passage], None], **yours: Any) -> HttpResponse:
    """The passage after a change of what was read; where somebody was faster, as it is now."""
    try:
        row = knowledge.one(passage, _moment(request.POST.get("at", "")))
    except knowledge.Stale as stale:
        problem = _("It was changed meanwhile. It says now what stands above; your words are kept below.")
        problem = problem if yours else _("It was changed meanwhile. Look at what it says now.")
        context = {"passage": _shown(request.reader, stale.current), "form": bool(yours), "problem": problem,
                   "yours": yours, "keepers": _keepers(request.reader, stale.current)}  # fmt: skip
        return render(request, "staff/_passage.html", context, status=409)
    if row is None:
        raise Http404
    change(row)
    there = row.removed_at is None
    context = {"passage": _shown(request.reader, row) if there else None, "removed": row.id}
    return render(request, "staff/_passage.html", context)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _words(request: AskedBy) -> tuple[str, str]:
    return " ".join(request.POST.get("title", "").split()), request.POST.get("text", "").strip().replace("\r\n", "\n")


def _problem(title: str, text: str) -> str:
    if title and text and len(title) <= passages.TITLE and len(text) <= policy.ANSWER_BY_HAND:
        return ""
    said = {"title": passages.TITLE, "text": policy.ANSWER_BY_HAND}
    return _("It needs a title, of at most %(title)d characters, and a text, of at most %(text)d.") % said


def _days(request: AskedBy) -> Days:
    """The first and the last day on which it holds; what is no date counts as none."""
    return _day(request.POST.get("valid_from", "")), _day(request.POST.get("valid_to", ""))


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _wrong(request: AskedBy, passage: uuid.UUID, days: Days, keeper: str) -> str:
    since, until = days
    if since and until and until < since:
        return _("The last valid day lies before the first.")
    row = Passage.objects.filter(id=passage).first()
    if keeper and row is not None and keeper not in _keepers(request.reader, row):
        return _("Only moderators and admins look after what is shared.")
    return ""


def _keepers(reader: Reader, row: Passage) -> list[str]:
    """Who can be chosen, and whoever it is now."""
    found = knowledge.keepers(reader)
    return found if not row.kept_by or row.kept_by in found else [row.kept_by, *found]


def _document(reader: Reader, text: str) -> Document | None:
    found = paging.ids([text])
    return Document.objects.filter(community_id=reader.community, id__in=found).first() if found else None


def _documents(reader: Reader, after: str) -> dict[str, Any]:
    rows = Document.objects.filter(community_id=reader.community, key__gt=after).select_related("space")
    there = Q(passages__removed_at=None)
    sure = there & ~Q(passages__verified_by="")
    counted = rows.annotate(all=Count("passages", filter=there), sure=Count("passages", filter=sure))
    found = list(counted.filter(all__gt=0).order_by("key")[: policy.FIND_PAGE])
    return {"documents": found, "later": found[-1].key if len(found) == policy.FIND_PAGE else ""}


def _passages(reader: Reader, words: str, document: Document | None, before: str) -> tuple[list[Passage], str]:
    """A page of them, the last changed first, and the place where the next one begins."""
    rows: QuerySet[Passage] = Passage.objects.filter(community_id=reader.community).select_related("document")
    if document:
        rows = rows.filter(document=document)
    if words:
        literal = Q(title__icontains=words) | Q(text__icontains=words)
        terms = query_terms(words)
        rows = rows.filter(literal | Q(terms__contains=terms)) if terms else rows.filter(literal)
    if place := paging.place(before):
        rows = rows.filter(Q(updated_at__lt=place[0]) | Q(updated_at=place[0], id__lt=place[1]))
    found = list(rows.order_by("-updated_at", "-id")[: policy.REVIEW_PAGE])
    last = found[-1] if len(found) == policy.REVIEW_PAGE else None
    return found, paging.key(last.updated_at, last.id) if last else ""


def _shown(reader: Reader, row: Passage) -> dict[str, Any]:
    at: datetime = row.updated_at
    return {
        "id": str(row.id), "title": row.title, "heading": pieces(row.title), "text": row.text,
        "pieces": pieces(row.text), "document": row.document, "verified_by": row.verified_by, "by_hand": row.by_hand,
        "kept_by": row.kept_by, "valid_from": row.valid_from, "valid_to": row.valid_to,
        "holds": row.holds(reader.today), "updated_at": at, "at": at.isoformat(), "may": reader.role in EDITORS,
    }  # fmt: skip
