"""A conversation from a file, remembered as if it had been held here."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import tasks
from assistant.conversation import telling
from assistant.management import whom
from memory.models import Memory
from memory.terms import Status

FIELDS = ("text", "kind", "category", "subject", "attribute", "value", "status")
LISTS = ("added", "changed", "ended", "flagged")


class Command(BaseCommand):
    help = (
        'Remember a conversation of a member: one {"role": "user"|"assistant", "text": …, "at": ISO} a line. Only the '
        "member's lines are a source. The same file again adds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"added": […], "changed": […], "ended": […], "flagged": […], "skipped", "partial", "unread"}`."""
        whom.arguments(parser)
        parser.add_argument("file", metavar="FILE.jsonl", help="the conversation, oldest line first")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Turns that the model could not read are an error, after everything else was written and reported."""
        reader = whom.member(options["user"], options["community"])
        if reader.memory_on is False:
            raise CommandError(f"{options['user']} has switched memory off.")
        try:
            lines = Path(options["file"]).read_text(encoding="utf-8-sig").split("\n")
            script = telling.read(lines, reader)
        except OSError as problem:
            raise CommandError(f"{options['file']} can't be read: {problem.strerror}.") from problem
        except UnicodeDecodeError as problem:
            raise CommandError(f"{options['file']} is not text in UTF-8.") from problem
        except telling.BadLine as problem:
            raise CommandError(str(problem)) from problem
        told = telling.tell(reader, script, lambda done, of: whom.progress(self, done, of, "messages"))
        while tasks.embed():
            pass
        report: dict[str, Any] = {name: [_memory(row) for row in getattr(told, name)] for name in LISTS}
        report |= {"skipped": told.skipped, "partial": told.partial, "unread": told.unread}
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            self._say(report)
        if told.unread:
            raise CommandError(f"The model could not read {told.unread} of the messages; the worker tries them again.")

    def _say(self, report: dict[str, Any]) -> None:
        for name in LISTS:
            for memory in report[name]:
                self.stdout.write(f"{name:<8} {memory['text']}")
        self.stdout.write(f"{report['skipped']} messages said nothing new.")
        if report["partial"]:
            self.stdout.write("partial: some of it was too long and is left out")


def _memory(row: Memory) -> dict[str, Any]:
    """What is forgotten is not said again."""
    gone = row.status == Status.FORGOTTEN
    hidden = ("text", "value", "subject", "attribute")
    return {"id": str(row.id), **{name: "" if gone and name in hidden else getattr(row, name) for name in FIELDS}}
