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
from tests.containers import FILE, copied, environment, needed, services, stages
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
    secret = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET)\w*)(:.)", FILE.read_text())
    assert {mark for _, mark in secret} == {":?"} and len({name for name, _ in secret}) == 6
    assert not re.search(r"://\w+:[^$@/]+@", FILE.read_text())
    with pytest.raises(KeyError):
        services(**{name: value for name, value in VALUES.items() if name != "SECRET_KEY"})


def test_every_setting_is_one_of_ours() -> None:
    known = {*showconfig.names(), "DATABASE_SUPERUSER_URL", "OPENBLAS_NUM_THREADS"}
    given = {name for service in OURS.values() for name in service.get("environment", {})}
    assert given <= known
    assert set(environment()) <= known | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}


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
