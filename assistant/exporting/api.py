"""REST: the export of everything about the member who asks."""

import uuid
from typing import Any

from django.http import FileResponse, HttpRequest
from ninja import Router

from assistant.exporting import asking
from memory.shapes import iso
from profiles.access import Reader, scoped
from profiles.models import Export, ExportState
from profiles.rest import Id, Moment, Problem, Reply, example, missing, reader_of

router = Router(tags=["exports"])


class ExportSeen(Reply):
    """How far it is, in per cent, and where the file is once it is ready."""

    model_config = example(
        id="5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f0a", state="running", progress=40, asked_at="2026-03-01T09:30:00+08:00",
        expires_at=None, url=None,
    )  # fmt: skip

    id: Id
    state: ExportState
    progress: int
    asked_at: Moment
    expires_at: Moment | None
    url: str | None


ZIPPED = {"responses": {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}}


@router.post("/exports", response=ExportSeen)
def ask(request: HttpRequest) -> dict[str, Any]:
    """Ask for it; it is made in the background. One that is under way is given again."""
    reader = reader_of(request)
    with scoped(reader):
        return shown(asking.ask(reader))


@router.get("/exports/{export}", response=ExportSeen)
def one(request: HttpRequest, export: uuid.UUID) -> dict[str, Any]:
    """How far it is; `url` once its `state` is `ready`, until `expires_at`."""
    reader = reader_of(request)
    with scoped(reader):
        return shown(_own(reader, export))


@router.get("/exports/{export}/file", openapi_extra=ZIPPED)
def the_file(request: HttpRequest, export: uuid.UUID) -> FileResponse:
    """The zip, for the member alone."""
    reader = reader_of(request)
    with scoped(reader):
        row = _own(reader, export)
    if row.state != ExportState.READY:
        raise Problem(409, "conflict", "it is not ready")
    try:
        content = asking.file(row).open("rb")
    except FileNotFoundError:  # a backup has brought the row back, and no file
        raise missing("file") from None
    name = f"kith-{reader.slug}-{row.ended_at:%Y-%m-%d}.zip"
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/zip")


def shown(row: Export) -> dict[str, Any]:
    """State, per cents, and where the file is."""
    url = f"/api/v1/exports/{row.id}/file" if row.state == ExportState.READY else None
    return {"id": str(row.id), "state": row.state, "progress": row.progress, "asked_at": iso(row.asked_at),
            "expires_at": iso(row.expires_at), "url": url}  # fmt: skip


def _own(reader: Reader, export: uuid.UUID) -> Export:
    row = asking.current(reader)
    if row is None or row.id != export:
        raise missing("export")
    return row
