"""Load the demo community once."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import demo, schema


class Command(BaseCommand):
    help = "Load the demo community (accounts, knowledge, past talks) if it was never loaded here."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: the counts as one JSON object instead of a sentence."""
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Demo accounts have known passwords, so they are refused wherever they could do harm."""
        if not settings.DEMO:
            raise CommandError("The demo community is loaded in demo mode only (DEBUG=1).")
        if "owner" not in settings.DATABASES:
            raise CommandError("DATABASE_ADMIN_URL is needed beside DATABASE_URL: the role that owns the tables.")
        schema.bring_up_to_date()
        loaded = demo.load()
        counts = demo.counts()
        if options["json"]:
            self.stdout.write(json.dumps({"loaded": loaded, **counts}))
            return
        said = ", ".join(f"{count} {what}" for what, count in counts.items())
        self.stdout.write(f"{'Loaded' if loaded else 'Was loaded before'}: {said}.")
