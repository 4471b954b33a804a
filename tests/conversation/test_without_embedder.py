"""With the embedder gone a turn still finds by words, and says so in what it keeps."""

import uuid

import pytest

from assistant import tasks
from assistant.conversation.models import Turn
from assistant.llm import embedding
from profiles.access import scoped
from tests.conversation.test_turn import ask, frames
from tests.people import World


@pytest.mark.parametrize(
    ("told", "question", "word"),
    [("我喜欢川菜", "我喜欢什么川菜？", "川菜"), ("I like jasmine tea.", "Which jasmine do I like?", "jasmine")],
)
def test_words_alone_find_and_the_context_notes_it(
    world: World, monkeypatch: pytest.MonkeyPatch, told: str, question: str, word: str
) -> None:
    def gone(texts: object) -> None:
        raise embedding.Unavailable("ConnectError")

    ask(world.alice, told, uuid.uuid4())
    monkeypatch.setattr(embedding, "query", gone)
    conversation = uuid.uuid4()
    turn = ask(world.alice, question, conversation)
    done = frames(world.alice, conversation)[-1]
    assert done["state"] == "answered"
    assert word in done["text"]
    assert done["cited"]
    with scoped(world.alice):
        regions = {region["name"]: region for region in Turn.objects.get(id=turn).regions}
    assert regions["memories"]["notes"] == ["words alone"]


def test_with_the_embedder_there_is_no_note(world: World) -> None:
    ask(world.alice, "我喜欢川菜", uuid.uuid4())
    tasks.embed()
    turn = ask(world.alice, "我喜欢吃什么？", uuid.uuid4())
    with scoped(world.alice):
        regions = {region["name"]: region for region in Turn.objects.get(id=turn).regions}
    assert "notes" not in regions["memories"]
    assert "川菜" in regions["memories"]["text"]


