"""An ended task that the member told of becomes one experience in their words, and follows what it was told in."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from assistant.conversation import removal
from memory import correct, policy, recall, replacing, upkeep
from memory.models import Episode, Memory
from memory.terms import Status
from profiles.access import Reader, scoped
from tests.conversation.test_turn import ask
from tests.memory.test_making import hear, made
from tests.memory.test_upkeep import add, keep, nothing
from tests.people import World, likes, said

TOLD = {
    "en": ("The newsletter deploy keeps failing with a TLS error, what could it be?",
           "The deploy finally worked after I renewed the certificate. Next time I'll check the expiry date first.",
           ("TLS error", "renewed the certificate", "check the expiry date first"), "How did I fix the deploy?"),
    "zh": ("周报网站的部署一直报证书错误，怎么办？", "部署终于修好了，原因是证书过期，下次先看有效期",
           ("证书错误", "证书过期", "先看有效期"), "上次部署是怎么修好的？"),
}  # fmt: skip


def told(reader: Reader, language: str) -> list[Episode]:
    talk, at = uuid.uuid4(), timezone.now()
    return [hear(reader, text, at - timedelta(minutes=9 - number), talk) for number, text in enumerate(TOLD[language][:2])]


def night(reader: Reader, days: float = 0) -> dict[str, int]:
    return keep(reader, days)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_task_and_its_end_become_one_experience(world: World, language: str) -> None:
    task, end = told(world.alice, language)
    hear(world.alice, "Is the workshop open on Sunday?", timezone.now() - timedelta(days=1))
    assert night(world.alice) == {"reflect": 1}
    memory = made(world.alice, "experience")
    assert (memory.category, memory.kind, memory.status, memory.language) == ("experience", "procedural", "active", language)
    assert all(words in memory.text for words in TOLD[language][2]), memory.text
    with scoped(world.alice):
        assert set(memory.sources.values_list("turn", flat=True)) == {task.turn, end.turn}
        assert [hit.id for hit in recall.recall(world.alice, TOLD[language][3]).memories] == [memory.id]
    assert night(world.alice, 1) == {}, "once only"
    assert "archive" not in night(world.alice, policy.COLD_DAYS + 5), "what was learnt does not go cold"


@pytest.mark.parametrize(
    "text", ["It works now, thanks!", "搞定了，谢谢！", "Did it work after I renewed it?", "Tom said it worked after he renewed it", "还没修好"]
)
def test_an_end_that_teaches_nothing_is_no_experience(world: World, text: str) -> None:
    hear(world.alice, text, timezone.now())
    assert night(world.alice) == {}


def test_the_task_is_the_message_that_shares_a_word_with_its_end(world: World) -> None:
    talk, at = uuid.uuid4(), timezone.now()
    texts = ("The kiln trips the fuse, why?", "Which glaze is food safe?", "The kiln finally worked after we replaced the relay.")
    task, other, end = (hear(world.alice, text, at - timedelta(minutes=9 - n), talk) for n, text in enumerate(texts))
    night(world.alice)
    with scoped(world.alice):
        turns = set(made(world.alice, "experience").sources.values_list("turn", flat=True))
    assert turns == {task.turn, end.turn} and other.turn not in turns


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_follows_what_it_was_told_in(world: World, language: str) -> None:
    task, _ = told(world.alice, language)
    word = TOLD[language][2][0]
    fact = add(world.alice, likes(word, quote=word), said(task.turn))
    night(world.alice)
    memory = made(world.alice, "experience")
    with scoped(world.alice):
        change = correct.forget(world.alice, fact.id)
        left = Memory.objects.get(id=memory.id)
        assert left.status == Status.ACTIVE and word not in left.text and TOLD[language][2][1] in left.text
        assert not any(word in text for text in left.versions.values_list("text", flat=True))
        assert change is not None
        correct.undo(world.alice, change.id)
        assert word in Memory.objects.get(id=memory.id).text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_says_nothing_of_what_another_turn_took_the_place_of(world: World, language: str) -> None:
    task, end = told(world.alice, language)
    night(world.alice)
    assert TOLD[language][2][0] in made(world.alice, "experience").text
    with scoped(world.alice):
        replacing.replace(world.alice, [task.turn], by=uuid.uuid4(), talk=task.conversation, reworded=True)
    memory = made(world.alice, "experience")
    assert TOLD[language][2][0] not in memory.text
    with scoped(world.alice):
        replacing.replace(world.alice, [end.turn], by=uuid.uuid4(), talk=task.conversation, reworded=True)
        assert Memory.objects.get(id=memory.id).status == Status.FORGOTTEN


def test_without_the_end_nothing_is_left_of_it_and_forgotten_it_stays_away(world: World) -> None:
    talks = [uuid.uuid4(), uuid.uuid4()]
    for language, talk in zip(("en", "zh"), talks, strict=True):
        for text in TOLD[language][:2]:
            ask(world.alice, text, talk)
    assert night(world.alice)["reflect"] == 2
    memory, other = made(world.alice, "experience", language="en"), made(world.alice, "experience", language="zh")
    removal.remove(world.alice, talks[0], forget=False)
    with scoped(world.alice):
        assert Memory.objects.get(id=memory.id).status == Status.FORGOTTEN
        correct.forget(world.alice, other.id)
    assert "reflect" not in night(world.alice, 1)


def test_a_dry_run_says_what_would_be_kept_and_keeps_nothing(world: World) -> None:
    _, end = told(world.alice, "en")
    done = upkeep.run(world.alice, timezone.now(), blacken=nothing, dry_run=True)
    assert [act.id for one in done if one.step == "reflect" for act in one.acts] == [end.turn]
    with scoped(world.alice):
        assert not Memory.objects.exists()
