"""Database, archive and keys in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import backups


class Command(BaseCommand):
    help = (
        "Write database, archive and keys into one file that opens everything: keep it as you keep a key. Delete it "
        "within BACKUP_DAYS, as receipts promise. Who was erased (erased.jsonl) is not in it: keep that file apart."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The file can be read by whoever runs this, and nobody else."""
        parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the backup, a tar file")

    def handle(self, *args: Any, **options: Any) -> None:
        """May be run while the product is."""
        try:
            manifest = backups.make(options["output"])
        except backups.Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{len(manifest['digests'])} parts are in {options['output']}.")
        if backups.SECRET not in manifest["digests"]:
            self.stdout.write("SECRET_KEY is not among them: it is set from outside. Without it nothing sealed opens.")
        if manifest["archive"] != "in it":
            self.stdout.write(f"The archive is not in it: it lies in {manifest['archive']}.")
