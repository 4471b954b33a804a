"""Branches: the newest is shown, the others can be read, and nothing of them comes into a context or is found again."""

import uuid

import pytest

from assistant import tasks
from assistant.conversation import branches
from assistant.conversation.frames import Edit, Regenerate
from assistant.conversation.models import Conversation, Turn
from memory import correct, forget_many, policy, talks
from memory.forget_many import From
from memory.models import Episode, EpisodeVector, Memory, Overview
from memory.recall import recall
from profiles.access import Reader, scoped
from profiles.learn import profile_of
from tests.conversation.test_probes import again
from tests.conversation.test_turn import ask, frames
from tests.conversation.test_window import region
from tests.people import World
from tests.scripted import Reply, Scripted
from tests.test_staff import client, shown


def edit(reader: Reader, conversation: uuid.UUID, turn: uuid.UUID, text: str) -> uuid.UUID:
    return again(reader, conversation, Edit(type="edit", turn=turn, client_id=uuid.uuid4(), text=text))


def regenerate(reader: Reader, conversation: uuid.UUID, turn: uuid.UUID) -> uuid.UUID:
    return again(reader, conversation, Regenerate(type="regenerate", turn=turn, client_id=uuid.uuid4()))


@pytest.mark.parametrize("first", ["会费是多少？", "What is the fee?"])
def test_a_turn_says_which_of_its_versions_it_is_and_leads_to_the_others(world: World, first: str) -> None:
    talk = uuid.uuid4()
    one = ask(world.alice, first, talk)
    after = ask(world.alice, "and then?", talk)
    two = regenerate(world.alice, talk, one)
    three = edit(world.alice, talk, two, "three?")
    with scoped(world.alice):
        turns = branches.all_of(talk)
        assert [turn.id for turn in branches.newest(turns)] == [three]
        assert [turn.id for turn in branches.through(turns, one)] == [one, after]
        places = branches.places(turns)
    assert places == {
        one: branches.Place(1, 3, None, two), two: branches.Place(2, 3, one, three),
        three: branches.Place(3, 3, two, None),
    }  # fmt: skip
    page = shown(client(world.alice).get(f"/c/{talk}/"))
    assert "3 / 3" in page
    assert f"/c/{talk}/branches/{two}/#t-{two}" in page
    older = shown(client(world.alice).get(f"/c/{talk}/branches/{one}/"))
    assert "and then?" in older
    assert "three?" not in older
    assert 'id="composer"' not in older
    assert client(world.alice).get(f"/c/{talk}/branches/{three}/").url == f"/c/{talk}/#t-{three}"
    assert client(world.alice).get(f"/turns/{after}/").url == f"/c/{talk}/branches/{after}/#t-{after}"


@pytest.mark.parametrize(("old", "new"), [("陶艺课在哪里？", "陶艺课什么时候？"), ("Where is the kiln?", "When is the kiln on?")])
def test_what_was_replaced_is_found_no_more(world: World, old: str, new: str) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, old, talk)
    tasks.embed()
    second = edit(world.alice, talk, first, new)
    third = regenerate(world.alice, talk, second)
    for turn in (second, third):
        context = next(one for one in frames(world.alice, talk) if one["type"] == "context" and one["turn"] == str(turn))
        assert context["asked_before"] == context["memories"] == [], "the same place once more is not before"
    assert old not in region(world.alice, second, "memories")
    with scoped(world.alice):
        assert [row.turn for row in Episode.objects.filter(conversation=talk, replaced=False)] == [third]
        assert [found.question for found in talks.search(world.alice, "", most=9)] == [new]


def test_an_edit_in_the_middle_takes_what_followed_along(world: World) -> None:
    talk = uuid.uuid4()
    first, second = ask(world.alice, "Is there a kiln?", talk), ask(world.alice, "Who fires the kiln?", talk)
    ask(world.alice, "How hot is the kiln?", talk)
    tasks.embed()
    new = edit(world.alice, talk, second, "Who lights the kiln?")
    last = ask(world.alice, "How hot is the kiln?", talk)
    with scoped(world.alice):
        assert {row.turn for row in Episode.objects.filter(conversation=talk, masked=False)} == {first, new, last}
    assert "fires" not in region(world.alice, last, "memories") + region(world.alice, last, "conversation")


def test_messages_of_one_moment_are_one_branch(world: World) -> None:
    talk = uuid.uuid4()
    ask(world.alice, "one", talk)
    ask(world.alice, "two", talk)
    ask(world.alice, "three", talk)
    with scoped(world.alice):
        at = Conversation.objects.get(id=talk).created_at
        Turn.objects.filter(conversation_id=talk).update(asked_at=at)
        assert [turn.question for turn in branches.newest(branches.all_of(talk))] == ["one", "two", "three"]
    ask(world.alice, "four", talk)
    with scoped(world.alice):
        assert [turn.question for turn in branches.newest(branches.all_of(talk))] == ["one", "two", "three", "four"]


def test_a_stranger_reads_no_branch(world: World) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, "one", talk)
    edit(world.alice, talk, first, "two")
    for reader in (world.bob, world.mei, world.charlie):
        assert client(reader).get(f"/c/{talk}/branches/{first}/").status_code == 404


@pytest.mark.parametrize(("old", "new"), [("陶艺课在哪里？", "陶艺课什么时候？"), ("Where is the kiln?", "When is the kiln on?")])
def test_a_model_that_searches_finds_nothing_of_what_it_replaces(
    world: World, script: Scripted, old: str, new: str
) -> None:
    talk = uuid.uuid4()
    script.step(old, "A-old")
    first = ask(world.alice, old, talk)
    tasks.embed()
    calls = (("conversation_search", {"query": old}), ("archival_memory_search", {"query": old}))
    script.step(lambda seen: seen.user == new and seen.streamed, Reply("", calls=calls), "A-new")
    edit(world.alice, talk, first, new)
    told = [one["content"] for one in script.asked()[-1].body["messages"] if one["role"] == "tool"]
    assert len(told) == 2
    assert "A-old" not in "".join(told)
    assert old not in "".join(told)


@pytest.mark.parametrize(("old", "new"), [("陶艺课在哪里？", "瑜伽课几点？"), ("Where is the kiln?", "When is yoga?")])
def test_what_was_replaced_is_forgotten_with_what_it_taught(world: World, old: str, new: str) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, old, talk)
    tasks.remember()
    with scoped(world.alice):
        topics = profile_of(world.alice).last_topics
    assert topics
    edit(world.alice, talk, first, new)
    with scoped(world.alice):
        assert forget_many.meant(world.alice.member, From(turn=first)).exchanges == 1
        change = forget_many.forget(world.alice, world.alice.member, From(turn=first)).change
        assert profile_of(world.alice).last_topics == []
        assert forget_many.undo(world.alice, world.alice.member, change)
        assert [found.question for found in talks.search(world.alice, "", most=9)] == [new], "it stays replaced"


@pytest.mark.parametrize(("old", "new"), [("陶艺课在哪里？", "瑜伽课几点？"), ("Where is the kiln?", "When is yoga?")])
def test_an_undo_does_not_bring_back_what_was_replaced_meanwhile(world: World, old: str, new: str) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, old, talk)
    with scoped(world.alice):
        change = forget_many.forget(world.alice, world.alice.member, From(turn=first)).change
    second = edit(world.alice, talk, first, new)
    with scoped(world.alice):
        assert forget_many.undo(world.alice, world.alice.member, change)
        assert [found.question for found in talks.search(world.alice, "", most=9)] == [new]
    tasks.embed()
    with scoped(world.alice):
        assert list(EpisodeVector.objects.values_list("episode", flat=True)) == [second]


def test_a_memory_of_what_was_replaced_brings_it_back_by_no_undo(world: World) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, "I live in Bergen.", talk)
    edit(world.alice, talk, first, "When is yoga?")
    with scoped(world.alice):
        memory = Memory.objects.live().get(value="Bergen")
        done = correct.forget(world.alice, memory.id)
        assert done
        assert correct.undo(world.alice, done.id)
        assert [found.question for found in talks.search(world.alice, "", most=9)] == ["When is yoga?"]


@pytest.mark.parametrize("text", ["Where is the kiln?", "陶艺课在哪里？"])
def test_a_question_that_is_answered_anew_was_asked_once(world: World, text: str) -> None:
    talk = uuid.uuid4()
    turn = ask(world.alice, text, talk)
    for _ in range(policy.INTEREST_TURNS):
        turn = regenerate(world.alice, talk, turn)
    tasks.remember()
    with scoped(world.alice):
        assert profile_of(world.alice).last_topics
        assert profile_of(world.alice).interests == []


def test_an_overview_begins_anew_without_what_was_replaced_and_stays_where_the_same_was_asked(world: World) -> None:
    talk = uuid.uuid4()
    ask(world.alice, "Who teaches pottery?", talk)
    second = ask(world.alice, "Where is the kiln?", talk)
    tasks.remember()
    third = regenerate(world.alice, talk, second)
    with scoped(world.alice):
        assert Overview.objects.get(conversation=talk).last == "Where is the kiln?"
    edit(world.alice, talk, third, "When is yoga?")
    with scoped(world.alice):
        assert not Overview.objects.filter(conversation=talk).exists()
    tasks.remember()
    with scoped(world.alice):
        found = Overview.objects.get(conversation=talk)
    assert (found.last, found.rounds) == ("When is yoga?", 1)
    assert "kiln" not in str(found.topics)


@pytest.mark.parametrize(("says", "asks"), [("I live in Bergen.", "Where do I live?"), ("我住在苏州。", "我住在哪里？")])
def test_what_came_of_a_replaced_turn_leads_to_where_it_was_said(world: World, says: str, asks: str) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, says, talk)
    asked = ask(world.alice, asks, uuid.uuid4())
    edit(world.alice, talk, first, "When is yoga?")
    with scoped(world.alice):
        memory = Memory.objects.live().get()
    own = client(world.alice)
    way = f"/turns/{first}/"
    assert own.get(way).url == f"/c/{talk}/branches/{first}/#t-{first}"
    assert way in shown(own.get(f"/me/memory/{memory.id}/"))
    with scoped(world.alice):
        here = Turn.objects.get(id=asked)
    assert way in shown(own.get(f"/c/{here.conversation_id}/turns/{asked}/sources/{memory.id}/"))


@pytest.mark.parametrize(("says", "asks"), [("Where is the kiln?", "Where is the kiln now?"), ("陶艺课在哪里？", "陶艺课现在在哪里？")])
def test_an_answer_shows_what_it_was_made_from_though_that_was_replaced_since(
    world: World, says: str, asks: str
) -> None:
    talk, other = uuid.uuid4(), uuid.uuid4()
    first = ask(world.alice, says, talk)
    asked = ask(world.alice, asks, other)
    assert says in region(world.alice, asked, "memories")
    edit(world.alice, talk, first, "When is yoga?")
    page = shown(client(world.alice).get(f"/c/{other}/turns/{asked}/why/"))
    assert says in page
    assert "█" not in page
    assert f"/turns/{first}/" in page
    with scoped(world.alice):
        forget_many.forget(world.alice, world.alice.member, From(turn=first))
    page = shown(client(world.alice).get(f"/c/{other}/turns/{asked}/why/"))
    assert "█" in page
    assert f"/turns/{first}/" not in page


@pytest.mark.parametrize(
    ("says", "asked", "word"),
    [("Forget that I have diabetes.", "Do I have diabetes?", "diabetes"), ("忘记我有糖尿病", "我有糖尿病吗？", "糖尿病"),
     ("I have diabetes.", "Do I have diabetes?", "diabetes")],
)  # fmt: skip
def test_what_was_not_to_be_found_is_not_found_by_another_answer_either(
    world: World, says: str, asked: str, word: str
) -> None:
    conversation = uuid.uuid4()
    first = ask(world.alice, says, conversation)
    regenerate(world.alice, conversation, first)
    tasks.embed()
    with scoped(world.alice):
        assert not Episode.objects.filter(question__contains=word).exists()
        assert not recall(world.alice, asked).episodes


def test_what_was_forgotten_and_then_replaced_stays_forgotten_where_it_is_said_again(world: World) -> None:
    conversation = uuid.uuid4()
    first = ask(world.alice, "Is the kiln room open?", conversation)
    with scoped(world.alice):
        forget_many.forget(world.alice, world.alice.member, From(turn=first))
    edit(world.alice, conversation, first, "Is the library open?")
    back = edit(world.alice, conversation, first, "Is the kiln room open?")
    tasks.embed()
    with scoped(world.alice):
        assert Episode.objects.get(turn=back).masked
        assert all("kiln" not in hit.text for hit in recall(world.alice, "Is the kiln room open?").episodes)
