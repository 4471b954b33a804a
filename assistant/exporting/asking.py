"""Door: an export asked for by its member, made in the background, fetched for some days, and then gone."""

import logging
import uuid
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import get_language, override

from assistant.exporting import writing
from memory import audit, policy
from profiles.access import Frozen, Reader, reader_for, scoped
from profiles.models import Export, ExportState

log = logging.getLogger(__name__)


def ask(reader: Reader) -> Export:
    """One at a time: what waits is given again, a finished one makes way. Inside the reader's unit of work."""
    known = Export.objects.select_for_update().filter(owner_id=reader.member).first()
    if known is not None and known.state in (ExportState.QUEUED, ExportState.RUNNING):
        return known
    if known is not None:
        known.delete()
    audit.write(reader, "export asked", None, reader.member)
    whose = {"owner_id": reader.member, "community_id": reader.community}
    return Export.objects.create(language=get_language() or settings.LANGUAGE_CODE, **whose)


def current(reader: Reader) -> Export | None:
    """The member's, whatever its state; None where it has expired. Inside the reader's unit of work."""
    lasting = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return Export.objects.filter(lasting, owner_id=reader.member).first()


def file(export: Export) -> Path:
    """Where its file lies; the membership's id stands in the name, by which an erasure finds it."""
    return Path(settings.EXPORT_DIR) / f"{export.owner_id}.{export.id}.zip"


def files(member: uuid.UUID) -> list[Path]:
    """All that bear the member's id, unfinished ones too."""
    return sorted(Path(settings.EXPORT_DIR).glob(f"{member}.*"))


def work() -> int:
    """Make what waits, delete what has expired or belongs to nobody any more. Returns how many were made."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT export, person, community FROM kith_exports()")
        rows: list[tuple[uuid.UUID, uuid.UUID, str]] = cursor.fetchall()
    made = 0
    for export, person, community in rows:
        reader = reader_for(person, community)
        if reader is None:
            continue
        try:
            made += _turn(reader, export)
        except Frozen:
            log.info("export %s: its member is being erased", export)
    _tidy()
    return made


def _turn(reader: Reader, export: uuid.UUID) -> bool:
    """What is to be done for this one now; whether it was made."""
    now = timezone.now()
    with scoped(reader):
        rows = Export.objects.filter(id=export, owner_id=reader.member)
        if rows.filter(expires_at__lte=now).delete()[0]:
            return False
        lost = Q(state=ExportState.RUNNING, started_at__lt=now - timedelta(seconds=policy.EXPORT_SECONDS))
        waits = rows.filter(Q(state=ExportState.QUEUED) | lost)
        claim = {"state": ExportState.RUNNING, "started_at": now, "attempts": F("attempts") + 1, "progress": 0}
        if not waits.update(**claim):
            return False
        row = rows.get()
    try:
        _make(reader, row)
    except Frozen:
        raise
    except Exception:
        log.exception("export %s failed", export)
        state = ExportState.QUEUED if row.attempts < policy.EXPORT_ATTEMPTS else ExportState.FAILED
        with scoped(reader):
            rows.update(state=state)
        return False
    return True


def _make(reader: Reader, row: Export) -> None:
    """The file is there, whole, when the row says so; it is written while no erasure of the member can begin."""

    def tell(done: int) -> None:
        with scoped(reader):
            Export.objects.filter(id=row.id).update(progress=min(done, 99))

    found = writing.gather(reader, tell)
    path = file(row)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with scoped(reader), override(row.language):
        fresh.unlink(missing_ok=True)
        writing.write(fresh, {reader.slug: found})
        fresh.replace(path)
        now = timezone.now()
        Export.objects.filter(id=row.id).update(
            state=ExportState.READY, progress=100, ended_at=now, expires_at=now + timedelta(days=policy.EXPORT_DAYS)
        )


def _tidy() -> None:
    """Files without a row: the export was asked for anew, has expired, or the membership has ended."""
    there = list(Path(settings.EXPORT_DIR).glob("*.*"))  # first the files: a row is there before its file
    with connection.cursor() as cursor:
        cursor.execute("SELECT export FROM kith_exports()")
        known = {str(export) for (export,) in cursor.fetchall()}
    for path in there:
        if path.name.split(".")[1] not in known:
            path.unlink(missing_ok=True)
