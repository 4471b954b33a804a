"""Many open sockets on one web process, then its end in the middle of answers: `python -m tests.idle`; JSON under
`$VAR_DIR/bench/`.

The product is started anew with a scripted model that speaks for eight seconds. Three hundred sockets stay silent while
a hundred ask again and again. No frame may be lost or come twice, and the silent ones must still be open at the end.
Then the web process gets a SIGTERM in the middle of twenty answers; whoever listened comes back as a page does.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import time
import uuid
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults import SERVICES
from tests.load import PEOPLE, scripted
from tests.product import ROOT, Product, running
from tests.sockets import Socket, sign_in

SPEAKS = 8.0
"""Seconds of an answer; a hundred sockets then stay below the questions that four members may ask in a minute."""
THINKS = (4.5, 8.0)
WITHIN = 60.0
"""Seconds after the SIGTERM in which each turn must have ended."""


@dataclass(slots=True)
class Heard:
    """One conversation: its frames, each once, and what was wrong with how they came."""

    cookies: str
    conversation: uuid.UUID = field(default_factory=uuid.uuid4)
    frames: list[dict[str, Any]] = field(default_factory=list)
    overheads: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, frame: dict[str, Any]) -> None:
        """Take a frame as the next one, or say what it is instead."""
        if "seq" not in frame:
            self.wrong[f"{frame['type']} {frame.get('code', '')}"] += 1
            return
        last = self.frames[-1]["seq"] if self.frames else 0
        if frame["seq"] <= last:
            self.wrong["twice"] += 1
            return
        self.wrong["lost"] += frame["seq"] - last - 1
        self.frames.append(frame)
        if frame["type"] == "done":
            pieces = [one for one in self.frames if one["type"] == "delta" and one["turn"] == frame["turn"]]
            whole = "".join(one["text"] for one in sorted(pieces, key=lambda one: one["n"]))
            self.wrong["not the text"] += whole != frame["text"]

    @property
    def done(self) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == "done"]


async def talk(address: str, heard: Heard, until: float, speaks: float, number: int) -> None:
    """Ask, listen to the end, think, ask again, on one socket."""
    async with Socket(address, heard.cookies, heard.conversation) as line:
        await asyncio.sleep(random.uniform(0, speaks))
        while time.monotonic() < until:
            began = time.monotonic()
            line.ask(f"How do I sign up? ({number}.{len(heard.done)})")
            ended = len(heard.done)
            while len(heard.done) == ended and not heard.wrong.total():
                heard.add(await line.frame())
            heard.overheads.append(time.monotonic() - began - speaks)
            await asyncio.sleep(random.uniform(*THINKS) * speaks / SPEAKS)


async def crowd(product: Product, idle: int, active: int, seconds: float, speaks: float) -> dict[str, Any]:
    """The silent ones and those that ask, side by side."""
    cookies = [sign_in(product.address, name) for name in PEOPLE]
    talks = [Heard(cookies[number % len(cookies)]) for number in range(active)]
    async with AsyncExitStack() as stack:
        silent = [
            await stack.enter_async_context(Socket(product.address, cookies[number % len(cookies)], uuid.uuid4()))
            for number in range(idle)
        ]
        for line in silent:
            line.send(type="resume", after=0)
        hearing = [asyncio.create_task(line.frame(WITHIN + seconds)) for line in silent]  # also answers the pings
        until = time.monotonic() + seconds
        asking = (talk(product.address, heard, until, speaks, number) for number, heard in enumerate(talks))
        await asyncio.gather(*asking)
        memory = await asyncio.to_thread(resident, product)
        closed = sum([not await _lives(line, heard) for line, heard in zip(silent, hearing, strict=True)])
    wrong = sum((heard.wrong for heard in talks), Counter())
    overheads = sorted(each for heard in talks for each in heard.overheads)
    return {
        "idle": idle, "active": active, "seconds": seconds, "turns": len(overheads),
        "frames": sum(len(heard.frames) for heard in talks), "wrong": dict(+wrong), "idle_closed": closed,
        "ends": dict(Counter(frame["state"] for heard in talks for frame in heard.done)),
        "overhead": {"median": round(overheads[len(overheads) // 2], 3),
                     "p95": round(overheads[int(0.95 * len(overheads))], 3)},
        "resident_mib": memory,
    }  # fmt: skip


async def _lives(line: Socket, heard: asyncio.Task[dict[str, Any]]) -> bool:
    """Whether a silent socket still answers, and has heard of nothing else."""
    try:
        line.send(type="ping")
        return (await heard)["type"] == "pong"
    except (OSError, EOFError, TimeoutError):
        return False


def resident(product: Product) -> dict[str, int]:
    """MiB of each service, what is shared counted by its share."""
    found = {}
    pids = product.pids()
    for name, words in {**SERVICES, "scheduler": ("celery", " beat")}.items():
        mine = [pid for pid in pids if all(word in _command(pid) for word in words)]
        mine += [pid for pid in pids if name == "postgres" and _command(pid).startswith("postgres:")]
        found[name] = round(sum(_pss(pid) for pid in mine) / 1024)
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:  # it has ended meanwhile
        return ""


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


async def restart(product: Product, streams: int, speaks: float) -> dict[str, Any]:
    """So many answers begun in turn, a SIGTERM to the web process, and everybody back by `resume`."""
    cookies = [sign_in(product.address, name) for name in PEOPLE]
    talks = [Heard(cookies[number % len(cookies)]) for number in range(streams)]
    listening = [asyncio.create_task(_follow(product.address, heard, wait=n / streams * speaks))
                 for n, heard in enumerate(talks)]  # fmt: skip
    await asyncio.sleep(speaks * 0.9)
    begun = [heard for heard in talks if heard.frames]
    streamed = sum(not heard.done for heard in begun)
    web = product.pid(*SERVICES["web"])
    assert web is not None
    os.kill(web, signal.SIGTERM)
    told = time.monotonic()
    try:
        async with asyncio.timeout(WITHIN):
            await asyncio.gather(*listening)
    except TimeoutError:
        pass
    wrong = sum((heard.wrong for heard in talks), Counter())
    wrong["no end"] = sum(len(heard.done) != 1 for heard in talks)
    return {
        "streams": streams, "streamed_at_sigterm": streamed, "wrong": dict(+wrong),
        "ends": dict(Counter(frame["state"] for heard in talks for frame in heard.done)),
        "longest": round(time.monotonic() - told, 1),
    }  # fmt: skip


async def _follow(address: str, heard: Heard, wait: float) -> None:
    """Ask once, and come back until the end is heard."""
    await asyncio.sleep(wait)
    client = str(uuid.uuid4())
    while not heard.done:
        try:
            async with Socket(address, heard.cookies, heard.conversation) as line:
                if heard.frames:
                    line.send(type="resume", after=heard.frames[-1]["seq"])
                else:
                    line.send(type="ask", client_id=client, text=f"How do I sign up? ({client[:6]})")
                while not heard.done:
                    frame = await line.frame()
                    if frame.get("code") != "temporarily_unavailable":
                        heard.add(frame)
        except (OSError, EOFError, TimeoutError, AssertionError):
            await asyncio.sleep(0.5)


def run(idle: int, active: int, seconds: float, streams: int, speaks: float = SPEAKS) -> dict[str, Any]:
    """The whole of it, on a product of its own."""
    with (
        scripted(speaks, int(speaks * 10)) as model,
        running(LLM_BASE_URL=model, LLM_MODEL="big", LLM_SMALL_MODEL="small") as product,
    ):
        found = {"sockets": asyncio.run(crowd(product, idle, active, seconds, speaks))}
        return found | {"restart": asyncio.run(restart(product, streams, speaks))}


def sound(found: dict[str, Any]) -> bool:
    """Nothing lost, nothing twice, nobody dropped, every turn ended."""
    return not any(part["wrong"] for part in found.values()) and not found["sockets"]["idle_closed"]


def main() -> None:
    """Measure, print, keep; exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=int, default=300)
    parser.add_argument("--active", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--streams", type=int, default=20)
    chosen = parser.parse_args()
    found = run(chosen.idle, chosen.active, chosen.seconds, chosen.streams)
    print(json.dumps(found, indent=2))
    kept = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "bench" / "idle.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(0 if sound(found) else 1)


if __name__ == "__main__":
    main()
