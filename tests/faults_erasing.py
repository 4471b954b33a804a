"""What a fault does to an erasure at eight points of its way: `python -m tests.faults_erasing`; a table, JSON under
`$VAR_DIR/bench/`.

The product is started anew. Somebody who has just been made a member talks with it, asks for everything to be deleted,
and once so many steps of that are done, one service dies (kill -9) or stops for thirty seconds. Then the erasure must
end as `done` within two minutes after the service is back, each step once, with a receipt that holds; no table and no
file says the word that only they had said; and whoever stays is answered.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg

from tests.faults import PAUSE, SERVICES, Asked, after, harm
from tests.product import ROOT, Product, running
from tests.sockets import Socket, sign_in

STEPS = ("freeze", "take", "archive", "exports", "mail", "rows", "cache", "tidy")
WITHIN = 120
JOIN = """
from profiles.models import Community, Membership, User
user = User.objects.db_manager("owner").create_user({name!r}, email="{name}@example.org", password="demo-{name}")
Membership.objects.using("owner").create(user=user, community=Community.objects.using("owner").get(slug="demo"), memory_on=True)
"""


def manage(product: Product, *words: str) -> str:
    """A management command beside the running product."""
    environment = {name: value for name, value in os.environ.items() if name != "KITH_DATABASE"}
    ended = subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, capture_output=True, text=True, check=True,
                           env=environment | {"VAR_DIR": str(product.var)}, timeout=120)  # fmt: skip
    return ended.stdout


def database(product: Product) -> psycopg.Connection[Any]:
    """As the cluster's own role, which no wall holds back."""
    deadline = time.monotonic() + WITHIN
    folder = next(path.parent for path in product.var.rglob(".s.PGSQL.*") if path.suffix != ".lock")
    while True:
        try:
            return psycopg.connect(f"host={folder} user=postgres dbname=kith", autocommit=True, connect_timeout=5)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


async def tells(product: Product, cookies: str, mark: str) -> None:
    """Somebody says things that are remembered, and hears answers."""
    for text in (f"Remember: my badge is {mark}.", f"我喜欢{mark}咖啡。", f"Where is {mark}?"):
        async with asyncio.timeout(60), Socket(product.address, cookies, uuid.uuid4()) as line:
            line.ask(text)
            while (await line.frame(30))["type"] != "done":
                pass


def asks_to_go(product: Product, cookies: str, name: str) -> str:
    """The request, confirmed; it begins with the worker's next round."""
    token = dict(pair.split("=", 1) for pair in cookies.split("; "))["csrftoken"]
    headers = {"Origin": product.address, "Cookie": cookies, "X-CSRFToken": token}
    with httpx.Client(base_url=f"{product.address}/api/v1", headers=headers, timeout=30) as client:
        made = client.post("/erasure-requests", json={}).raise_for_status().json()
        sure = {"password": f"demo-{name}", "phrase": made["phrase"]}
        client.post(f"/erasure-requests/{made['id']}/confirm", json=sure).raise_for_status()
    return str(made["id"])


def stands(held: psycopg.Connection[Any], request: str) -> tuple[str, list[str]]:
    row = held.execute("SELECT state, steps FROM profiles_erasurerequest WHERE id = %s", [request]).fetchone()
    assert row is not None
    return row


def left(product: Product, held: psycopg.Connection[Any], mark: str) -> list[str]:
    """Where the word still stands: tables, and files that are not the database's."""
    tables = [row[0] for row in held.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()]
    found = [name for name in tables
             if held.execute(f'SELECT 1 FROM "{name}" AS t WHERE t::text ILIKE %s LIMIT 1', [f"%{mark}%"]).fetchone()]  # fmt: skip
    services = next(path.parent for path in product.var.rglob("PG_VERSION"))
    for path in product.var.rglob("*"):
        if path.is_file() and services not in path.parents and mark.encode() in path.read_bytes():
            found.append(str(path.relative_to(product.var)))
    return found


def _signed_in(product: Product, name: str) -> str:
    """As soon as the web process is there."""
    deadline = time.monotonic() + WITHIN
    while True:
        try:
            return sign_in(product.address, name)
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def one(product: Product, number: int, service: str, kind: str, point: int) -> dict[str, Any]:
    """One person, one erasure, one fault."""
    name = f"leaver{number}"
    mark = "Z" + "".join(random.choices("aeiounrst", k=9))  # a name: what looks like a key is blacked out
    manage(product, "shell", "-c", JOIN.format(name=name))
    cookies = sign_in(product.address, name)
    asyncio.run(tells(product, cookies, mark))
    request = asks_to_go(product, cookies, name)
    with closing(database(product)) as held:
        before = left(product, held, mark)
        assert {"conversation_turn", "memory_memory", "memory_episode"} <= set(before), before
        state, steps = stands(held, request)
        while (state not in ("erasing", "verifying", "done") or len(steps) < point) and state != "partial":
            state, steps = stands(held, request)
    harm(product, service, kind)
    since = time.monotonic()
    wrong: list[str] = []
    state, done = "", []
    while time.monotonic() - since < WITHIN and state not in ("done", "partial"):
        with suppress(psycopg.OperationalError), closing(database(product)) as held:
            state, done = stands(held, request)
        time.sleep(0.3)
    seconds = round(time.monotonic() - since, 1)
    if state != "done" or tuple(done) != STEPS:
        wrong.append(f"{state}, {done}")
    with closing(database(product)) as held:
        wrong += [f"still in {place}" for place in left(product, held, mark)]
        (receipt,) = held.execute(
            "SELECT receipt FROM profiles_erasurerequest WHERE id = %s", [request]
        ).fetchone() or ("",)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(receipt))
        file.flush()
        try:
            manage(product, "verify_receipt", file.name)
        except subprocess.CalledProcessError as problem:
            wrong.append(f"the receipt: {problem.stderr[-200:]}")
    stays = Asked(_signed_in(product, "alice"), uuid.uuid4())
    asyncio.run(after(product.address, stays, time.monotonic()))
    if stays.state != "answered":
        wrong.append(f"whoever stays: {stays.state}")
    return {"service": service, "fault": kind, "after": steps, "state": state, "seconds": seconds, "wrong": wrong}


def main() -> None:
    """Harm, look, print, keep; exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", nargs="*", default=list(SERVICES), choices=list(SERVICES))
    parser.add_argument("--faults", nargs="*", default=["kill", "pause"], choices=["kill", "pause"])
    parser.add_argument(
        "--points", nargs="*", type=int, default=list(range(len(STEPS))), help="steps that are done before it"
    )
    chosen = parser.parse_args()
    found: list[dict[str, Any]] = []
    with running() as product:
        for kind in chosen.faults:
            for service in chosen.services:
                for point in chosen.points:
                    found.append(one(product, len(found), service, kind, point))
                    row = found[-1]
                    at = f"after {row['after'][-1]}" if row["after"] else "begun"
                    print(f"{service:<10}{kind:<7}{at:<15}{row['state']:<9}{row['seconds']:>6} s  {'; '.join(row['wrong']) or 'ok'}",
                          flush=True)  # fmt: skip
    kept = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "bench" / "faults_erasing.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found, indent=2) + "\n")
    print(f"{len(found)} erasures, a pause is {PAUSE} s")
    sys.exit(1 if any(row["wrong"] for row in found) else 0)


if __name__ == "__main__":
    main()
