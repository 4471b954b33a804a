"""Bring the database to where this version can serve from it, and end: what `up` does before it serves."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from assistant import demo, roles, schema
from assistant.erasing import order


class Command(BaseCommand):
    help = "Migrate, grant, check the walls, and load the demo in demo mode; serve nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Each step says what it does; one that can't be done is one sentence and a non-zero exit."""
        prepared(lambda step: self.stdout.write(f"Kith: {step} …"))


def prepared(say: Callable[[str], None]) -> None:
    """The database as this version needs it; raises `CommandError`."""
    say("migrations")
    if "owner" not in settings.DATABASES:
        raise CommandError("DATABASE_ADMIN_URL is needed beside DATABASE_URL: the role that owns the tables.")
    try:
        schema.bring_up_to_date()
    except (OperationalError, roles.WeakWalls) as problem:
        raise CommandError(f"The database can't be used: {str(problem).strip()}.") from problem
    if back := order.again():
        say(f"{back} who were erased had come back with a backup, and were erased again")
    if settings.DEMO:
        say("demo community")
        demo.load()
    elif demo.left_open():
        raise CommandError(
            "This database holds demo accounts, whose passwords everybody knows; "
            "use another one, or start it with DEBUG=1."
        )
