"""The extension and the four roles of the product, in a database that is empty or has them already."""

import os
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from django.core.management.base import BaseCommand, CommandError
from psycopg import sql

BEYOND_WALLS = ("DATABASE_SWEEP_URL", "DATABASE_ERASE_URL")
OWNER = "DATABASE_ADMIN_URL"
URLS = ("DATABASE_URL", OWNER, *BEYOND_WALLS)


class Command(BaseCommand):
    help = "Make the roles and the extension that DATABASE_URL and its three sisters name, as DATABASE_SUPERUSER_URL."

    def handle(self, *args: Any, **options: Any) -> None:
        """What is there already is set to the passwords that the addresses hold."""
        missing = [name for name in ("DATABASE_SUPERUSER_URL", *URLS) if not os.environ.get(name)]
        if missing:
            raise CommandError(f"{', '.join(missing)}: needed in the environment.")
        places = {name: place_of(os.environ[name]) for name in ("DATABASE_SUPERUSER_URL", *URLS)}
        if len(set(places.values())) > 1:
            said = ", ".join(f"{name}: {place or 'none'}" for name, place in places.items())
            raise CommandError(f"All five must name the same database ({said}).")
        try:
            make(os.environ["DATABASE_SUPERUSER_URL"], {name: os.environ[name] for name in URLS})
        except psycopg.Error as problem:
            raise CommandError(f"The roles could not be made: {str(problem).strip()}.") from problem


def place_of(url: str) -> str:
    """The name of the database in an address."""
    return unquote(urlsplit(url).path[1:])


def make(superuser: str, urls: dict[str, str]) -> None:
    """As `superuser`; the names and passwords are those in the addresses."""
    given = {name: urlsplit(url) for name, url in urls.items()}
    with psycopg.connect(superuser) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        for name, url in given.items():
            role = sql.Identifier(unquote(url.username or ""))
            there = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [unquote(url.username or "")])
            if there.fetchone() is None:
                connection.execute(sql.SQL("CREATE ROLE {}").format(role))
            connection.execute(
                sql.SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE {} PASSWORD {}").format(
                    role, sql.SQL("BYPASSRLS" if name in BEYOND_WALLS else "NOBYPASSRLS"),
                    sql.Literal(unquote(url.password or "")),
                )
            )  # fmt: skip
        owner, place = (sql.Identifier(unquote(part)) for part in (given[OWNER].username or "", given[OWNER].path[1:]))
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(place, owner))
        connection.execute(sql.SQL("ALTER SCHEMA public OWNER TO {}").format(owner))
