"""Whom a command acts for: a member by name, or the operator in a community."""

import uuid

from django.core.management.base import BaseCommand, CommandError, CommandParser

from profiles.access import Reader, operator_in, reader_for
from profiles.models import Community, User


def arguments(parser: CommandParser) -> None:
    """`--user` and `--community`, both needed."""
    parser.add_argument("--user", required=True, metavar="NAME", help="the name that the member signs in with")
    parser.add_argument("--community", required=True, metavar="SLUG", help="the short name of the community")


def member(name: str, slug: str) -> Reader:
    """The reader that the member is there; raises `CommandError`."""
    person = User.objects.filter(username=name).values_list("id", flat=True).first()
    reader = reader_for(person, slug) if person else None
    if reader is None:
        raise CommandError(f"There is no member {name} in {slug}.")
    return reader


def person(name: str) -> uuid.UUID:
    """The account of that name; raises `CommandError`."""
    found = User.objects.filter(username=name).values_list("id", flat=True).first()
    if found is None:
        raise CommandError(f"There is nobody called {name}.")
    return found


def operator(slug: str) -> Reader:
    """Whoever runs the machine, for what the community shares; raises `CommandError`."""
    return operator_in(community(slug).id, slug)


def community(slug: str) -> Community:
    """By its short name; raises `CommandError`."""
    found = Community.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no community {slug}.")
    return found


def progress(command: BaseCommand, done: int, of: int, what: str) -> None:
    """A line on stderr, so that what is reported on stdout stays whole."""
    command.stderr.write(f"{done}/{of} {what}")
