"""Shared knowledge from files: Markdown, HTML and text, or questions with answers as CSV or JSON."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import tasks
from assistant.management import whom
from memory import bringing, passages, policy
from memory.models import Sheet
from memory.staging import Changed
from profiles.access import Reader, scoped
from profiles.models import Space


class Command(BaseCommand):
    help = (
        "Import shared knowledge: Markdown, HTML and text, or question–answer pairs as CSV or JSON. The same file "
        "again updates in place: unchanged passages keep their id, those that are gone are removed, and those that "
        "somebody corrected by hand are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"documents": [{"key", "added", "updated", "unchanged", "removed", "kept"}], "partial": bool}`."""
        parser.add_argument("files", nargs="+", metavar="FILE", help=".md, .html, .txt, .csv or .json")
        parser.add_argument("--community", required=True, metavar="SLUG", help="whose knowledge it becomes")
        parser.add_argument("--space", metavar="SLUG", help="only for the people of this space")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """All files are read before anything is kept; then all of them become knowledge, or none."""
        reader = whom.operator(options["community"])
        files = [Path(file) for file in options["files"]]
        if len({file.name for file in files}) < len(files):
            raise CommandError("Two of the files have the same name, by which they are known later.")
        read = [(file.name, *_read(file)) for file in files]
        with scoped(reader):
            space = _space(reader, options["space"])
            brought = bringing.begin(reader, space, commanded=True)
            for name, text, _ in read:
                bringing.add(brought, name, text)
            bringing.show(reader, brought)

        def tell(number: int, sheet: Sheet) -> None:
            whom.progress(self, number, len(read), f"{sheet.name}: {sheet.passages} passages")

        try:
            bringing.run(reader, brought, tell)
        except Changed as problem:
            raise CommandError("The knowledge was changed meanwhile. Nothing was imported.") from problem
        with scoped(reader):
            done = {sheet.name: sheet for sheet in brought.sheets.defer("text")}
        made = sum(iter(tasks.embed, 0))
        rows = [{"key": one.key, "added": one.added, "updated": one.updated, "unchanged": one.unchanged,
                 "removed": one.removed, "kept": one.kept} for one in (done[name] for name, _, _ in read)]  # fmt: skip
        partial = any(cut for _, _, cut in read)
        if options["json"]:
            self.stdout.write(json.dumps({"documents": rows, "partial": partial, "vectors": made}, ensure_ascii=False))
            return
        for row in rows:
            self.stdout.write(
                f"{row['key']}: {row['added']} added, {row['updated']} updated, {row['unchanged']} unchanged, "
                f"{row['removed']} removed, {row['kept']} kept as corrected by hand"
            )
        if partial:
            self.stdout.write(f"partial: no more than {policy.IMPORT_LIMIT} characters of a file are read")


def _read(file: Path) -> tuple[str, bool]:
    """What it says, as far as it is read, and whether that is all but a part; a file of another shape is refused."""
    try:
        raw = file.read_bytes()
    except OSError as problem:
        raise CommandError(f"{file} can't be read: {problem.strerror}.") from problem
    try:
        text = passages.text_of(file.name, raw)
    except passages.Unreadable as problem:
        raise CommandError(str(problem)) from problem
    cut = len(text) > policy.IMPORT_LIMIT
    if cut and file.suffix.lower() == ".json":
        raise CommandError(f"{file} is longer than {policy.IMPORT_LIMIT} characters; cut it into several files.")
    try:
        passages.pieces(file.name, text[: policy.IMPORT_LIMIT])
    except passages.Unreadable as problem:
        raise CommandError(str(problem)) from problem
    return text[: policy.IMPORT_LIMIT], cut


def _space(reader: Reader, slug: str | None) -> Space | None:
    if not slug:
        return None
    found = Space.objects.filter(community_id=reader.community, slug=slug).first()
    if found is None:
        raise CommandError(f"There is no space {slug} in {reader.slug}.")
    return found
