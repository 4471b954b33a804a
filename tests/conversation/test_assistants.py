"""Several assistants: each with its persona, its model, its spaces, and no more than its role says."""

import asyncio
import uuid

import pytest
from asgiref.sync import async_to_sync
from django.db import ProgrammingError, transaction

from assistant.conversation import assistants, turn
from assistant.conversation.frames import Ask, Refusal
from assistant.conversation.models import Assistant, Conversation, Turn
from memory import blocks, correct
from memory.models import Episode, Memory
from profiles.access import Reader, scoped
from profiles.models import Membership, Space
from tests.people import World
from tests.scripted import Scripted

ALL = ["personal:semantic", "personal:episodic", "community:semantic"]


def hire(world: World, slug: str, **role: object) -> Assistant:
    with scoped(world.mei):
        return Assistant.objects.create(community_id=world.mei.community, slug=slug, name=slug, **role)


def talk(reader: Reader, text: str, assistant: str | None, conversation: uuid.UUID | None = None) -> Turn:
    async def run() -> uuid.UUID:
        frame = Ask(type="ask", client_id=uuid.uuid4(), text=text, assistant=assistant)
        running = await turn.start(reader, conversation or uuid.uuid4(), frame)
        for task in list(turn._tasks.values()):
            await asyncio.wait_for(task, 20)
        return running.turn

    asked = async_to_sync(run)()
    with scoped(reader):
        return Turn.objects.get(id=asked)


def region(row: Turn, name: str) -> str:
    return next(str(one["text"]) for one in row.regions if one["name"] == name)


def test_each_has_its_persona_and_its_model_and_they_stay(world: World, script: Scripted) -> None:
    kind, strict = hire(world, "kind", is_default=True, model="small-one"), hire(world, "strict", model="large-one")
    with scoped(world.mei):
        for row, text in ((kind, "Warm."), (strict, "Exact.")):
            blocks.write(world.mei, blocks.persona_of(world.mei, row.id), text, actor="moderator")
    script.step(lambda seen: True, "OK", endless=True)
    conversation = uuid.uuid4()
    assert region(talk(world.alice, "hello", None), "persona") == "Warm."
    assert region(talk(world.alice, "hello", "strict", conversation), "persona") == "Exact."
    assert region(talk(world.alice, "hello again", "kind", conversation), "persona") == "Exact.", "it is fixed"
    assert [seen.body["model"] for seen in script.asked(streamed=True)] == ["small-one", "large-one", "large-one"]


@pytest.mark.parametrize(("text", "question", "word"), [
    ("我住在苏州。", "我住在哪里？", "苏州"), ("I live in Oslo.", "Where do I live?", "Oslo"),
])  # fmt: skip
def test_without_the_right_to_read_nothing_is_found_and_nothing_breaks(
    world: World, text: str, question: str, word: str
) -> None:
    hire(world, "all", is_default=True)
    hire(world, "blind", reads=[], writes=[])
    talk(world.alice, text, "all")
    seeing, blind = talk(world.alice, question, "all"), talk(world.alice, question, "blind")
    assert word in seeing.answer
    assert word not in blind.answer
    assert [region(blind, name) for name in ("profile", "memories", "knowledge", "overviews")] == [""] * 4


@pytest.mark.parametrize(("stated", "asked", "word"), [
    ("我喜欢川菜。", "请记住：我喜欢粤菜。", "粤菜"), ("I like ramen.", "Remember: I like soba.", "soba"),
])  # fmt: skip
def test_without_the_right_to_write_only_an_explicit_wish_is_kept(
    world: World, stated: str, asked: str, word: str
) -> None:
    hire(world, "reader", reads=ALL, writes=[])
    talk(world.alice, stated, "reader")
    talk(world.alice, asked, "reader")
    with scoped(world.alice):
        assert [word in row.text for row in Memory.objects.live().filter(owner_id=world.alice.member)] == [True]
        assert not Episode.objects.filter(owner_id=world.alice.member).exists()


def test_the_database_knows_the_role_too(world: World) -> None:
    row = hire(world, "narrow", reads=["community:semantic"], writes=["personal:episodic"])
    with scoped(world.alice):
        change = correct.state(world.alice, "I live in Oslo.", owner=world.alice.member)
        acting = assistants.acting(world.alice, row)
    with scoped(acting):
        assert not Memory.objects.filter(id=change.memory.id).exists()
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            correct.state(world.alice, "I live in Bergen.", owner=world.alice.member)
    with scoped(world.alice):
        assert Memory.objects.filter(id=change.memory.id).exists()


def test_who_may_write_but_not_read_is_offered_no_notes(world: World, script: Scripted) -> None:
    hire(world, "deaf", reads=[], writes=["personal:semantic"])
    script.step("hello", "Hi.")
    talk(world.alice, "hello", "deaf")
    assert "tools" not in script.asked(streamed=True)[0].body


def test_one_for_a_space_is_offered_to_its_members(world: World) -> None:
    space = Space.objects.using("owner").create(community_id=world.alice.community, slug="garden", name="Garden")
    Membership.objects.using("owner").get(id=world.bob.member).spaces.add(space)
    row = hire(world, "gardener", is_default=True)
    through = Assistant.spaces.through
    through.objects.using("owner").create(assistant_id=row.id, space_id=space.id)
    with scoped(world.alice):
        assert assistants.offered(world.alice) == []
    from profiles.access import reader_for

    bob = reader_for(world.bob.person)
    assert bob is not None
    with scoped(bob):
        assert [one.slug for one in assistants.offered(bob)] == ["gardener"]
        assert assistants.acting(bob, row).spaces == (space.id,)
    with pytest.raises(Refusal, match="no such assistant"):
        talk(world.alice, "hello", "gardener")
    with scoped(world.alice):
        assert not Conversation.objects.filter(owner_id=world.alice.member).exists()
    for reader, has in ((world.alice, None), (bob, row.id)):
        asked = talk(reader, "hello", None)
        with scoped(reader):
            assert Conversation.objects.get(id=asked.conversation_id).assistant_id == has
