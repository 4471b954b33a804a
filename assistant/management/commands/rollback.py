"""What one turn, one actor or one period wrote, taken back; or what would be."""

import json
import uuid
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from assistant import housekeeping
from assistant.management import whom
from assistant.management.commands.upkeep import EVERYBODY
from memory.rollback import Rolled, Writes, rollback
from profiles.access import Reader, scoped

ACTOR = "operator"


class Command(BaseCommand):
    help = (
        "Take back what a turn, an actor or a period wrote of a member's memories: each member's in one transaction. "
        "What anybody changed afterwards is left and listed. Ids only: the words are theirs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"dry_run", "back": [{"member", "memory", "to", "status"}], "left": [… "why"]}`."""
        parser.add_argument("--community", required=True, metavar="SLUG", help="the short name of the community")
        parser.add_argument("--user", metavar="NAME", help="only this member; without it everybody there")
        parser.add_argument("--shared", action="store_true", help="of what the community and its spaces share")
        parser.add_argument("--turn", type=uuid.UUID, metavar="ID", help="what this turn wrote")
        parser.add_argument("--actor", default="", metavar="WHO", help="what it wrote: member, reader, upkeep…")
        parser.add_argument("--since", type=_moment, metavar="ISO", help="from then on; without a zone in TIME_ZONE")
        parser.add_argument("--until", type=_moment, metavar="ISO", help="before then")
        parser.add_argument("--dry-run", action="store_true", help="write nothing; say what would go back, and to what")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """To a version of 0: it was not there before, so it is forgotten."""
        writes = Writes(options["turn"], options["actor"], options["since"], options["until"])
        if not writes:
            raise CommandError("Say what: --turn, --actor, --since or --until.")
        slug, dry_run = options["community"], bool(options["dry_run"])
        whom.community(slug)
        shared = bool(options["shared"])
        if shared and options["user"]:
            raise CommandError("--shared is of nobody: leave out --user.")
        found = [whom.operator(slug)] if shared else _members(options["user"], slug)
        back: list[dict[str, Any]] = []
        left: list[dict[str, Any]] = []
        for reader in found:
            done = _roll(reader, writes, shared=shared, dry_run=dry_run)
            of = {"member": None if shared else str(reader.member)}
            back += [of | {"memory": str(one.memory), "to": one.to, "status": one.status} for one in done.back]
            left += [of | {"memory": str(one.memory), "why": one.why} for one in done.left]
        if options["json"]:
            self.stdout.write(json.dumps({"dry_run": dry_run, "back": back, "left": left}, ensure_ascii=False))
            return
        ends = [(row, f"back to version {row['to']}, {row['status']}") for row in back]
        for row, end in [*ends, *((row, f"left, {row['why']}") for row in left)]:
            self.stdout.write(f"{row['memory']} of {row['member'] or 'all'}: {end}")
        self.stdout.write(f"{len(back)} {'would go' if dry_run else 'went'} back, {len(left)} left.")


def _everybody(slug: str) -> list[Reader]:
    return [reader for reader in housekeeping.members(EVERYBODY, hours=0) if reader.slug == slug]


def _members(name: str | None, slug: str) -> list[Reader]:
    return [whom.member(name, slug)] if name else _everybody(slug)


def _roll(reader: Reader, writes: Writes, *, shared: bool, dry_run: bool) -> Rolled:
    with scoped(reader):
        return rollback(reader, writes, shared=shared, actor=ACTOR, dry_run=dry_run)


def _moment(text: str) -> datetime:
    """A `ValueError` is the parser's to say."""
    day = parse_date(text) if len(text) == 10 else None
    found = datetime(day.year, day.month, day.day) if day else parse_datetime(text)
    if found is None:
        raise ValueError(text)
    return found if timezone.is_aware(found) else timezone.make_aware(found)
