"""An ordinary HTTP client with a token: it asks and waits, and it asks and reads along."""

import json
import time
import uuid

import httpx
import pytest

from tests.product import Product
from tests.scripted import Reply, Scripted
from tests.sockets import sign_in

PIECES, SECONDS = 8, 2.0


@pytest.fixture
def program(telling: Product) -> httpx.Client:
    """What holds a token of Bob's that may talk."""
    cookies = sign_in(telling.address, "bob")
    csrf = cookies.partition("csrftoken=")[2].partition(";")[0]
    headers = {"Cookie": cookies, "X-CSRFToken": csrf, "Origin": telling.address}
    made = httpx.post(f"{telling.address}/api/v1/tokens", json={"scopes": ["chat"]}, headers=headers).raise_for_status()
    return httpx.Client(base_url=f"{telling.address}/api/v1", headers={"Authorization": f"Bearer {made.json()['token']}"}, timeout=30)


@pytest.mark.parametrize(("question", "answer"), [("请讲个故事给程序听", "从前有座山。"), ("Tell the program a story", "Once upon a time.")])
def test_it_asks_and_reads_along(program: httpx.Client, storyteller: Scripted, question: str, answer: str) -> None:
    storyteller.step(question, Reply(answer, pieces=PIECES, duration=SECONDS))
    talk, frames, times = uuid.uuid4(), [], []
    with program.stream(
        "POST", f"/conversations/{talk}/ask", json={"text": question}, headers={"Accept": "text/event-stream"}
    ) as answered:
        assert answered.headers["content-type"] == "text/event-stream"
        for line in answered.iter_lines():
            if line.startswith("data: "):
                frames.append(json.loads(line[6:]))
                times.append(time.monotonic())
    assert [frames[0]["type"], frames[-1]["type"], frames[-1]["text"]] == ["accepted", "done", answer]
    deltas = [at for frame, at in zip(frames, times, strict=True) if frame["type"] == "delta"]
    assert deltas[-1] - deltas[0] > SECONDS / 4, "they came while it was written, not all at its end"
    storyteller.step(question + "2", Reply(answer))
    waited = program.post(f"/conversations/{talk}/ask", json={"text": question + "2"}).raise_for_status().json()
    assert (waited["state"], waited["answer"], waited["parent"]) == ("answered", answer, frames[0]["turn"])
    assert program.get("/memories").json()["code"] == "forbidden"
