"""The scripted model itself: a script that is not played as written fails, and its faults arrive as they should."""

import json
import math
import subprocess
import sys
from typing import Any

import httpx
import pytest

from tests.scripted import SIZE, Reply, Scripted, vector

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def post(script: Scripted, path: str, body: dict[str, Any]) -> Any:
    return httpx.post(f"{script.url}/{path}", json=body, timeout=10, trust_env=False)


def test_a_request_without_a_step_fails_the_script() -> None:
    with pytest.raises(AssertionError, match="no step"), Scripted() as script:
        assert post(script, "chat/completions", CHAT).status_code == 400


def test_a_step_without_its_request_fails_the_script() -> None:
    with pytest.raises(AssertionError, match="unused"), Scripted() as script:
        script.step("hello", "one", "two")
        post(script, "chat/completions", CHAT)


def test_a_matcher_that_objects_fails_the_script() -> None:
    def objects(seen: Any) -> bool:
        raise AssertionError("the canary is in it")

    with pytest.raises(AssertionError, match="canary"), Scripted() as script:
        script.step(objects, "one")
        assert post(script, "chat/completions", CHAT).json()["choices"][0]["message"]["content"] == "one"


def test_steps_are_played_in_order_and_every_request_is_recorded() -> None:
    with Scripted() as script:
        script.step("hello", "one")
        script.step("hello", "two")
        said = [post(script, "chat/completions", CHAT).json() for _ in range(2)]
        assert [one["choices"][0]["message"]["content"] for one in said] == ["one", "two"]
        assert [seen.body for seen in script.requests] == [CHAT, CHAT]


def embedded(fault: Any) -> list[dict[str, Any]]:
    with Scripted() as script:
        script.step("texts", Reply(fault=fault))
        sent = post(script, "embeddings", {"model": "texts", "input": ["你好", "hello"]})
        rows: list[dict[str, Any]] = json.loads(sent.text)["data"]
        return rows


def test_vectors_are_hashes_of_length_one() -> None:
    rows = embedded("")
    assert [row["embedding"] for row in rows] == [vector("你好"), vector("hello")]
    assert math.hypot(*rows[0]["embedding"]) == pytest.approx(1)
    assert len(rows[0]["embedding"]) == SIZE


def test_the_faults_of_vectors_arrive() -> None:
    assert all(math.isnan(number) for number in embedded("nan")[0]["embedding"])
    assert [len(row["embedding"]) for row in embedded("wrong_size")] == [SIZE - 1, SIZE]
    reordered = embedded("reordered")
    assert [row["index"] for row in reordered] == [1, 0]
    assert reordered[1]["embedding"] == vector("你好")


def test_it_runs_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "tests.scripted", "--port", "0", "--reply", "一二 three", "--pieces", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            url = running.stdout.readline().split()[-1]
            sent = httpx.post(f"{url}/chat/completions", json=CHAT | {"stream": True}, timeout=10, trust_env=False)
            events = [json.loads(line[6:]) for line in sent.text.splitlines() if line.startswith("data: {")]
            pieces = [event["choices"][0]["delta"].get("content", "") for event in events if event["choices"]]
            assert "".join(pieces) == "一二 three"
            assert len([piece for piece in pieces if piece]) == 3
            whole = httpx.post(f"{url}/chat/completions", json=CHAT, timeout=10, trust_env=False).json()
            assert json.loads(whole["choices"][0]["message"]["content"]) == {"facts": []}
        finally:
            running.terminate()
