"""An answer in pieces: whatever goes wrong on the way has a code, keeps what came, and tells nobody's secrets."""

import asyncio
import logging
import traceback
from collections.abc import Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import pytest
from django.conf import settings
from django.test import override_settings

from assistant.llm import chat
from memory.protocols import Message
from tests.scripted import Reply, Scripted

T = TypeVar("T")
ASKED: list[Message] = [{"role": "user", "content": "你好 hello"}]
TEXTS = {"en": "Hello Alice, the meetup is in March. 🎉", "zh": "小雨你好，𠮷野的活动在三月。🎉"}


def run(work: Coroutine[Any, Any, T]) -> T:
    async def closing() -> T:
        try:
            return await work
        finally:
            await chat.close()

    return asyncio.run(closing())


def stream(usage: chat.Usage | None = None) -> tuple[str, str]:
    """What came, and the code of what went wrong."""

    async def read() -> tuple[str, str]:
        came: list[str] = []
        try:
            async for piece in chat.stream(ASKED, usage or chat.Usage()):
                came.append(piece)
        except chat.ModelUnavailable as problem:
            return "".join(came), problem.code
        return "".join(came), ""

    return run(read())


@pytest.mark.parametrize("language", TEXTS)
def test_it_comes_in_pieces_with_its_usage_and_cost(script: Scripted, language: str) -> None:
    script.step("你好", Reply(TEXTS[language], usage=(1000, 500)))
    usage = chat.Usage()
    assert stream(usage) == (TEXTS[language], "")
    assert (usage.input, usage.output) == (1000, 500)
    assert usage.cost == pytest.approx((1000 * 2.0 + 500 * 8.0) / 1_000_000)
    (seen,) = script.asked()
    assert seen.body["model"] == "big"
    assert seen.headers["authorization"] == "Bearer kk-Very-Private-1234567890"


@pytest.mark.parametrize("language", TEXTS)
def test_half_a_character_between_two_chunks_comes_whole(script: Scripted, language: str) -> None:
    script.step("你好", Reply(TEXTS[language], fault="half_utf8"))
    assert stream() == (TEXTS[language], "")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_is_asked_again_twice_and_no_more(script: Scripted, status: int) -> None:
    bad = Reply(status=status, headers={"Retry-After": "1"} if status == 429 else {"Retry-After-Ms": "10"})
    script.step("你好", bad, bad, "third time lucky")
    assert stream() == ("third time lucky", "")
    script.step("你好", bad, bad, bad)
    assert stream() == ("", f"http_{status}")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refused_request_is_not_repeated(script: Scripted, status: int) -> None:
    script.step("你好", Reply(status=status))
    assert stream() == ("", f"http_{status}")
    assert len(script.asked()) == 1


FAULTS = [
    (Reply("half an answer that ends", fault="cut"), "half an answer", "connection"),
    (Reply("half an answer that ends", fault="silent_end"), "half an answer that ends", "cut"),
    (Reply("half an answer that ends", fault="broken_json"), "half an answer", "bad_json"),
    (Reply("half an answer that ends", fault="wrong_types"), "half an answer", "bad_shape"),
    (Reply("half an answer that ends", finish="length"), "half an answer that ends", "length"),
    (Reply("", refusal="I can't."), "", "refused"),
    (Reply("Well", finish="content_filter"), "Well", "refused"),
    (Reply(""), "", "empty"),
    (Reply(" \n\t"), " \n\t", "empty"),
    (Reply("<think>hm</think>"), "", "empty"),
]


@pytest.mark.parametrize(("reply", "kept", "code"), FAULTS)
def test_what_goes_wrong_has_a_code_and_keeps_what_came(script: Scripted, reply: Reply, kept: str, code: str) -> None:
    script.step("你好", reply)
    text, found = stream()
    assert found == code
    assert text.strip() == kept[: len(text)].strip()
    assert bool(text.strip()) is bool(kept.strip())


@pytest.mark.parametrize("fault", ["hang", "hang_midway"])
def test_silence_ends_in_a_timeout_and_the_call_upstream_with_it(script: Scripted, fault: Any) -> None:
    script.step("你好", Reply("half an answer that ends", fault=fault), endless=True)
    with override_settings(LLM_TIMEOUT=0.3):
        text, code = stream()
    assert code == "timeout"
    assert bool(text) is (fault == "hang_midway")
    assert len(script.asked()) == (3 if fault == "hang" else 1), "half an answer is never asked for again"
    assert all(seen.gone.wait(5) for seen in script.asked())


def test_no_connection_is_told_apart() -> None:
    with override_settings(LLM_BASE_URL="http://127.0.0.1:9/v1", LLM_TIMEOUT=1.0):
        assert stream() == ("", "connection")


def test_whoever_stops_early_ends_the_call_upstream(script: Scripted) -> None:
    script.step("你好", Reply("a long answer " * 50, pieces=50, duration=60))

    async def first() -> str:
        async with aclosing(chat.stream(ASKED, chat.Usage())) as pieces:
            return await anext(pieces)

    assert run(first()).startswith("a long")
    assert script.asked()[0].gone.wait(5)


@pytest.mark.parametrize("pieces", [1, 3, 1000])
@pytest.mark.parametrize("before", ["", "<think>secret plan</think>\n\n", " <think>\nsecret <b> plan\n</think>"])
def test_a_thinking_block_before_the_answer_is_not_shown(script: Scripted, pieces: int, before: str) -> None:
    script.step("你好", Reply(f"{before}a < b, <think> is a tag", pieces=pieces))
    assert stream() == ("a < b, <think> is a tag", "")


def test_halves_of_a_character_in_two_pieces_are_joined_and_what_cannot_be_stored_is_left_out() -> None:
    shown = chat.Pieces()
    assert shown.feed("a\ud83d") == "a"
    assert shown.feed("\ude00b\x00c\ude00") == "😀bc"
    assert shown.feed("\ud83d") + shown.rest() == ""


def test_one_loop_shares_one_client(script: Scripted) -> None:
    script.step("你好", "one", "two")

    async def twice() -> bool:
        first = chat._client()
        for _ in range(2):
            async for _piece in chat.stream(ASKED, chat.Usage()):
                pass
        return first is chat._client()

    assert run(twice())


def test_neither_logs_nor_exceptions_hold_the_key_or_the_question(
    script: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    echo = f"bad key {settings.LLM_API_KEY} for 你好 hello"
    script.step("你好", Reply(status=401, error=echo), Reply(status=500, error=echo), Reply("x", fault="cut"))
    told = ""

    async def fail() -> None:
        nonlocal told
        for _ in range(2):
            try:
                async for _piece in chat.stream(ASKED, chat.Usage()):
                    pass
            except chat.ModelUnavailable as problem:
                told += "".join(traceback.format_exception(problem))

    with caplog.at_level(logging.INFO):
        run(fail())
    assert "http_401" in told
    assert "connection" in told
    for words in (settings.LLM_API_KEY, "hello", "你好"):
        assert words not in told.replace(__file__, "")
        assert words not in caplog.text
