"""Door: files become knowledge together, all of them or none: shown, agreed to, done by the worker, and undone.

Rows are the queue: of each community one import is under way, the others wait for it. Every step of it is a transaction
of its own, so whoever is killed in the middle loses one, and what answers cite changes with the last.
"""

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from memory import importing, passages, policy, staging
from memory.knowledge import storable
from memory.models import Import, ImportState, Sheet, Swap
from memory.staging import Changed
from profiles.access import EDITORS, NOBODY, Frozen, Reader, operator_in, reader_for, scoped
from profiles.models import Space

log = logging.getLogger(__name__)
_UNREADABLE = "-"
"""In the place of a plan."""
UNDER_WAY = (ImportState.READING, ImportState.QUEUED, ImportState.UNDOING)


class Refused(Exception):
    """It can't be undone; the text says why."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How much is ready: files and passages, of all; and whether another import comes first."""

    files: int
    all_files: int
    passages: int
    all_passages: int
    waits: bool


def begin(reader: Reader, space: Space | None, *, commanded: bool = False) -> Import:
    """An import without files yet; what its asker had shown before makes way. In the unit of work of an editor."""
    whose = {"community_id": reader.community, "asked_by_id": _person(reader)}
    if not commanded:
        Import.objects.filter(state__in=(ImportState.READING, ImportState.SHOWN), **whose).delete()
    return Import.objects.create(
        space=space, state=ImportState.COMMANDED if commanded else ImportState.READING, queued_at=timezone.now(),
        language=get_language() or "", **whose,
    )  # fmt: skip


def add(row: Import, name: str, text: str) -> Sheet:
    """One more file, not read yet. In the unit of work of an editor."""
    return Sheet.objects.create(
        part_of=row, community_id=row.community_id, space_id=row.space_id, name=name, text=storable(text),
        key=importing.key_of(name, row.space),
    )  # fmt: skip


def show(reader: Reader, row: Import) -> None:
    """All files are read, and what they would change waits for a decision; raises `Unreadable` with all that is wrong.

    The worker does the same file by file. In the unit of work of an editor.
    """
    problems: list[str] = []
    for sheet in row.sheets.order_by("key").iterator(1):
        try:
            _look(reader, sheet)
        except passages.Unreadable as problem:
            problems += problem.problems
    if problems:
        raise passages.Unreadable(*problems)
    if row.state == ImportState.READING:
        row.state = ImportState.SHOWN
        row.save(update_fields=["state"])


def agree(reader: Reader, wanted: uuid.UUID, plan: str, take: Collection[uuid.UUID]) -> bool:
    """What was shown is to be done, in the name of who agrees; False where it waits for no decision, or for one on
    another plan than `plan`, the digest of what was seen.

    In the unit of work of an editor.
    `take`: the corrected passages that follow the file after all; the others are kept, and are no conflict again until
    the file changes.
    """
    row = Import.objects.select_for_update().filter(id=wanted, state=ImportState.SHOWN).first()
    if row is None or row.plan != plan:
        return False
    row.state, row.asked_by_id, row.take = ImportState.QUEUED, _person(reader), list(take)
    row.queued_at, row.changed, row.attempts = timezone.now(), False, 0
    row.save()
    return True


def cancel(reader: Reader, wanted: uuid.UUID) -> bool:
    """It is not done after all; False where it is too late. In the unit of work of an editor."""
    row = Import.objects.select_for_update().filter(id=wanted).first()
    if row is None or row.state not in (ImportState.READING, ImportState.SHOWN, ImportState.QUEUED):
        return False
    _stop(row, ImportState.CANCELLED)
    return True


def undo(reader: Reader, wanted: uuid.UUID) -> bool:
    """What it did is to be undone; False where there is nothing. Raises `Refused`. In the unit of work of an editor."""
    row = Import.objects.select_for_update().filter(id=wanted, state=ImportState.DONE).first()
    if row is None:
        return False
    if row.ended_at is None or row.ended_at < timezone.now() - timedelta(days=policy.UNDO_DAYS):
        raise Refused(_("It was imported more than %(days)d days ago.") % {"days": policy.UNDO_DAYS})
    if problem := _overtaken(row):
        raise Refused(problem)
    row.state, row.undone_by_id = ImportState.UNDOING, _person(reader)
    row.queued_at, row.attempts = timezone.now(), 0
    row.save()
    return True


def _overtaken(row: Import) -> str:
    """Why it can't be undone any more: a later import of one of its files; "": it can."""
    keys = list(staging.touched(row.sheets.all()).values_list("key", flat=True))
    later = Sheet.objects.filter(
        community_id=row.community_id, key__in=keys, part_of__ended_at__gt=row.ended_at,
        part_of__state__in=(ImportState.DONE, ImportState.UNDOING),
    )  # fmt: skip
    sheet = staging.touched(later).first()
    return _("A later import has changed %(key)s; undo that one first.") % {"key": sheet.key} if sheet else ""


def progress(row: Import) -> Progress:
    """How far one is that is under way. Inside the unit of work of staff."""
    ready = ~Q(plan="") if row.state == ImportState.READING else Q(staged_at__isnull=False)
    found = row.sheets.aggregate(
        files=Count("id", filter=ready), all_files=Count("id"), ready=Sum("passages", filter=ready), all=Sum("passages")
    )
    ahead = Import.objects.filter(state__in=UNDER_WAY, queued_at__lt=row.queued_at)
    return Progress(found["files"], found["all_files"], found["ready"] or 0, found["all"] or 0, ahead.exists())


def at_once(reader: Reader, row: Import) -> None:
    """A small one is done while its page waits, unless others come first. In the unit of work of an editor."""
    known = progress(row)
    if not known.waits and known.all_passages <= policy.IMPORT_AT_ONCE:
        while go_on(reader, row.id):
            pass


def work() -> bool:
    """One step of the next import of each community; whether any was done."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT import, person, community, slug, space FROM kith_imports()")
        rows: list[tuple[uuid.UUID, uuid.UUID | None, uuid.UUID, str, uuid.UUID | None]] = cursor.fetchall()
    count = 0
    for wanted, person, community, slug, space in rows:
        reader = reader_for(person, slug) if person else None
        try:
            if reader is None or reader.role not in EDITORS or (space and space not in reader.spaces):
                _abandon(operator_in(community, slug), wanted)
            else:
                count += go_on(reader, wanted)
        except Frozen:
            log.info("import %s: whoever asked for it is being erased", wanted)
    return bool(count)


def go_on(reader: Reader, wanted: uuid.UUID) -> bool:
    """Its next step; False where there is none, somebody else is at it, or it failed and waits for another attempt."""
    with scoped(reader):
        row = _claimed(wanted)
        if row is None:
            return False
        if row.attempts >= policy.IMPORT_ATTEMPTS:
            _give_up(row)
            return True
        Import.objects.filter(id=wanted).update(attempts=F("attempts") + 1)
    try:
        with scoped(reader):
            row = _claimed(wanted)
            if row is None:
                return False
            row.attempts = 0
            _step(reader, row)
            Import.objects.filter(id=wanted).update(attempts=0)
    except Changed:
        with scoped(reader):
            _read_again(Import.objects.select_for_update().get(id=wanted), ImportState.READING)
    except Frozen:
        raise
    except Exception:
        log.exception("a step of import %s failed", wanted)
        return False
    return True


def run(reader: Reader, row: Import, tell: Callable[[int, Sheet], None]) -> None:
    """All steps of one that a command has begun, one after the other; raises `Changed`. `tell` hears of each file."""
    try:
        for attempt in range(policy.IMPORT_ATTEMPTS):
            try:
                with scoped(reader):
                    ids = list(row.sheets.order_by("key").values_list("id", flat=True))
                for number, sheet in enumerate(ids, 1):
                    with scoped(reader):
                        found = Sheet.objects.get(id=sheet)
                        staging.lay(reader, row, found)
                    tell(number, found)
                with scoped(reader):
                    staging.put(reader, row)
                return
            except Changed:
                if attempt == policy.IMPORT_ATTEMPTS - 1:
                    raise
                with scoped(reader):
                    _read_again(row, ImportState.COMMANDED)
                    show(reader, row)
    except BaseException:
        with scoped(reader):
            _stop(row, ImportState.FAILED)
        raise


def newest(reader: Reader, before: tuple[datetime, uuid.UUID] | None) -> QuerySet[Import]:
    """A page of imports, the last first, with the sums of their files. Inside the unit of work of staff."""
    rows = Import.objects.filter(community_id=reader.community)
    if before:
        rows = rows.filter(Q(asked_at__lt=before[0]) | Q(asked_at=before[0], id__lt=before[1]))
    return counted(rows).order_by("-asked_at", "-id")[: policy.IMPORTS_SHOWN]


def counted(rows: QuerySet[Import]) -> QuerySet[Import]:
    """With the number of their files, and the passages that were added, updated, removed, unchanged and kept."""
    sums = {name: Sum(f"sheets__{name}") for name in staging.COUNTS}
    return rows.select_related("asked_by", "undone_by", "space").annotate(files=Count("sheets"), **sums)


def let_go(now: datetime) -> None:
    """What nobody has decided on goes, and what it would take to undo old ones. In the unit of work of an editor."""
    waiting = Import.objects.filter(state__in=(ImportState.READING, ImportState.SHOWN, ImportState.COMMANDED))
    waiting.filter(asked_at__lt=now - timedelta(hours=policy.IMPORT_HOURS)).delete()
    Swap.objects.filter(part_of__ended_at__lt=now - timedelta(days=policy.UNDO_DAYS)).delete()


def _person(reader: Reader) -> uuid.UUID | None:
    """None: the operator."""
    return None if reader.person == NOBODY else reader.person


def _claimed(wanted: uuid.UUID) -> Import | None:
    """Locked by who is at it, until the end of the step; a worker that dies lets go of it at once."""
    rows = Import.objects.select_for_update(skip_locked=True, of=("self",))
    return rows.filter(id=wanted, state__in=UNDER_WAY).first()


def _step(reader: Reader, row: Import) -> None:
    if row.state == ImportState.UNDOING:
        with override(row.language or settings.LANGUAGE_CODE):
            problem = _overtaken(row)  # by one that was queued before
        if problem:
            row.state, row.problems = ImportState.DONE, [problem]
            row.save()
        else:
            staging.back(reader, row)
        return
    if row.state == ImportState.READING:
        _read_on(reader, row)
        return
    sheet = row.sheets.filter(staged_at=None).order_by("key").first()
    if sheet is not None:
        staging.lay(reader, row, sheet)
    else:
        staging.put(reader, row)


def _read_on(reader: Reader, row: Import) -> None:
    """The next file; after the last one, what is wrong with any, or what all of them would change."""
    sheet = row.sheets.filter(plan="").order_by("key").first()
    if sheet is None:
        if row.problems:
            _stop(row, ImportState.FAILED)
        else:
            row.state = ImportState.SHOWN
            row.save()
        return
    try:
        with override(row.language or settings.LANGUAGE_CODE):
            _look(reader, sheet)
    except passages.Unreadable as problem:
        row.problems = [*row.problems, *problem.problems]
        row.save()
        row.sheets.filter(id=sheet.id).update(plan=_UNREADABLE)


def _look(reader: Reader, sheet: Sheet) -> None:
    """What one file would change, in numbers; raises `Unreadable`."""
    steps = staging.read(reader, sheet)
    staging.count(sheet, Counter(step.how for step in steps))
    sheet.plan = importing.digest(steps)
    sheet.passages = sum(step.piece is not None for step in steps)
    sheet.save(update_fields=[*staging.COUNTS, "plan", "passages"])


def _read_again(row: Import, state: ImportState) -> None:
    """What it would do now is to be looked at anew."""
    row.swaps.all().delete()
    row.sheets.update(plan="", staged_at=None)
    row.state, row.changed, row.take = state, True, None
    row.save()


def _stop(row: Import, state: ImportState) -> None:
    """Nothing of it is kept but the names of its files."""
    row.swaps.all().delete()
    row.sheets.update(text="", **dict.fromkeys(staging.COUNTS, 0))
    row.state, row.ended_at = state, timezone.now()
    row.save()


def _give_up(row: Import) -> None:
    """An undo that can't be done leaves the import done."""
    if row.state != ImportState.UNDOING:
        _stop(row, ImportState.FAILED)
        return
    row.state, row.undone_by, row.attempts = ImportState.DONE, None, 0
    row.save()


def _abandon(operator: Reader, wanted: uuid.UUID) -> None:
    """Whoever asked for it may not any more."""
    with scoped(operator):
        row = _claimed(wanted)
        if row is not None and row.state != ImportState.UNDOING:
            _stop(row, ImportState.CANCELLED)
        elif row is not None:
            _give_up(row)
