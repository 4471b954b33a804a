"""Whether a receipt of an erasure is what was signed."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant.erasing import receipt


class Command(BaseCommand):
    help = "Check the signature of a receipt and print what it says; exit code 1 where it was changed."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """With `--name` also whether it is about that person, by the salt that was handed over with it."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--public-key", type=Path, metavar="FILE", help="PEM; default: this installation's")
        parser.add_argument("--name", help="the name that the person signed in with")
        parser.add_argument("--json", action="store_true", help="print the receipt as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Needs no database."""
        try:
            said = json.loads(options["file"].read_text(encoding="utf-8"))
            key = options["public_key"].read_text(encoding="utf-8") if options["public_key"] else None
            body = receipt.check(said, key)
        except (OSError, ValueError, receipt.Wrong) as problem:
            raise CommandError(f"Not a valid receipt: {problem}.") from None
        if options["name"] and receipt.commitment(str(said.get("salt", "")), options["name"]) != body["commitment"]:
            raise CommandError("The signature fits, but it is about somebody else.")
        if options["json"]:
            self.stdout.write(json.dumps(body))
            return
        rows, until = sum(store["before"] for store in body["stores"]), body["pending"]["backups_until"]
        what = f"{rows} rows and files in {len(body['stores'])} stores"
        self.stdout.write(f"Valid: {body['state']} on {body['ended_at']}; {what}.")
        self.stdout.write(f"Backups may hold it until {until}.")
