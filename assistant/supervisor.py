"""Starts the product's processes, watches them, and stops all of them; if one dies it is restarted and said so."""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

from django.conf import settings

from assistant import embedded
from assistant.embedder import service

BACKGROUND = 10
"""Niceness of what no member waits for."""
STOP_SECONDS = 10
RESTART_SECONDS = 1.0
_PDEATHSIG = 1


@dataclass(slots=True)
class Child:
    """One process: its name on the screen, its command, how far it stands back, and when it may be started again."""

    name: str
    command: list[str]
    nice: int = 0
    process: subprocess.Popen[bytes] | None = None
    not_before: float = 0.0
    restarts: int = field(default=0)

    def start(self) -> None:
        """Its own session, so that Ctrl-C reaches the supervisor alone; ends if the supervisor is killed."""
        self.process = subprocess.Popen(
            self.command, cwd=settings.BASE_DIR, start_new_session=True, preexec_fn=partial(_prepare, self.nice),
            env=os.environ | {"VAR_DIR": str(settings.VAR_DIR), "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip


def children() -> list[Child]:
    """The web server, the worker and the scheduler."""
    python = sys.executable
    celery = [python, "-m", "celery", "-q", "-A", "assistant.celery"]
    return [
        Child("web", [python, "-m", "daphne", "-b", settings.WEB_HOST, "-p", str(settings.PORT), "-v", "0",
                      "--no-server-name",
                      "assistant.asgi:application"]),
        Child("worker", [*celery, "worker", "--concurrency", "1", "--loglevel", "warning", "--without-gossip",
                         "--without-mingle"], BACKGROUND),
        Child("beat", [*celery, "beat", "--loglevel", "warning", "-s", str(settings.VAR_DIR / "run" / "beat")]),
    ]  # fmt: skip


@contextmanager
def serving() -> Iterator[None]:
    """Held by each product that runs on this folder, as long as it runs."""
    with _lock() as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield


@contextmanager
def alone() -> Iterator[bool]:
    """Whether no product runs on this folder; if so, none begins to serve during the block."""
    with _lock() as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def become(name: str) -> NoReturn:
    """Go on as one of these processes, where something else watches it; the lock of `serving` goes along."""
    child = next(child for child in children() if child.name == name)
    handle = _lock()
    fcntl.flock(handle, fcntl.LOCK_SH)
    os.set_inheritable(handle.fileno(), True)
    os.chdir(settings.BASE_DIR)
    os.nice(child.nice)
    os.execv(child.command[0], child.command)  # noqa: S606


def _lock() -> IO[str]:
    folder = Path(settings.VAR_DIR) / "run"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return (folder / "serving.lock").open("a+")


class Supervisor:
    """Runs until SIGINT or SIGTERM."""

    def __init__(self) -> None:
        self.children = children()
        self.ending = False

    def start(self) -> None:
        """All of them, at once."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        for child in self.children:
            child.start()

    def watch(self) -> None:
        """Restart what dies, the embedded services too; returns when it is told to end."""
        ticks = 0
        while not self.ending:
            time.sleep(0.2)
            ticks += 1
            for child in self.children:
                self._tend(child)
            if ticks % 5 == 0:
                self._tend_services(every=ticks % 25 == 0)

    def stop(self) -> None:
        """In reverse order; whoever does not end in time is killed."""
        for child in self.children:
            if child.process and child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            if child.process is None:
                continue
            try:
                child.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()

    def _tend(self, child: Child) -> None:
        if child.process is None or child.process.poll() is None or self.ending:
            return
        now = time.monotonic()
        if not child.not_before:
            child.not_before = now + min(15.0, RESTART_SECONDS * 2**child.restarts)
            child.restarts = min(child.restarts + 1, 4)
            print(f"Kith: {child.name} ended (code {child.process.returncode}); it is started again.", flush=True)
        elif now >= child.not_before:
            child.not_before = 0.0
            child.start()

    def _tend_services(self, *, every: bool) -> None:
        place = settings.PLACE
        services = settings.SERVICES
        try:
            if embedded.EMBEDDER in services and not (service.ready if every else service.alive)(place.var):
                print("Kith: the embedder ended; it is started again.", flush=True)
                embedded.start_embedder(place, settings.STORE)
            if every and embedded.VALKEY in services and not embedded.valkey_ready(place):
                print("Kith: Valkey ended; it is started again.", flush=True)
                embedded.start_valkey(place)
            if every and embedded.POSTGRESQL in services and not embedded.postgres_ready(place):
                print("Kith: PostgreSQL ended; it is started again.", flush=True)
                embedded.start_postgres(place)
        except embedded.Refused as refused:
            print(f"Kith: {refused}", flush=True)

    def _end(self, number: int, frame: object) -> None:
        self.ending = True


def _prepare(nice: int) -> None:
    os.nice(nice)
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM)
