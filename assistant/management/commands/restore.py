"""A backup comes back, and who was erased since goes again."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import backups


class Command(BaseCommand):
    help = (
        "Put database, archive and keys back as a backup has them; everybody signs in again. Refused while Kith is "
        "running. Who is in erased.jsonl and came back with the backup is erased again before this ends."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """On a new machine put erased.jsonl into VAR_DIR first."""
        parser.add_argument("file", type=Path, metavar="FILE", help="what `backup` wrote")
        parser.add_argument("--force", action="store_true", help="even if the database is not empty: that is lost")

    def handle(self, *args: Any, **options: Any) -> None:
        """Nothing is changed before the whole file has been checked."""
        try:
            again = backups.restore(options["file"], force=options["force"])
        except (backups.Refused, backups.Lost) as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"Restored; {again} who had been erased were erased again.")
