"""Everything about one person, into a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant.exporting import writing
from assistant.management import whom
from profiles.access import readers


class Command(BaseCommand):
    help = "Write all that is kept about a person, in each of their communities, as JSON and Markdown in one zip."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file can be read by whoever runs this, and nobody else."""
        parser.add_argument("name", metavar="NAME", help="the name that the person signs in with")
        parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the zip")

    def handle(self, *args: Any, **options: Any) -> None:
        """Progress goes to stderr."""
        if options["output"].exists():
            raise CommandError(f"{options['output']} is there already.")
        found = {}
        here = readers(whom.person(options["name"]))
        for number, reader in enumerate(here, 1):
            found[reader.slug] = writing.gather(reader)
            whom.progress(self, number, len(here), "communities")
        if not found:
            raise CommandError(f"{options['name']} is in no community.")
        writing.write(options["output"], found)
        self.stdout.write(f"Everything about {options['name']} is in {options['output']}.")
