"""With `DATABASE_URL` and `REDIS_URL` the operator's own servers are used, a weak role is refused, and the commands of
docker-compose.yml serve from an empty database of a server that knows none of our roles."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings

from tests.containers import environment as image
from tests.containers import needed, services
from tests.journeys.conftest import started
from tests.product import ROOT

ROLES = ("app", "owner", "sweep", "erase")


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


@pytest.fixture
def empty() -> Iterator[str]:
    """The address of an empty database whose server knows none of the container's roles, as its superuser."""
    place = settings.PLACE
    drop = [f"DROP ROLE IF EXISTS box_{role}" for role in ROLES]
    with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
        for statement in ("DROP DATABASE IF EXISTS boxed WITH (FORCE)", *drop, "CREATE DATABASE boxed"):
            connection.execute(statement.encode())
    yield f"postgres://postgres@{str(place.postgres).replace('/', '%2F')}/boxed"
    with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
        for statement in ("DROP DATABASE boxed WITH (FORCE)", *drop):
            connection.execute(statement.encode())


def test_the_commands_of_the_containers_serve(empty: str, tmp_path: Path) -> None:
    """Each service with its own settings; only where its neighbours are is put in, and a port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = services(**{name: "kiln-&-cups" for name in needed()} | {"ALLOWED_ORIGINS": "https://kith.example.org"})
    sock = str(tmp_path / "embedder.sock")

    def here(text: str) -> str:
        text = re.sub(r"postgres://kith_(\w+):[^@]*@db:5432/kith", lambda role: empty.replace("postgres@", f"box_{role[1]}:{quote('k&c')}@"), text)
        text = re.sub(r"postgres://postgres:[^@]*@db:5432/kith", empty, text)
        text = text.replace("redis://valkey:6379/0", f"unix://{settings.PLACE.valkey_socket}")
        return text.replace("/run/kith/embedder.sock", sock).replace("8000", str(port))

    def command(name: str, part: str = "command") -> tuple[list[str], dict[str, str]]:
        given = {key: here(str(value)) for key, value in found[name].get("environment", {}).items()}
        own = {"HOSTNAME": socket.gethostname(), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PORT": str(port)}
        words = found[name][part] if part == "command" else asked(found[name][part]["test"])
        return [here(word) for word in words], own | image() | given | {"VAR_DIR": str(tmp_path / "var")}

    def well(name: str) -> bool:
        words, environment = command(name, "healthcheck")
        return subprocess.run(words, cwd=ROOT, env=environment, check=False, capture_output=True).returncode == 0

    running = []
    try:
        for name in ("embedder", "migrate", "web", "worker", "beat"):
            words, environment = command(name)
            running.append(subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
            if name == "migrate":
                said = running.pop().communicate(timeout=120)[0].decode()
                assert "migrations" in said and "Error" not in said, said
            elif name in ("embedder", "web"):
                assert until(lambda name=name: well(name)), f"{name} does not get well"
        assert {process.poll() for process in running} == {None}
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            assert json.load(answer)["parts"] == {"database": "ok", "valkey": "ok", "embedder": "ok"}
        assert until(lambda: well("worker")), "the worker does not answer"
    finally:
        for process in running:
            process.terminate()
        ends = [process.wait(timeout=20) for process in running]
    assert ends[:2] == [0, 0], "the embedder and the web server end of themselves"


def asked(test: list[str]) -> list[str]:
    """The command of a health check, as an engine would run it."""
    kind, *words = test
    return ["sh", "-c", words[0].replace("$$", "$")] if kind == "CMD-SHELL" else words


def until(true: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.5)
    return False
