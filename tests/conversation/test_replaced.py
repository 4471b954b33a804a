"""What the background path makes of words that another turn took the place of before they were read: nothing."""

import uuid

import pytest
from asgiref.sync import async_to_sync

from assistant import tasks
from assistant.conversation import remembering
from memory import correct, forget_many
from memory.forget_many import From
from memory.models import Episode, Memory, Overview
from memory.recall import recall
from profiles.access import scoped
from profiles.learn import profile_of
from tests.conversation.test_branches import edit, regenerate
from tests.conversation.test_remembering import SAID, extraction, memories, row
from tests.conversation.test_turn import ask
from tests.memory.extraction.test_extract import answer, fact
from tests.people import World
from tests.scripted import Scripted

pytestmark = pytest.mark.usefixtures("chatting")


@pytest.mark.parametrize("language", SAID)
def test_words_that_were_replaced_are_not_read(world: World, script: Scripted, language: str) -> None:
    says, _, value = SAID[language]
    talk = uuid.uuid4()
    asked = ask(world.alice, says, talk)
    edit(world.alice, talk, asked, "When is yoga?")
    tasks.remember()
    assert script.asked(streamed=False) == []
    assert row(world.alice, asked).remembered_at is not None
    with scoped(world.alice):
        assert value not in str(list(Overview.objects.values("topics", "last")))


@pytest.mark.parametrize("language", SAID)
def test_words_that_were_replaced_while_the_model_was_thinking_teach_nothing(
    world: World, script: Scripted, language: str
) -> None:
    says, quote, value = SAID[language]
    talk = uuid.uuid4()
    asked = ask(world.alice, says, talk)
    extraction(script, answer(fact(quote, "likes", value)))
    job = remembering.begin(world.alice, asked)
    assert job is not None
    found = async_to_sync(remembering.read)([job])
    edit(world.alice, talk, asked, "When is yoga?")
    assert remembering.finish(job, found[0])
    assert memories(world.alice) == []
    assert row(world.alice, asked).remembered_at is not None


def test_what_followed_a_replaced_turn_teaches_nothing_either(world: World, script: Scripted) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, "Where is the kiln?", talk)
    ask(world.alice, SAID["en"][0], talk)
    edit(world.alice, talk, first, "When is yoga?")
    tasks.remember()
    assert script.asked(streamed=False) == []
    with scoped(world.alice):
        assert "kiln" not in str(profile_of(world.alice).last_topics)


def test_words_that_were_answered_anew_and_forgotten_teach_nothing(world: World, script: Scripted) -> None:
    talk = uuid.uuid4()
    newer = regenerate(world.alice, talk, ask(world.alice, SAID["zh"][0], talk))
    with scoped(world.alice):
        forget_many.forget(world.alice, world.alice.member, From(turn=newer))
    tasks.remember()
    assert script.asked(streamed=False) == []


@pytest.mark.parametrize(("says", "word", "asks"), [("I love jazz.", "jazz", "what about jazz"), ("我喜欢爵士乐。", "爵士乐", "爵士乐怎么样")])
@pytest.mark.parametrize("first", [False, True])
def test_words_that_were_answered_anew_are_forgotten_in_both_answers_and_brought_back_in_one(
    world: World, says: str, word: str, asks: str, first: bool
) -> None:
    talk = uuid.uuid4()
    asked = ask(world.alice, says, talk)
    with scoped(world.alice):
        memory = Memory.objects.live().get()
    if not first:
        asked = regenerate(world.alice, talk, asked)
    with scoped(world.alice):
        done = correct.forget(world.alice, memory.id)
    if first:
        asked = regenerate(world.alice, talk, asked)
    with scoped(world.alice):
        assert word not in str(recall(world.alice, asks).episodes)
        assert done
        assert correct.undo(world.alice, done.id)
        assert [row.turn for row in Episode.objects.filter(masked=False)] == [asked]


@pytest.mark.parametrize("says", ["I love jazz.", "我喜欢爵士乐。"])
@pytest.mark.parametrize("shown", [False, True])
def test_everything_from_words_that_were_answered_anew_goes_by_either_answer(
    world: World, says: str, shown: bool
) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, says, talk)
    newer = regenerate(world.alice, talk, first)
    other = ask(world.alice, "Where is the kiln?", talk)
    with scoped(world.alice):
        done = forget_many.forget(world.alice, world.alice.member, From(turn=newer if shown else first))
        assert (done.memories, done.exchanges) == (1, 2)
        assert [row.turn for row in Episode.objects.filter(masked=False)] == [other]
        assert forget_many.undo(world.alice, world.alice.member, done.change)
        assert {row.turn for row in Episode.objects.filter(masked=False)} == {newer, other}
        assert Memory.objects.live().count() == 1
