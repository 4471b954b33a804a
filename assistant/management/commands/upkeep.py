"""Keeping house now: for everybody, one community, or one member; or what it would do, and why."""

import json
from collections import Counter
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from assistant import housekeeping
from assistant.management import whom
from memory.upkeep import ORDER, Done
from profiles.access import Reader

EVERYBODY = 1_000_000
"""Members at most that one call looks after."""


class Command(BaseCommand):
    help = (
        "Put members' memories in order: conflicts, what has lapsed or gone cold, what is too much, and what was "
        "forgotten so long ago that its words go for good. The same again does nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: a list of one `{"step", "does", "count", "skipped", "members"}` a step, in their order."""
        parser.add_argument("--now", metavar="ISO", help="as of then, instead of now; without a zone in TIME_ZONE")
        parser.add_argument("--dry-run", action="store_true", help="write nothing; say what would be done, and why")
        parser.add_argument("--community", metavar="SLUG", help="only its members")
        parser.add_argument("--user", metavar="NAME", help="only this member")
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        """A member with whom it fails does not keep the others from it; it is an error after the report."""
        now, dry_run = _now(options["now"]), bool(options["dry_run"])
        readers = _readers(options["user"], options["community"])
        counts: Counter[tuple[str, str]] = Counter()
        failed = 0
        for number, reader in enumerate(readers, 1):
            try:
                done = housekeeping.keep(reader, now, dry_run=dry_run)
            except Exception as problem:
                failed += 1
                self.stderr.write(f"{reader.member}: {type(problem).__name__}, nothing more was done for this member")
                continue
            for one in done:
                counts += Counter({(one.step, "count"): one.count, (one.step, "skipped"): one.skipped,
                                   (one.step, "members"): int(one.count > 0)})  # fmt: skip
            if dry_run:
                self._reasons(reader, done)
            whom.progress(self, number, len(readers), "members")
        report = [
            {"step": step, "does": does, **{name: counts[step, name] for name in ("count", "skipped", "members")}}
            for step, does in ORDER.items()
        ]
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            for row in report:
                self.stdout.write(f"{row['count']:>6}  {row['step']:<10} {row['does']}")
        if failed:
            raise CommandError(f"It failed for {failed} of {len(readers)} members; the same command goes on with them.")

    def _reasons(self, reader: Reader, done: list[Done]) -> None:
        """Ids and reasons; a member's words are theirs."""
        for one in done:
            for act in one.acts:
                self.stderr.write(f"would {act.step} {act.id} of {reader.member}: {act.why}")


def _readers(name: str | None, slug: str | None) -> list[Reader]:
    if slug:
        whom.community(slug)
    if name and slug:
        return [whom.member(name, slug)]
    found = [reader for reader in housekeeping.members(EVERYBODY, hours=0) if slug in (None, reader.slug)]
    if name:
        person = whom.person(name)
        found = [reader for reader in found if reader.person == person]
    return found


def _now(text: str | None) -> datetime:
    if not text:
        return timezone.now()
    try:
        day = parse_date(text)
        found = datetime(day.year, day.month, day.day) if day else parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"--now is not a date and time in ISO form: {text}")
    return found if timezone.is_aware(found) else timezone.make_aware(found)
