"""Another embedder: its vectors are made beside those that serve, and the old ones go when asked to."""

import json
import uuid
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from assistant import tasks
from assistant.llm import embedding
from memory import recall
from memory.models import Embedder, MemoryVector
from profiles.access import scoped
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted


def reembed(*arguments: str) -> tuple[dict[str, Any], str]:
    said, way = StringIO(), StringIO()
    with override_settings():
        call_command("reembed", *arguments, "--json", stdout=said, stderr=way)
    return json.loads(said.getvalue()), way.getvalue()


def makers(world: World) -> set[str]:
    with scoped(world.alice):
        used = MemoryVector.objects.filter(owner_id=world.alice.member).values_list("embedder", flat=True)
        return set(Embedder.objects.filter(id__in=list(used)).values_list("key", flat=True))


def test_the_next_embedder_is_filled_while_the_old_one_serves_and_then_the_old_goes(world: World) -> None:
    ask(world.alice, "我喜欢川菜。", uuid.uuid4())
    tasks.embed()
    (old,) = makers(world)
    with Scripted(default=Reply()) as other:
        done, way = reembed("--base-url", other.url, "--model", "next")
        assert done["made"] > 0 and done["have"] == done["of"] and "/" in way and done["dropped"] == 0
        assert settings.EMBEDDING_BASE_URL == "", "only the command asked the other"
        assert makers(world) == {old, done["embedder"]}
        question = embedding.passages(["吃什么好？"])
        assert question.by == old
        with scoped(world.alice):
            assert recall.recall(world.alice, "吃什么好？", meaning=question).notes == (), "still by meaning"
        assert reembed("--base-url", other.url, "--model", "next")[0]["made"] == 0, "a second run has nothing to do"
        assert reembed("--base-url", other.url, "--model", "next", "--drop-others")[0]["dropped"] > 0
    assert makers(world) == {done["embedder"]}
    assert reembed()[0]["made"] > 0, "back again, for the tests that follow"


@pytest.mark.parametrize("fault", ["nan", "wrong_size"])
def test_what_a_broken_embedder_gives_is_not_kept(world: World, fault: Any) -> None:
    ask(world.alice, "I like sushi.", uuid.uuid4())
    with Scripted(default=Reply()) as other:
        other.step(lambda seen: len(seen.body["input"]) > 1 or seen.body["input"] != ["?"], Reply(fault=fault), endless=True)
        with pytest.raises(CommandError, match="gave no more vectors"):
            reembed("--base-url", other.url, "--model", f"broken-{fault}")
    assert not any("broken" in key for key in makers(world))
