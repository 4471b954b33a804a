"""Files that become knowledge: what they would change, how far they are, what came of them, and the way back."""

import uuid
from collections import Counter
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import bringing, importing, paging, passages, policy
from memory.importing import How, Step
from memory.models import Import, ImportState
from memory.visible import difference, pieces
from profiles.access import EDITORS, AskedBy, Reader, for_editors, for_staff
from profiles.models import Space

PART, PAGE = "staff/_import.html", "staff/import.html"
ENDINGS = frozenset({"md", "markdown", "txt", "html", "htm", "csv", "json"})


@require_POST
@for_editors
def bring(request: AskedBy) -> HttpResponse:
    """What the files that are sent would do; nothing is done yet. Every file is read, or all that is wrong is said."""
    reader, files = request.reader, request.FILES.getlist("files")
    space = Space.objects.filter(id__in=reader.spaces, slug=request.POST.get("space", "")).first()
    if problems := _problems(files, space):
        return _unread(request, problems)
    row, sheets = bringing.begin(reader, space), []
    for file in files:
        try:
            name = str(file.name)
            steps = bringing.add(reader, row, name, _text(name, file))
            sheets.append(_sheet(importing.key_of(name, space), steps, len(files)))
        except passages.Unreadable as problem:
            problems += problem.problems
    if problems:
        row.delete()
        return _unread(request, problems)
    return render(request, PART, _context(reader, row.id, sheets)) if _part(request) else redirect("import", row.id)


@require_safe
@for_staff
def one(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """One import as it stands; the page asks again while it is under way."""
    return _shown(request, brought)


@require_POST
@for_editors
def agree(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """What was shown is to be done, with what is ticked; a small one is done at once."""
    row = _found(brought)
    if bringing.agree(request.reader, brought, _uuids(request.POST.getlist("take"))):
        bringing.at_once(request.reader, _found(brought))
        row = _found(brought)
    return _shown(request, brought, status=409 if row.state == ImportState.SHOWN else 200)


@require_POST
@for_editors
def cancel(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """Nothing of it is done."""
    _found(brought)
    refused = "" if bringing.cancel(request.reader, brought) else _("It is too late to cancel it.")
    return _shown(request, brought, refused=refused, status=409 if refused else 200)


@require_POST
@for_editors
def undo(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """What it did is taken back; what people changed since stays."""
    _found(brought)
    try:
        if bringing.undo(request.reader, brought):
            bringing.at_once(request.reader, _found(brought))
    except bringing.Refused as problem:
        return _shown(request, brought, refused=str(problem), status=409)
    return _shown(request, brought)


def listed(reader: Reader, before: str) -> dict[str, Any]:
    """A page of imports for the room of knowledge, and the place where the next one begins."""
    rows = list(bringing.newest(reader, paging.place(before)))
    last = rows[-1] if len(rows) == policy.IMPORTS_SHOWN else None
    return {"imports": rows, "earlier": paging.key(last.asked_at, last.id) if last else ""}


def _unread(request: AskedBy, problems: list[str]) -> HttpResponse:
    return render(request, PART if _part(request) else PAGE, {"problems": problems}, status=422)


def _part(request: AskedBy) -> bool:
    """Whether a page asks for a part of itself; without scripts whole pages are asked for."""
    return bool(request.headers.get("HX-Request"))


def _shown(request: AskedBy, brought: uuid.UUID, *, refused: str = "", status: int = 200) -> HttpResponse:
    """A part of a page for who has asked for one, else a page; who sent a form without scripts is led to the page."""
    if request.method == "POST" and not refused and not _part(request):
        return redirect("import", brought)
    context = _context(request.reader, brought) | {"refused": refused}
    return render(request, PART if _part(request) else PAGE, context, status=status)


def _context(reader: Reader, brought: uuid.UUID, sheets: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    row = _found(brought)
    files = list(row.sheets.defer("text").order_by("key"))
    if row.state == ImportState.SHOWN and sheets is None:
        whole = row.sheets.order_by("key").iterator(1)
        sheets = [_sheet(sheet.key, bringing.steps(reader, sheet), len(files)) for sheet in whole]
    going = row.state in bringing.UNDER_WAY
    return {
        "row": row, "files": files, "sheets": sheets if row.state == ImportState.SHOWN else [], "under_way": going,
        "progress": bringing.progress(row) if going else None, "may": reader.role in EDITORS,
        "undoable": row.state == ImportState.DONE and row.swaps.exists(),
    }  # fmt: skip


def _found(brought: uuid.UUID) -> Import:
    row = bringing.counted(Import.objects.filter(id=brought)).first()
    if row is None:
        raise Http404
    return row


def _problems(files: "list[UploadedFile[Any]]", space: Space | None) -> list[str]:
    """What is wrong before any file is read."""
    if not files:
        return [_("Choose one file or several.")]
    if len(files) > policy.IMPORT_FILES:
        return [_("At most %(most)d files at once.") % {"most": policy.IMPORT_FILES}]
    if len({importing.key_of(str(file.name), space) for file in files}) < len(files):
        return [_("Two of the files have the same name, by which they are known later.")]
    return []


def _text(name: str, file: "UploadedFile[Any]") -> str:
    """What a file says that was sent; raises `Unreadable`."""
    said = {"name": name, "most": policy.IMPORT_LIMIT}
    if name.rpartition(".")[2].lower() not in ENDINGS:
        raise passages.Unreadable(_("%(name)s: only Markdown, text, HTML, CSV and JSON are read.") % said)
    too_long = passages.Unreadable(_("%(name)s is longer than %(most)d characters; cut it into several files.") % said)
    if (file.size or 0) > policy.IMPORT_BYTES:
        raise too_long
    text = passages.text_of(name, file.read())
    if len(text) > policy.IMPORT_LIMIT:
        raise too_long
    return text


def _sheet(key: str, steps: list[Step], files: int) -> dict[str, Any]:
    """What would change, first where somebody has to decide; of the rest, of several files, each has its share."""
    order = list(How)
    changed = [step for step in steps if step.how != How.UNCHANGED]
    changed.sort(key=lambda step: (step.how != How.CONFLICT, order.index(step.how)))
    counts = Counter(step.how for step in steps)
    most = max(policy.IMPORT_SHOWN // files, min(counts[How.CONFLICT], policy.IMPORT_SHOWN))
    return {"key": key, "counts": [(str(how), counts[how]) for how in How],
            "steps": [_step(step) for step in changed[:most]], "more": max(0, len(changed) - most)}  # fmt: skip


def _step(step: Step) -> dict[str, Any]:
    now, then = step.passage, step.piece
    words = difference(now.text if now else "", then.text if then else "")
    title = then.title if then else now.title if now else ""
    return {"how": str(step.how), "title": pieces(title), "pieces": words, "passage": now and str(now.id),
            "verified_by": now.verified_by if now else ""}  # fmt: skip


def _uuids(texts: list[str]) -> set[uuid.UUID]:
    """Those that are ids."""
    found = set()
    for text in texts:
        try:
            found.add(uuid.UUID(text))
        except ValueError:
            continue
    return found
