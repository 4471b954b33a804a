"""Sizes, names, the map, and a row policy on every table with a path to a person."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.db import connections

ROOT = Path(__file__).resolve().parent.parent
WITHOUT_POLICY = {
    "profiles_user": "signing in happens before anybody is known",
    "profiles_user_groups": "part of the account",
    "profiles_user_user_permissions": "part of the account",
    "profiles_community": "the list of tenants",
    "memory_embedder": "makers of vectors; names no person",
    "profiles_invitation": "looked up by its code, before a membership",
}


def sources() -> Iterator[Path]:
    for room in ("assistant", "memory", "profiles", "tests"):
        yield from (path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


def test_files_and_functions_stay_small() -> None:
    long = []
    for path in sources():
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > 400:
            long.append(str(path))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (node.end_lineno or 0) - node.lineno >= 60:
                long.append(f"{path}:{node.name}")
    assert long == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [path for path in sources() if path.stem in {"utils", "helpers", "common", "services"}] == []


def test_every_module_stands_on_the_map() -> None:
    on_the_map = (ROOT / "docs/map.md").read_text(encoding="utf-8")
    rooms = [path for path in sources() if path.name not in ("__init__.py", "apps.py") and "tests" not in path.parts]
    assert [path for path in rooms if f"`{path.relative_to(ROOT)}`" not in on_the_map] == []


def test_only_the_ledger_writes_memories() -> None:
    writers = [
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if "tests" not in path.parts and any(w in path.read_text() for w in ("Memory.objects.create", "Memory("))
    ]
    assert set(writers) <= {"memory/ledger.py", "memory/models/memory.py"}


def test_every_table_of_ours_has_a_row_policy_or_a_reason() -> None:
    ours = {
        model._meta.db_table
        for label in ("profiles", "memory", "conversation")
        for model in apps.get_app_config(label).get_models(include_auto_created=True)
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity")
        walled = {row[0] for row in cursor.fetchall()}
    assert ours - walled == set(WITHOUT_POLICY)


def test_no_registry_or_path_of_a_machine_is_named() -> None:
    patterns = ["-e", "p[y]pi\\.org", "-e", "python[h]osted", "-e", "registry\\.np[m]js"]
    found = subprocess.run(["git", "grep", "-nIE", *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.stdout == ""
