"""One of the product's processes alone, in the foreground, where something else starts and watches them: containers."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from assistant import supervisor


class Command(BaseCommand):
    help = "Run the web server, the worker or the scheduler alone; the services and `prepare` must have been before."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which of them."""
        parser.add_argument("process", choices=[child.name for child in supervisor.children()])

    def handle(self, *args: Any, **options: Any) -> None:
        """This process becomes that one, so that signals reach it."""
        supervisor.become(options["process"])
