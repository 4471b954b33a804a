"""With `DATABASE_URL` and `REDIS_URL` the operator's own servers are used, and an old pgvector or a weak role is refused."""

import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from tests.journeys.conftest import started
from tests.product import ROOT


@pytest.fixture
def urls() -> Iterator[dict[str, str]]:
    """An empty database on a server that the product did not start."""
    place = settings.PLACE
    with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS outside WITH (FORCE)")
        connection.execute("CREATE DATABASE outside OWNER kith_owner")
    with psycopg.connect(place.dsn("postgres", "outside"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    host = str(place.postgres).replace("/", "%2F")
    roles = {"URL": "kith_app", "ADMIN_URL": "kith_owner", "SWEEP_URL": "kith_sweep", "ERASE_URL": "kith_erase"}
    found = {f"DATABASE_{name}": f"postgres://{role}@{host}/outside" for name, role in roles.items()}
    yield found | {"REDIS_URL": f"unix://{place.valkey_socket}"}
    with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE outside WITH (FORCE)")


def test_the_operators_own_servers_are_used(urls: dict[str, str]) -> None:
    with started(**urls) as address:
        with urllib.request.urlopen(f"{address}/readyz", timeout=5) as answer:
            assert b'"database": "ok"' in answer.read()
        with psycopg.connect(settings.PLACE.dsn("postgres", "outside")) as connection:
            assert connection.execute("SELECT count(*) FROM memory_passage").fetchone() != (0,)


def test_a_role_that_owns_the_tables_is_refused(urls: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="kith-") as var:
        environment = os.environ | urls | {"DATABASE_URL": urls["DATABASE_ADMIN_URL"], "VAR_DIR": str(Path(var) / "v")}
        environment.pop("KITH_DATABASE", None)
        ended = subprocess.run(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=environment | {"PORT": "0"}, capture_output=True,
            text=True, check=False, timeout=120,
        )  # fmt: skip
    assert ended.returncode == 1
    assert "owns the tables" in ended.stderr
    assert "Traceback" not in ended.stderr
