"""An answer by a model, in steps: it speaks, uses tools, and goes on with what they gave, up to a limit."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from assistant.conversation import tools
from assistant.conversation.regions import tokens
from assistant.conversation.running import Running
from assistant.conversation.units import db
from assistant.llm import chat
from memory import policy

LEFT_OUT = json.dumps({"ok": True, "left_out": "older results are not repeated; search again if they are needed"})


async def answer(running: Running) -> AsyncGenerator[str]:
    """Pieces of the answer; raises `chat.ModelUnavailable`.

    After tools the model goes on if it has said nothing yet, or asked for a heartbeat; in the last step it is offered
    none.
    """
    assert running.context is not None
    messages: list[dict[str, Any]] = [dict(message) for message in running.context.messages()]
    offered = tools.offered(running)
    spoken = False
    for step in range(policy.TOOL_STEPS + 1):
        used = chat.Tools(offered, over=step == policy.TOOL_STEPS)
        said: list[str] = []
        async with aclosing(_step(running, messages, used)) as pieces:
            async for piece in pieces:
                if spoken and not said:
                    yield "\n\n"
                said.append(piece)
                yield piece
        text = "".join(said)
        spoken = spoken or bool(text.strip())
        if not spoken and used.over:
            raise chat.ModelUnavailable("empty")
        if not used.calls or used.over:
            return
        calls = used.calls[: policy.TOOL_CALLS]
        running.near = await tools.meanings(calls)
        results = await db(tools.run, running, calls)
        if spoken and not any(result.heartbeat for result in results):
            return
        messages += _exchange(text, used.calls, results)
        _within(messages)


async def _step(running: Running, messages: list[dict[str, Any]], used: chat.Tools) -> AsyncGenerator[str]:
    """One call of the model; what it took is added to the turn's usage, however it ends."""
    usage = chat.Usage()
    try:
        async with aclosing(chat.stream(messages, usage, model=running.model, tools=used)) as pieces:
            async for piece in pieces:
                running.usage.asked = True
                yield piece
    finally:
        running.usage.asked = running.usage.asked or usage.asked
        running.usage.input += usage.input
        running.usage.output += usage.output


def _exchange(said: str, calls: list[chat.Call], results: list[tools.Result]) -> list[dict[str, Any]]:
    """The calls and what came of each, as the model is told; those over the limit are refused."""
    asked = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
        for call in calls
    ]
    told = [result.told() for result in results] + [{"ok": False, "error": "too many calls at once"}] * len(
        calls[len(results) :]
    )
    return [
        {"role": "assistant", "content": said or None, "tool_calls": asked},
        *(
            {"role": "tool", "tool_call_id": call.id, "content": json.dumps(outcome, ensure_ascii=False)}
            for call, outcome in zip(calls, told, strict=True)
        ),
    ]


def _within(messages: list[dict[str, Any]]) -> None:
    """What tools gave stays within its own budget: the oldest goes first, and nothing else is cut for it."""
    given = [message for message in messages if message["role"] == "tool"]
    left = policy.TOOL_TOKENS
    for message in reversed(given):
        left -= tokens(message["content"])
        if left < 0 and message is not given[-1]:
            message["content"] = LEFT_OUT
