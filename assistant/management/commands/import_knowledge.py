"""Shared knowledge from files: Markdown, HTML and text, or questions with answers as CSV or JSON."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import tasks
from assistant.management import whom
from memory import importing, passages, policy
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
        """All files are read before anything is written; then all of them are written, or none."""
        reader = whom.operator(options["community"])
        files = [Path(file) for file in options["files"]]
        if len({file.name for file in files}) < len(files):
            raise CommandError("Two of the files have the same name, by which they are known later.")
        read = [(file.name, *_read(file)) for file in files]
        with scoped(reader):
            space = _space(reader, options["space"])
            done = []
            for number, (name, pieces, _) in enumerate(read, 1):
                title, key = name.rsplit(".", 1)[0], importing.key_of(name, space)
                done.append(importing.put(reader, key, title, pieces, space=space.id if space else None))
                whom.progress(self, number, len(read), f"{name}: {len(pieces)} passages")
        made = tasks.embed()
        rows = [{"key": one.key, "added": one.added, "updated": one.updated, "unchanged": one.unchanged,
                 "removed": one.removed, "kept": one.kept} for one in done]  # fmt: skip
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


def _read(file: Path) -> tuple[list[passages.Piece], bool]:
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
        return passages.pieces(file.name, text[: policy.IMPORT_LIMIT]), cut
    except passages.Unreadable as problem:
        raise CommandError(str(problem)) from problem


def _space(reader: Reader, slug: str | None) -> Space | None:
    if not slug:
        return None
    found = Space.objects.filter(community_id=reader.community, slug=slug).first()
    if found is None:
        raise CommandError(f"There is no space {slug} in {reader.slug}.")
    return found
