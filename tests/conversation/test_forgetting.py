"""What is forgotten leaves the stored regions and the window too; a regenerated answer is no new evidence."""

import json
import uuid

import pytest
from asgiref.sync import async_to_sync
from django.test import RequestFactory

from assistant.conversation import api, turn
from assistant.conversation.frames import Regenerate
from assistant.conversation.models import Turn
from memory import correct, forget_many
from memory.forget_many import From
from memory.models import Memory
from profiles.access import scoped
from profiles.learn import profile_of
from tests.conversation.test_turn import ask
from tests.people import World
from tests.test_staff import client

SAYS = {
    "en": ("I prefer zebrafont.", "zebrafont", "What did I prefer?"),
    "zh": ("我住在苏州。", "苏州", "我住在哪里？"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_forgotten_word_stands_in_no_region_and_in_no_later_window(world: World, language: str) -> None:
    says, word, question = SAYS[language]
    conversation = uuid.uuid4()
    ask(world.alice, says, conversation)
    asked = ask(world.alice, question, conversation)
    with scoped(world.alice):
        memory = Memory.objects.live().get(value=word)
        assert word in json.dumps(Turn.objects.get(id=asked).regions, ensure_ascii=False), "it was in the context"
        correct.forget(world.alice, memory.id)
    request = RequestFactory().get("/")
    request.reader = world.alice  # type: ignore[attr-defined]
    assert word not in json.dumps(api.context(request, asked), ensure_ascii=False)
    later = ask(world.alice, question, conversation)
    with scoped(world.alice):
        assert word not in json.dumps(Turn.objects.get(id=later).regions, ensure_ascii=False)


@pytest.mark.parametrize(("said", "word", "other", "question"), [
    ("Which colour fits the zebrafont poster?", "colour", "Thanks, goodbye", "the zebrafont poster?"),
    ("斑马海报配什么颜色？", "颜色", "谢谢，再见", "斑马海报？"),
])  # fmt: skip
def test_an_exchange_forgotten_as_a_whole_is_shown_in_no_stored_context(
    world: World, said: str, word: str, other: str, question: str
) -> None:
    before = uuid.uuid4()
    whole = ask(world.alice, said, before)
    ask(world.alice, other, before)  # so that the overview does not tell of it
    conversation = uuid.uuid4()
    asked = ask(world.alice, question, conversation)
    request = RequestFactory().get("/")
    request.reader = world.alice  # type: ignore[attr-defined]

    def shown() -> list[bool]:
        page = client(world.alice).get(f"/c/{conversation}/turns/{asked}/why/").content.decode()
        return [word in text for text in (page, json.dumps(api.context(request, asked), ensure_ascii=False))]

    assert shown() == [True, True]
    with scoped(world.alice):
        done = forget_many.forget(world.alice, world.alice.member, From(turn=whole))
    assert (done.memories, shown()) == (0, [False, False])
    with scoped(world.alice):
        assert forget_many.undo(world.alice, world.alice.member, done.change)
    assert shown() == [True, True]
    with scoped(world.alice):
        forget_many.forget(world.alice, world.alice.member, From(turn=whole))
        forget_many.let_go(world.alice, [whole])
    assert shown() == [False, False]


def test_regenerating_is_no_second_evidence(world: World) -> None:
    conversation = uuid.uuid4()
    first = ask(world.alice, "我喜欢川菜。", conversation)

    async def again() -> None:
        frame = Regenerate(type="regenerate", turn=first, client_id=uuid.uuid4())
        await turn.start(world.alice, conversation, frame)
        for task in list(turn._tasks.values()):
            await task

    async_to_sync(again)()
    with scoped(world.alice):
        assert Turn.objects.filter(conversation_id=conversation).count() == 2
        assert [memory.evidence for memory in Memory.objects.live()] == [1]


def test_what_was_undone_leaves_the_profile_too(world: World) -> None:
    ask(world.alice, "记住：我喜欢靠窗的座位", uuid.uuid4())
    with scoped(world.alice):
        assert profile_of(world.alice).interests == ["靠窗的座位"]
        correct.undo(world.alice, Memory.objects.live().get().versions.get().change)
        assert profile_of(world.alice).interests == []
