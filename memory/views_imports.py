"""Files that become knowledge: what they would change, how far they are, what came of them, and the way back."""

import uuid
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory import bringing, importing, paging, passages, policy, staging
from memory.importing import How, Step
from memory.models import Import, ImportState, Sheet
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
    row, size = bringing.begin(reader, space), 0
    for file in files:
        try:
            text = _text(str(file.name), file)
        except passages.Unreadable as problem:
            problems += problem.problems
            continue
        bringing.add(row, str(file.name), text)
        size += len(text)
    try:
        if size <= policy.IMPORT_READ_AT_ONCE:
            bringing.show(reader, row)
    except passages.Unreadable as problem:
        problems += problem.problems
    if problems:
        row.delete()
        return _unread(request, problems)
    return _shown(request, row.id)


@require_safe
@for_staff
def one(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """One import as it stands; the page asks again while it is under way."""
    return _shown(request, brought)


@require_safe
@for_staff
def sheet(request: AskedBy, brought: uuid.UUID, sheet: uuid.UUID) -> HttpResponse:
    """What would come of one file that waits for a decision."""
    row = _found(brought)
    file = row.sheets.filter(id=sheet).first()
    if file is None or row.state != ImportState.SHOWN:
        raise Http404
    context = {"row": row, "may": request.reader.role in EDITORS, "sheets": [_sheet(request.reader, file, 1)]}
    return render(request, "staff/_sheets.html" if _part(request) else PAGE, context)


@require_POST
@for_editors
def agree(request: AskedBy, brought: uuid.UUID) -> HttpResponse:
    """What was shown is to be done, with what is ticked; a small one is done at once."""
    row = _found(brought)
    if bringing.agree(request.reader, brought, request.POST.get("plan", ""), paging.ids(request.POST.getlist("take"))):
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


def _context(reader: Reader, brought: uuid.UUID) -> dict[str, Any]:
    row = _found(brought)
    files = list(row.sheets.defer("text").order_by("key"))
    going = row.state in bringing.UNDER_WAY
    return {
        "row": row, "files": files, "under_way": going, "progress": bringing.progress(row) if going else None,
        "sheets": _sheets(reader, files) if row.state == ImportState.SHOWN else [], "may": reader.role in EDITORS,
        "undoable": row.state == ImportState.DONE and row.swaps.exists(),
    }  # fmt: skip


def _sheets(reader: Reader, files: list[Sheet]) -> list[dict[str, Any]]:
    """What would come of each file; of many passages at first in numbers alone."""
    if sum(file.passages for file in files) > policy.IMPORT_SHOWN_AT_ONCE:
        return [_numbers(file) for file in files]
    return [_sheet(reader, file, len(files)) for file in files]


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


def _numbers(sheet: Sheet) -> dict[str, Any]:
    counts = {How.ADDED: sheet.added, How.UPDATED: sheet.updated, How.REMOVED: sheet.removed, How.CONFLICT: sheet.kept,
              How.UNCHANGED: sheet.unchanged}  # fmt: skip
    return {"id": sheet.id, "key": sheet.key, "counts": [(str(how), count) for how, count in counts.items()]}


def _sheet(reader: Reader, sheet: Sheet, files: int) -> dict[str, Any]:
    """What would change, first where somebody has to decide; of the rest, of several files, each has its share."""
    order = list(How)
    changed = [step for step in staging.read(reader, sheet) if step.how != How.UNCHANGED]
    changed.sort(key=lambda step: (step.how != How.CONFLICT, order.index(step.how)))
    conflicts = sum(step.how == How.CONFLICT for step in changed)
    most = max(policy.IMPORT_SHOWN // files, min(conflicts, policy.IMPORT_SHOWN))
    return _numbers(sheet) | {"read": True, "steps": [_step(step) for step in changed[:most]],
                              "more": max(0, len(changed) - most)}  # fmt: skip


def _step(step: Step) -> dict[str, Any]:
    now, then = step.passage, step.piece
    words = difference(now.text if now else "", then.text if then else "")
    title = then.title if then else now.title if now else ""
    return {"how": str(step.how), "title": pieces(title), "pieces": words, "passage": now and str(now.id),
            "verified_by": now.verified_by if now else ""}  # fmt: skip
