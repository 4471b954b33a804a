"""Forty turns at once on one web process: `python -m tests.load`; a table on the screen, JSON under `$VAR_DIR/bench/`.

The product is started anew, its model is the scripted one: a reply of one second. A turn's time runs from its `ask`
to its `done`. The goal: half of forty turns at once take no more than 1.5 times as long as half of those alone.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.product import ROOT, running
from tests.sockets import Socket, sign_in

PEOPLE = ("alice", "bob", "mei", "admin")
QUESTIONS = (
    "How do I sign up for a meetup?",
    "会费是多少？",
    "Who looks after the tool library?",
    "线下活动怎么报名？",
)
GOAL = 1.5
QUIET = 0.3
"""Seconds to the first piece of a turn, where nothing else is being done."""


@contextmanager
def scripted(duration: float, pieces: int) -> Iterator[str]:
    """A scripted model in a process of its own, so that it takes no time of the client's."""
    command = [sys.executable, "-m", "tests.scripted", "--port", "0", "--duration", str(duration),
               "--pieces", str(pieces)]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


async def one(
    address: str, cookies: str, number: int, start: asyncio.Event | None = None, different: bool = False
) -> dict[str, float]:
    """One turn in a conversation of its own: seconds to its acceptance, its first piece and its end."""
    question = QUESTIONS[number % len(QUESTIONS)] + (f" ({number})" if different else "")
    async with Socket(address, cookies, uuid.uuid4()) as line:
        if start is not None:
            await start.wait()
        began, first, accepted = time.monotonic(), 0.0, 0.0
        line.ask(question)
        while (frame := await line.frame())["type"] not in ("done", "error"):
            if frame["type"] == "accepted":
                accepted = time.monotonic() - began
            if frame["type"] == "delta" and not first:
                first = time.monotonic() - began
        assert frame.get("state") == "answered", frame
        return {"accepted": accepted, "first": first, "total": time.monotonic() - began}


async def together(address: str, cookies: list[str], count: int, different: bool) -> list[dict[str, float]]:
    """So many turns, asked in the same moment, each on a socket that is open already."""
    start = asyncio.Event()
    tasks = [asyncio.create_task(one(address, cookies[n % len(cookies)], n, start, different)) for n in range(count)]
    await asyncio.sleep(2)
    start.set()
    return list(await asyncio.gather(*tasks))


async def measure(address: str, count: int, rounds: int, different: bool) -> dict[str, Any]:
    """Turns alone, one after the other, then `rounds` times `count` of them at once."""
    cookies = [sign_in(address, name) for name in PEOPLE]
    for number in range(30):  # a product that has just started makes the vectors of its demo data
        if (await one(address, cookies[number % len(cookies)], number))["first"] < QUIET and number:
            break
        await asyncio.sleep(1)
    alone = [await one(address, cookies[n % len(cookies)], n) for n in range(8)]
    crowd = [each for _ in range(rounds) for each in await together(address, cookies, count, different)]
    questions = count if different else len(QUESTIONS)
    result: dict[str, Any] = {"turns_at_once": count, "questions": questions, "rounds": rounds, "goal": GOAL}
    for name, found in (("alone", alone), ("at_once", crowd)):
        result[name] = {
            part: {"median": _quantile(found, part, 0.5), "p95": _quantile(found, part, 0.95)} for part in found[0]
        }
    result["ratio"] = round(result["at_once"]["total"]["median"] / result["alone"]["total"]["median"], 2)
    return result


def _quantile(found: list[dict[str, float]], part: str, share: float) -> float:
    values = sorted(each[part] for each in found)
    return round(
        statistics.median(values) if share == 0.5 else values[min(len(values) - 1, int(share * len(values)))], 3
    )


def table(result: dict[str, Any]) -> str:
    """What is printed."""
    rows = [f"{'seconds':<12}{'alone: median':>15}{'p95':>8}{'at once: median':>18}{'p95':>8}"]
    for part in ("accepted", "first", "total"):
        alone, crowd = result["alone"][part], result["at_once"][part]
        rows.append(f"{part:<12}{alone['median']:>15}{alone['p95']:>8}{crowd['median']:>18}{crowd['p95']:>8}")
    return "\n".join([*rows, f"ratio of the totals: {result['ratio']} (goal: at most {GOAL})"])


def main() -> None:
    """Measure, print, keep; exit code 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--duration", type=float, default=1.0, help="seconds from the first piece to the last")
    parser.add_argument("--pieces", type=int, default=20)
    parser.add_argument("--different", action="store_true", help="no two of them ask the same")
    parser.add_argument("--address", default="", help="of a product that runs already")
    chosen = parser.parse_args()
    if chosen.address:
        result = asyncio.run(measure(chosen.address, chosen.turns, chosen.rounds, chosen.different))
    else:
        with (
            scripted(chosen.duration, chosen.pieces) as model,
            running(LLM_BASE_URL=model, LLM_MODEL="big", LLM_SMALL_MODEL="small") as product,
        ):
            result = asyncio.run(measure(product.address, chosen.turns, chosen.rounds, chosen.different))
    print(table(result))
    kept = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "bench" / "load.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(result, indent=2) + "\n")
    sys.exit(0 if result["ratio"] <= GOAL else 1)


if __name__ == "__main__":
    main()
