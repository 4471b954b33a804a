"""The turns that the background path gave up on, by what went wrong; and their next chance."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.models import Count

from assistant.conversation.models import Turn
from memory import policy


class Command(BaseCommand):
    help = "Show how many turns could not be remembered, by error; --again lets the worker try them once more."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--again` after the cause is gone."""
        parser.add_argument("--again", action="store_true", help="let the worker try all of them anew")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Counts only: no words of a turn, and no names."""
        if "owner" not in connections:
            raise CommandError("DATABASE_ADMIN_URL is needed: the role that owns the tables.")
        given_up = Turn.objects.using("owner").filter(
            remembered_at=None, remember_attempts__gte=policy.EXTRACT_ATTEMPTS
        )  # fmt: skip
        rows = given_up.order_by("remember_error").values_list("remember_error").annotate(count=Count("id"))
        found = {code or "interrupted": count for code, count in rows}
        again = given_up.update(remember_attempts=0, remember_after=None) if options["again"] else 0
        if options["json"]:
            self.stdout.write(json.dumps({"failed": found, "again": again}))
            return
        for code, count in found.items():
            self.stdout.write(f"{count:>6}  {code}")
        self.stdout.write(f"{again} will be tried again." if options["again"] else f"{sum(found.values())} in all.")
