"""`python -m tests.bench`: a table on the screen, JSON under `$VAR_DIR/bench/`; `--quick` for a first look."""

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assistant.settings")
VAR = Path(os.environ.get("VAR_DIR", Path(__file__).resolve().parent.parent.parent / "var"))
os.environ["VAR_DIR"] = str(VAR / "bench" / "services")
os.environ["KITH_DATABASE"] = "kith_bench"

import django

django.setup()

import psycopg
from django.conf import settings
from django.core.management import call_command

from assistant import embedded, roles
from tests.bench import keeping, recalling


@contextmanager
def database() -> Iterator[None]:
    """An empty database of its own, on disk as in earnest; the product's own is not touched."""
    name = settings.DATABASES["default"]["NAME"]
    services = frozenset({embedded.POSTGRESQL, embedded.VALKEY})
    with embedded.lease(settings.PLACE, services=services):
        with psycopg.connect(settings.PLACE.dsn("postgres", "postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name} OWNER kith_owner".encode())
        with psycopg.connect(settings.PLACE.dsn("postgres", name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        call_command("migrate", database="owner", verbosity=0)
        roles.grant()
        yield


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each figure, one column for each run."""
    lines = []
    for name in rows[0]:
        values = [str(row[name]) if not isinstance(row[name], dict) else str(sum(row[name].values())) for row in rows]
        lines.append(f"{name:<18}" + "".join(f"{value:>12}" for value in values))
    return "\n".join(lines)


def keep(name: str, runs: Iterable[dict[str, Any]]) -> None:
    """Print them, and write them where later ones are compared with them; each as soon as it is there."""
    rows: list[dict[str, Any]] = []
    for row in runs:
        rows.append(row)
        print(f"\n{name}\n{table(rows)}", flush=True)
        path = VAR / "bench" / f"{name}.json"
        path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small night, a few small weeks, a small table")
    parser.add_argument("--only", choices=("night", "year", "recall"), help="only this one")
    parser.add_argument("--memories", type=int, nargs="+", default=[1_000, 3_000, 10_000], help="of one member, a night")
    parser.add_argument("--turns", type=int, default=200, help="a week of the year")
    parser.add_argument("--languages", choices=("en", "zh"), nargs="+", default=["en", "zh"], help="of the year")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000], help="exchanges of everybody")
    parser.add_argument("--own", type=int, nargs="+", default=[1_000], help="of them those of the member who asks")
    chosen = parser.parse_args()
    (VAR / "bench").mkdir(parents=True, exist_ok=True)
    with database():
        if chosen.only in (None, "recall"):
            sizes = [(200, 2_000)] if chosen.quick else [(own, rows) for own in chosen.own for rows in chosen.rows]
            keep("recall", (recalling.growth(own, rows) for own, rows in sizes))
        if chosen.only in (None, "night"):
            keep("night", (keeping.night(count) for count in ([300] if chosen.quick else chosen.memories)))
        if chosen.only in (None, "year"):
            turns, weeks = (20, 20) if chosen.quick else (chosen.turns, 52)
            keep("year", (keeping.whole_year(turns, weeks, language) for language in chosen.languages))


if __name__ == "__main__":
    main()
