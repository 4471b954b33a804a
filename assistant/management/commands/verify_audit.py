"""Walk the audit chains and say whether anything was changed."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant.management import whom
from memory import audit
from profiles.access import scoped
from profiles.models import Community


class Command(BaseCommand):
    help = "Read every community's audit chain from its start; exit code 1 at the first line that does not fit."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"communities": [{"community", "lines", "broken_at"}], "intact": bool}`."""
        parser.add_argument("--community", metavar="SLUG", help="only this one; default: all")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """All chains are read, even after one is found broken."""
        chosen = options["community"]
        rows = [whom.community(chosen)] if chosen else list(Community.objects.order_by("slug"))
        found = []
        for number, row in enumerate(rows, 1):
            with scoped(whom.operator(row.slug)):
                check = audit.verify(row.id)
            found.append({"community": row.slug, "lines": check.lines, "broken_at": check.broken_at})
            if not options["json"]:
                state = "intact" if check.broken_at is None else f"broken at position {check.broken_at}"
                self.stdout.write(f"{number}/{len(rows)}  {row.slug}: {check.lines} lines, {state}")
        broken = [one for one in found if one["broken_at"] is not None]
        if options["json"]:
            self.stdout.write(json.dumps({"communities": found, "intact": not broken}))
        if broken:
            raise CommandError(f"The chain of {broken[0]['community']} is broken at position {broken[0]['broken_at']}.")
