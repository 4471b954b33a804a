"""The database as this version needs it: migrated by the owner, granted, and its walls checked."""

from django.core.management import call_command

from assistant import roles


def bring_up_to_date() -> None:
    """Does nothing to a database that is current; raises `OperationalError` or `roles.WeakWalls`."""
    call_command("migrate", database="owner", verbosity=0, interactive=False)
    roles.grant()
    roles.check()
