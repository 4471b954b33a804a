"""The container files: nothing secret by default, nothing that isn't there, and every process as `up` starts it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from assistant import supervisor
from assistant.management.commands import showconfig
from tests.containers import FILE, GIVEN, copied, environment, needed, services, stages
from tests.product import ROOT

VALUES = {name: f"the-{name.lower()}" for name in needed()}
FOUND = services(**VALUES)
OURS = {name: service for name, service in FOUND.items() if service["image"] == "kith"}


def test_the_services_are_those_that_the_product_is_made_of() -> None:
    own = {child.name for child in supervisor.children()}
    assert set(FOUND) == own | {"db", "valkey", "embedder", "migrate"}
    assert all(FOUND[name]["command"] == ["python", "manage.py", "serve", name] for name in own)
    assert set(get_commands()) & set(shlex.split(FOUND["migrate"]["command"][2])) == {"make_roles", "prepare"}


def test_no_secret_has_a_default() -> None:
    secret = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET|KEY|_TOKEN\b)\w*)(:..)", FILE.read_text())
    assert {mark for _, mark in secret} == {":?}", ":-}"}, "needed, or none"
    assert len({name for name, mark in secret if mark == ":?}"}) == 6
    assert not re.search(r"://\w+:[^$@/]+@", FILE.read_text())
    with pytest.raises(KeyError):
        services(**{name: value for name, value in VALUES.items() if name != "SECRET_KEY"})


def test_every_setting_is_one_of_ours() -> None:
    buckets = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"}
    known = {*showconfig.names(), *buckets, "DATABASE_SUPERUSER_URL", "OPENBLAS_NUM_THREADS"}
    given = {name for service in OURS.values() for name in service.get("environment", {})}
    assert given <= known
    assert set(environment()) <= known | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}


def test_every_setting_reaches_the_containers_with_its_own_default() -> None:
    listed = re.findall(r"^#(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    theirs = {"PORT", "VAR_DIR", "DEBUG", "DATABASE_ADMIN_URL"}
    """Which the image sets, or the tables' owner alone is told of."""
    worker = FOUND["worker"]["environment"] | environment()
    assert {name for name, _ in listed} - theirs <= set(worker) | {"WEB_HOST"}
    given = dict(GIVEN.findall(FILE.read_text()))
    assert {name: value for name, value in listed if name in given and given[name] != value} == {"EMBEDDING_DIMENSIONS": ""}
    assert given["EMBEDDING_DIMENSIONS"] == "0"


def test_only_whoever_needs_the_tables_owner_is_told_of_it() -> None:
    told = {name for name, service in OURS.items() if "DATABASE_ADMIN_URL" in service.get("environment", {})}
    assert told == {"migrate", "worker"}


def test_all_are_asked_whether_they_are_well_and_the_web_alone_is_reached() -> None:
    assert {name for name in FOUND if "healthcheck" not in FOUND[name]} == {"migrate"}
    assert {name: service["ports"] for name, service in FOUND.items() if "ports" in service} == {"web": ["127.0.0.1:8000:8000"]}
    assert "--save" in FOUND["valkey"]["command"] and "volumes" not in FOUND["valkey"]


def test_the_image_holds_the_code_and_nothing_else() -> None:
    tracked = set(subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
    assert all(path.exists() for path in copied(ROOT))
    tops = {path.name for path in copied(ROOT)}
    assert {"assistant", "memory", "profiles", "templates", "static", "locale", "manage.py"} <= tops
    assert not {"tests", "docs", ".git", "var"} & tops
    copies = [rest.split()[0] for stage in stages() for word, rest in stage if word == "COPY" and "--from" not in rest]
    assert all(name == "." or name in tracked for name in copies)
    assert stages()[-1][-2:] == [("EXPOSE", "8000"), ("CMD", '["python", "manage.py", "serve", "web"]')]


@pytest.mark.parametrize(("debug", "ends"), [("1", 1), ("0", 0)])
def test_a_demo_listens_on_this_machine_alone(debug: str, ends: int, tmp_path: Path) -> None:
    environment = {"DEBUG": debug, "WEB_HOST": "0.0.0.0", "VAR_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    ended = subprocess.run([sys.executable, "manage.py", "showconfig"], cwd=ROOT, env=environment, capture_output=True,
                           text=True, check=False)  # fmt: skip
    assert (ended.returncode, "loopback" in ended.stderr) == (ends, bool(ends)), ended.stderr
