"""One VAR_DIR for the run, one database for each worker, and every test as the application's role."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assistant.settings")
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
if "VAR_DIR" not in os.environ:
    os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="kith-")
if WORKER == "main":  # workers inherit it
    os.environ["VAR_DIR"] = str(Path(os.environ["VAR_DIR"]) / "services")
os.environ["KITH_DATABASE"] = f"kith_{WORKER}"

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.test import override_settings
from django.utils import timezone

from assistant import embedded, roles, tasks
from assistant.conversation.models import Turn
from tests.people import World, make_world
from tests.scripted import Scripted


def _superuser(database: str) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(settings.PLACE.dsn("postgres", database), autocommit=True)


@pytest.fixture(scope="session", autouse=True)
def database() -> Iterator[None]:
    """Migrated by the owner; the tests themselves connect as the application."""
    name = settings.DATABASES["default"]["NAME"]
    tasks.EMBED_SECONDS = 600  # what other tests left behind waits too
    settings.EXPORT_DIR = settings.EXPORT_DIR / WORKER  # what belongs to no row of this database is deleted there
    with embedded.lease(settings.PLACE, durable=False):
        with embedded.locked(settings.PLACE.run / "make.lock"), _superuser("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {name} OWNER kith_owner".encode())
        with _superuser(name) as connection:
            connection.execute("CREATE EXTENSION vector")
        call_command("migrate", database="owner", verbosity=0)
        roles.grant()
        roles.check()
        yield
        from django.db import connections

        connections.close_all()


@pytest.fixture
def world() -> Iterator[World]:
    """A community of its own for each test: Alice and Bob in it, Charlie a stranger in another.

    What it leaves unread is no work of the next test's worker.
    """
    made = make_world(uuid.uuid4().hex[:12])
    yield made
    here = (made.alice.community, made.charlie.community)
    waiting = Turn.objects.using("owner").filter(community_id__in=here, remembered_at=None)
    waiting.update(remembered_at=timezone.now())


@pytest.fixture
def script() -> Iterator[Scripted]:
    """A scripted language model, configured as an operator would; at the end its script must have been played."""
    with Scripted() as model, override_settings(
        LLM_BASE_URL=model.url, LLM_API_KEY="kk-Very-Private-1234567890", LLM_MODEL="big", LLM_SMALL_MODEL="small",
        LLM_PRICE_IN=2.0, LLM_PRICE_OUT=8.0, LLM_JSON="auto", LLM_TIMEOUT=5.0,
    ):  # fmt: skip
        yield model
