"""Walk the audit chains and say whether anything was changed."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import heads
from assistant.management import whom
from memory import audit
from profiles.access import scoped
from profiles.models import Community


class Command(BaseCommand):
    help = (
        "Read every community's audit chain from its start, against the heads that were noted outside the database; "
        "exit code 1 where a line was edited, is missing or stood elsewhere. Words that an erasure took are counted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"communities": [{"community", "lines", "broken_at", "fault", "scrubbed"}], "intact": bool}`."""
        parser.add_argument("--community", metavar="SLUG", help="only this one; default: all")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """All chains are read, even after one is found broken."""
        chosen = options["community"]
        rows = [whom.community(chosen)] if chosen else list(Community.objects.order_by("slug"))
        noted, found = _noted(), []
        for number, row in enumerate(rows, 1):
            with scoped(whom.operator(row.slug)):
                check = audit.verify(row.id, heads=noted.get(row.id, {}))
            found.append({"community": row.slug, "lines": check.lines, "broken_at": check.broken_at,
                          "fault": check.fault, "scrubbed": check.scrubbed})  # fmt: skip
            if not options["json"]:
                state = "intact" if check.broken_at is None else f"{check.fault} at position {check.broken_at}"
                gone = f", {check.scrubbed} without words" if check.scrubbed else ""
                self.stdout.write(f"{number}/{len(rows)}  {row.slug}: {check.lines} lines, {state}{gone}")
        broken = [one for one in found if one["broken_at"] is not None]
        if options["json"]:
            self.stdout.write(json.dumps({"communities": found, "intact": not broken}))
        if broken:
            raise CommandError(f"The chain of {broken[0]['community']} is broken at position {broken[0]['broken_at']}.")


def _noted() -> heads.Heads:
    try:
        return heads.read()
    except heads.Wrong as wrong:
        raise CommandError(f"The noted heads can't be trusted: {wrong}.") from wrong
