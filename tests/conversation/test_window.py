"""Working memory in Valkey over the turns table, and overviews of earlier conversations."""

import asyncio
import json
import uuid

import pytest
import redis
from asgiref.sync import async_to_sync

from assistant import tasks
from assistant.conversation import turn, window
from assistant.conversation.frames import Edit
from assistant.conversation.models import Turn
from memory import correct, policy
from memory.models import Memory, Overview
from profiles.access import Reader, scoped
from profiles.learn import profile_of
from tests.conversation.test_turn import ask
from tests.people import World


def region(reader: Reader, asked: uuid.UUID, name: str) -> str:
    with scoped(reader):
        regions = Turn.objects.get(id=asked).regions
    return next(str(one["text"]) for one in regions if one["name"] == name)


def stored(reader: Reader, conversation: uuid.UUID) -> list[str]:
    """The questions of the rounds in Valkey."""
    kept = window._stored(reader, conversation)
    return [one.question for one in kept.rounds] if kept else []


@pytest.mark.parametrize(("first", "second"), [("讲讲潜水", "再详细一点"), ("Tell me about diving", "more detail")])
def test_the_last_round_is_in_the_next_context_from_valkey(world: World, first: str, second: str) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, first, conversation)
    assert stored(world.alice, conversation) == [first]
    asked = ask(world.alice, second, conversation)
    assert f"member: {first}" in region(world.alice, asked, "conversation")
    assert stored(world.alice, conversation) == [first, second]


def test_no_more_rounds_word_by_word_than_the_policy_says_and_the_older_ones_in_short(world: World) -> None:
    conversation = uuid.uuid4()
    for number in range(policy.WINDOW_ROUNDS + 3):
        asked = ask(world.alice, f"What about the thing {'abcdefghijklmnopqrst'[number]}, then?", conversation)
    text = region(world.alice, asked, "conversation")
    assert text.count("member: ") == policy.WINDOW_ROUNDS
    assert text.startswith("summary: Talked about: What about the thing a, then?; What about the thing b, then?")
    assert "member: What about the thing c, then?" in text


def test_without_what_is_stored_the_table_gives_the_same(world: World) -> None:
    conversation = uuid.uuid4()
    first = ask(world.alice, "one?", conversation)
    second = ask(world.alice, "two?", conversation)
    with scoped(world.alice):
        from_valkey = window.recent(world.alice, conversation, parent=second)
        window.drop(world.alice.member)
        assert stored(world.alice, conversation) == []
        assert window.recent(world.alice, conversation, parent=second) == from_valkey
        assert [one.question for one in from_valkey.rounds] == ["one?", "two?"]
        assert [one.question for one in window.recent(world.alice, conversation, parent=first).rounds] == ["one?"]


def test_without_valkey_the_table_is_enough(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = uuid.uuid4()
    first = ask(world.alice, "one?", conversation)
    nowhere = redis.Redis(unix_socket_path="/nowhere/valkey.sock")
    monkeypatch.setattr(window, "_valkey", lambda: nowhere)
    with scoped(world.alice):
        assert [one.question for one in window.recent(world.alice, conversation, parent=first).rounds] == ["one?"]
    window.drop(world.alice.member)


def test_another_branch_is_never_shown(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "one?", conversation)
    second = ask(world.alice, "two?", conversation)

    async def edit() -> uuid.UUID:
        running = await turn.start(
            world.alice, conversation, Edit(type="edit", turn=second, client_id=uuid.uuid4(), text="zwei?")
        )
        await asyncio.wait_for(turn._tasks[conversation], 20)
        return running.turn

    edited = async_to_sync(edit)()
    assert "two?" not in region(world.alice, edited, "conversation")
    third = ask(world.alice, "three?", conversation)
    text = region(world.alice, third, "conversation")
    assert "zwei?" in text
    assert "two?" not in text


@pytest.mark.parametrize("says", ["我住在苏州。", "I prefer zebrafont."])
def test_forgetting_empties_the_stored_window_and_the_overview(world: World, says: str) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, says, conversation)
    tasks.remember()
    with scoped(world.alice):
        memory = Memory.objects.live().get()
        assert Overview.objects.filter(conversation=conversation).exists()
        correct.forget(world.alice, memory.id)
    assert stored(world.alice, conversation) == []
    with scoped(world.alice):
        assert not Overview.objects.filter(conversation=conversation).exists()


@pytest.mark.parametrize(
    ("question", "topic"), [("线下活动的投影仪怎么借？", "投影仪"), ("How do I borrow the projector?", "projector")]
)
def test_a_later_conversation_has_an_overview_of_the_earlier_one(world: World, question: str, topic: str) -> None:
    ask(world.alice, question, uuid.uuid4())
    tasks.remember()
    assert topic in region(world.alice, ask(world.alice, "你好", uuid.uuid4()), "overviews")
    assert region(world.alice, ask(world.alice, question, uuid.uuid4()), "overviews").count("\n") == 0
    for stranger in (world.bob, world.charlie):
        assert topic not in json.dumps(region(stranger, ask(stranger, "你好", uuid.uuid4()), "overviews"))


@pytest.mark.parametrize(("about_me", "about_things"), [("我住哪里？", "会费是多少？"), ("Where do I live?", "What is the fee?")])
def test_a_question_about_oneself_is_no_topic(world: World, about_me: str, about_things: str) -> None:
    for question in (about_me, about_things):
        ask(world.alice, question, uuid.uuid4())
    tasks.remember()
    with scoped(world.alice):
        topics = {row.last: row.topics for row in Overview.objects.filter(owner_id=world.alice.member)}
        last = profile_of(world.alice).last_topics
    assert topics[about_me] == []
    assert topics[about_things] == last != []
