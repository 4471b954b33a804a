"""Starts and stops the embedder's process; used by whoever holds a lease on the embedded services."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent.parent
READY_SECONDS = 60


class Failed(Exception):
    """It did not come up; the text says why in one sentence."""


def socket_of(var: Path) -> Path:
    """Where it listens."""
    return var / "embedder" / "socket"


def start(var: Path, *, fallback: bool) -> None:
    """Start it if it is not running and wait until it answers. `fallback`: no stored vector forbids another engine."""
    folder = var / "embedder"
    folder.mkdir(mode=0o700, exist_ok=True)
    if ready(var):
        return
    _end(var)
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "assistant.embedder", "--socket", str(socket_of(var)),
             *(["--fallback"] if fallback else [])],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            # a fresh process, never forked after use, may use OpenMP
            env={"PATH": os.environ.get("PATH", ""), "OMP_NUM_THREADS": str(min(4, os.cpu_count() or 1)),
                 "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        )  # fmt: skip
    (folder / "pid").write_text(str(process.pid))
    deadline = time.monotonic() + READY_SECONDS
    while not ready(var):
        if process.poll() is not None:
            why = "its vectors would not match those that are stored" if process.returncode == 3 else "it ended at once"
            raise Failed(f"The embedder did not start, {why}: {_tail(folder / 'log')}")
        if time.monotonic() > deadline:
            raise Failed(f"The embedder did not answer in {READY_SECONDS} seconds: {_tail(folder / 'log')}")
        time.sleep(0.03)


def ready(var: Path) -> bool:
    """Whether it answers on its socket."""
    return answers(socket_of(var))


def answers(socket: Path) -> bool:
    """Whether somebody serves vectors there."""
    if not socket.exists():
        return False
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(socket)), timeout=5) as client:
            return client.get("http://embedder/v1/models").status_code == 200
    except (httpx.HTTPError, OSError):
        return False


def alive(var: Path) -> bool:
    """Whether its process is there; far cheaper than `ready`."""
    number = _pid(var)
    if number is None:
        return False
    with contextlib.suppress(ChildProcessError, OSError):  # if it is our own child, don't leave a zombie
        os.waitpid(number, os.WNOHANG)
    return _is_embedder(number)


def stop(var: Path) -> None:
    """It holds nothing, so it just ends."""
    _end(var)
    socket_of(var).unlink(missing_ok=True)


def _end(var: Path) -> None:
    number = _pid(var)
    if number is not None and _is_embedder(number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGTERM)
            deadline = time.monotonic() + 3
            while alive(var) and time.monotonic() < deadline:
                time.sleep(0.02)
            if alive(var):
                os.kill(number, signal.SIGKILL)
    (var / "embedder" / "pid").unlink(missing_ok=True)


def _pid(var: Path) -> int | None:
    try:
        return int((var / "embedder" / "pid").read_text())
    except (OSError, ValueError):
        return None


def _is_embedder(number: int) -> bool:
    try:
        return b"assistant.embedder" in Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False


def _tail(path: Path) -> str:
    return " / ".join(path.read_text(errors="replace").splitlines()[-3:]) if path.exists() else "(no log)"
