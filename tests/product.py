"""The whole product as an operator starts it: its address, what it prints, and its processes."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(slots=True)
class Product:
    """A running Kith."""

    address: str
    var: Path
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    """What it printed so far."""

    def pids(self) -> list[int]:
        """Every process of it: the supervisor, all that descend from it, and the services in its folder."""
        tree = _processes()
        found = {self.process.pid}
        services = {pid for pid, (_, command) in tree.items() if str(self.var) in command}
        found |= services
        while more := {pid for pid, (parent, _) in tree.items() if parent in found} - found:
            found |= more
        return sorted(found)

    def pid(self, *words: str) -> int | None:
        """The process whose command line holds all these words; of several, the one that began the others."""
        tree = _processes()
        fits = [pid for pid in self.pids() if pid in tree and all(word in tree[pid][1] for word in words)]
        return next((pid for pid in fits if tree[pid][0] not in fits), None)

    def kill(self, *words: str) -> int:
        """Kill -9 that process; returns its id."""
        pid = self.pid(*words)
        assert pid is not None, f"no process runs {words}"
        os.kill(pid, signal.SIGKILL)
        return pid

    def wait_for_line(self, words: str, *, after: int = 0, seconds: float = 60) -> str:
        """The first line with these words behind the first `after` lines."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for line in self.lines[after:]:
                if words in line:
                    return line
            time.sleep(0.05)
        raise AssertionError(f"never said: {words}; last lines: {self.lines[-5:]}")


@contextmanager
def running(var: Path | None = None, **settings: str) -> Iterator[Product]:
    """Start it with its demo community and these settings; stopped cleanly at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="kith-") as place:
        folder = var or Path(place) / "v"
        environment = {name: value for name, value in os.environ.items() if name != "KITH_DATABASE"}
        environment |= {"VAR_DIR": str(folder), "PORT": str(port), **settings}
        command = [sys.executable, "manage.py", "up"]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
            product = Product(f"http://127.0.0.1:{port}", folder, process)
            threading.Thread(target=_read, args=(product,), daemon=True).start()
            try:
                product.wait_for_line("Ctrl-C", seconds=120)
                urllib.request.urlopen(f"{product.address}/readyz", timeout=5)
                yield product
            finally:
                process.terminate()
                process.wait(timeout=60)
        assert process.returncode == 0


def _read(product: Product) -> None:
    assert product.process.stdout is not None
    for line in product.process.stdout:
        product.lines.append(line.rstrip("\n"))


def _processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of every process."""
    found = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended meanwhile
                continue
            if command:
                found[int(place.name)] = (parent, command)
    return found
