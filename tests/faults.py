"""What a fault does to turns at eight points of their way: `python -m tests.faults`; a table, JSON under `$VAR_DIR/bench/`.

The product is started anew with a scripted model. Eight turns are begun one after the other, so that one service dies
(kill -9), or stops for thirty seconds, while the first is about to end and the last is just being sent. Then each of
them must end once, within a minute after the service is back, with the deltas of its text and no gap in `seq`; a
question that nobody accepted can be sent again and is one turn; and the next question is answered.

`--disk FOLDER`, on a small file system of its own (a tmpfs of 1 GiB, say): the product keeps its files there, and the
fault is that nothing more fits on it for thirty seconds. `--external`: PostgreSQL and Valkey are servers that the product
did not start, and stop for thirty seconds.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from assistant import embedded
from tests.load import PEOPLE, scripted
from tests.product import ROOT, Product, running
from tests.sockets import Socket, sign_in

SERVICES = {"postgres": ("postgres", "-D"), "valkey": ("valkey-server",), "embedder": ("assistant.embedder",),
            "worker": ("celery", " worker"), "web": ("daphne",)}  # fmt: skip
BEFORE = (0.0, 0.03, 0.1, 0.3, 1.0, 2.0, 3.0, 4.1)
"""Seconds before the fault at which the eight questions are sent; an answer takes four."""
WITHIN = 60
PAUSE = 30
DISK, SMALL = "disk", 2 << 30


@dataclass(slots=True)
class Asked:
    """One question, what was heard of it before and after the fault, and what is wrong with that."""

    cookies: str
    conversation: uuid.UUID
    client: str = field(default_factory=lambda: str(uuid.uuid4()))
    heard: list[dict[str, Any]] = field(default_factory=list)
    at: str = "not accepted"
    state: str = ""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        return {"type": "ask", "client_id": self.client, "text": f"How do I sign up? ({self.client[:6]})"}


async def until(address: str, asked: Asked, seconds: float) -> None:
    """Ask, and listen until the socket is lost or the turn has ended."""
    with suppress(Exception):
        async with asyncio.timeout(seconds), Socket(address, asked.cookies, asked.conversation) as line:
            line.send(**asked.words)
            while not asked.heard or asked.heard[-1]["type"] not in ("done", "error"):
                asked.heard.append(await line.frame(seconds))


async def after(address: str, asked: Asked, since: float) -> None:
    """Come back as a page does: all frames again, the question again where it was lost, until it has ended."""
    frames: list[dict[str, Any]] = []
    while time.monotonic() - since < WITHIN and not any(frame["type"] == "done" for frame in frames):
        with suppress(Exception):
            async with asyncio.timeout(15), Socket(address, asked.cookies, asked.conversation) as line:
                line.send(**asked.words)  # with its client id: the same turn, if there is one
                await line.frame(10)
            async with asyncio.timeout(15), Socket(address, asked.cookies, asked.conversation) as line:
                line.send(type="resume", after=0)
                found: dict[int, dict[str, Any]] = {}
                while not any(frame["type"] == "done" for frame in found.values()):
                    frame = await line.frame(10)
                    if "seq" in frame:
                        found[frame["seq"]] = frame
                frames = [found[seq] for seq in sorted(found)]
        await asyncio.sleep(0.5)
    asked.seconds = round(time.monotonic() - since, 1)
    done = [frame for frame in frames if frame["type"] == "done"]
    asked.state = done[0]["state"] if len(done) == 1 else f"{len(done)} ends"
    if len(done) != 1:
        asked.wrong.append(f"{len(done)} ends within {WITHIN} s")
        return
    if [frame["seq"] for frame in frames] != list(range(1, len(frames) + 1)):
        asked.wrong.append("a gap")
    if "".join(frame["text"] for frame in frames if frame["type"] == "delta") != done[0]["text"]:
        asked.wrong.append("deltas that are not the text")
    if len({frame["turn"] for frame in frames if frame["type"] == "accepted"}) != 1:
        asked.wrong.append("more than one turn")


def harm(product: Product, service: str, kind: str) -> None:
    """Kill it and wait for nothing, or stop all of it for `PAUSE` seconds."""
    if service == DISK:
        full(product.var)
        return
    words = SERVICES[service]
    if kind == "kill":
        product.kill(*words)
        return
    first = product.pid(*words)
    assert first is not None, f"no process runs {words}"
    hurt = [first, *_below(first)]
    for pid in hurt:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(PAUSE)
    for pid in hurt:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def full(var: Path) -> None:
    """No byte is free for `PAUSE` seconds, whatever is given back meanwhile."""
    assert shutil.disk_usage(var).total < SMALL, f"{var} is on no small file system of its own"
    until = time.monotonic() + PAUSE
    ballast = var.parent / "ballast"
    with ballast.open("wb", buffering=0) as file:
        while time.monotonic() < until:
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while file.write(b"." * size):
                        pass
            time.sleep(0.05)
    ballast.unlink()


@contextmanager
def outside(folder: Path) -> Iterator[dict[str, str]]:
    """Servers that the product did not start, and the settings by which it reaches them."""
    place = embedded.Place(folder)
    with embedded.lease(place, services=frozenset({embedded.POSTGRESQL, embedded.VALKEY})):
        with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE outside OWNER kith_owner")
        with psycopg.connect(place.dsn("postgres", "outside"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        host = str(place.postgres).replace("/", "%2F")
        roles = {"URL": "kith_app", "ADMIN_URL": "kith_owner", "SWEEP_URL": "kith_sweep", "ERASE_URL": "kith_erase"}
        found = {f"DATABASE_{name}": f"postgres://{role}@{host}/outside" for name, role in roles.items()}
        yield found | {"REDIS_URL": f"unix://{place.valkey_socket}"}


def _below(first: int) -> list[int]:
    """All that descend from a process."""
    found, parents = [], {first}
    for place in sorted(
        (place for place in Path("/proc").iterdir() if place.name.isdigit()), key=lambda one: int(one.name)
    ):
        with suppress(OSError):
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) in parents:
                parents.add(int(place.name))
                found.append(int(place.name))
    return found


async def one(product: Product, cookies: list[str], service: str, kind: str) -> dict[str, Any]:
    """Eight turns, one fault."""
    turns = [Asked(cookies[number % len(cookies)], uuid.uuid4()) for number in range(len(BEFORE))]
    fault = time.monotonic() + max(BEFORE) + 0.5
    listening = []
    for asked, before in sorted(zip(turns, BEFORE, strict=True), key=lambda pair: -pair[1]):
        await asyncio.sleep(max(0.0, fault - before - time.monotonic()))
        listening.append(asyncio.create_task(until(product.address, asked, WITHIN + PAUSE)))
    await asyncio.sleep(0.005)
    for asked in turns:
        kinds = Counter(frame["type"] for frame in asked.heard)
        asked.at = f"{asked.heard[-1]['type']} {kinds['delta'] or ''}".strip() if asked.heard else "not accepted"
    await asyncio.to_thread(harm, product, service, kind)
    since = time.monotonic()
    await asyncio.gather(*(after(product.address, asked, since) for asked in turns))
    for task in listening:
        task.cancel()
    next_one = Asked(cookies[0], uuid.uuid4())
    await after(product.address, next_one, time.monotonic())
    wrong = [f"{asked.at}: {what}" for asked in turns for what in asked.wrong]
    if next_one.state != "answered":
        wrong.append(f"the next question: {next_one.state}")
    return {
        "service": service, "fault": kind, "at": [asked.at for asked in turns], "ends": dict(Counter(asked.state for asked in turns)),
        "longest": max(asked.seconds for asked in turns), "wrong": wrong,
    }  # fmt: skip


def main() -> None:
    """Harm, look, print, keep; exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", nargs="*", default=list(SERVICES), choices=list(SERVICES))
    parser.add_argument("--faults", nargs="*", default=["kill", "pause"], choices=["kill", "pause"])
    parser.add_argument("--disk", type=Path, help="fill this file system up instead")
    parser.add_argument("--external", action="store_true", help="stop servers that the product did not start")
    chosen = parser.parse_args()
    faults = [(one, kind) for one in chosen.services for kind in chosen.faults]
    settings = {"LLM_MODEL": "big", "LLM_SMALL_MODEL": "small"}
    found = []
    with ExitStack() as stack:
        settings["LLM_BASE_URL"] = stack.enter_context(scripted(4.0, 40))
        var = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kith-", dir=chosen.disk))) / "v"
        if chosen.disk:
            faults = [(DISK, "full")]
        if chosen.external:
            faults = [("postgres", "pause"), ("valkey", "pause")]
            settings |= stack.enter_context(outside(var.parent / "o"))
        product = stack.enter_context(running(var, **settings))
        product.var = var.parent if chosen.external else var  # the servers beside it too
        cookies = [sign_in(product.address, name) for name in PEOPLE]
        for service, kind in faults:
            found.append(asyncio.run(one(product, cookies, service, kind)))
            row = found[-1]
            ends = ", ".join(f"{count} {state}" for state, count in sorted(row["ends"].items()))
            print(
                f"{service:<10}{kind:<7}{ends:<44}longest {row['longest']:>5} s  {'; '.join(row['wrong']) or 'ok'}",
                flush=True,
            )
    kept = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "bench" / "faults.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(1 if any(row["wrong"] for row in found) else 0)


if __name__ == "__main__":
    main()
