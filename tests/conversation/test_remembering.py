"""The background path with a model: what it writes, once; how it fails, visibly; and what it never brings back."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.utils import timezone

from assistant import tasks
from assistant.conversation import remembering, turn
from assistant.conversation.frames import Regenerate
from assistant.conversation.models import Turn
from memory import correct, forget_many
from memory.forget_many import From
from memory.models import Memory, Source, Version
from memory.terms import Origin, Status
from profiles.access import Reader, scoped
from profiles.learn import profile_of
from profiles.models import Membership
from tests.conversation.test_turn import ask
from tests.memory.extraction.test_extract import answer, fact
from tests.people import World
from tests.scripted import Reply, Scripted, Seen

pytestmark = pytest.mark.usefixtures("chatting")


def extraction(script: Scripted, *answers: Any, endless: bool = False) -> None:
    script.step(lambda seen: not seen.streamed, *answers, endless=endless)


def row(reader: Reader, asked: uuid.UUID) -> Turn:
    with scoped(reader):
        return Turn.objects.get(id=asked)


def memories(reader: Reader) -> list[tuple[str, str, int]]:
    with scoped(reader):
        return sorted((memory.attribute, memory.value, memory.evidence) for memory in Memory.objects.live())


def waited(asked: uuid.UUID) -> None:
    """The time until the next attempt is over."""
    Turn.objects.using("owner").filter(id=asked).update(remember_after=timezone.now() - timedelta(seconds=1))


SAID = {
    "en": ("Without my ukulele I can't relax at all.", "Without my ukulele", "ukulele"),
    "zh": ("没有尤克里里我一天都过不下去。", "没有尤克里里我一天都过不下去", "尤克里里"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_rules_miss_is_remembered_with_its_words_its_maker_and_its_cost(
    world: World, script: Scripted, language: str
) -> None:
    says, quote, value = SAID[language]
    asked = ask(world.alice, says, uuid.uuid4())
    assert memories(world.alice) == [], "the rules read nothing in it"
    extraction(script, Reply(answer(fact(quote, "likes", value)), usage=(1000, 100)))
    assert tasks.remember() == 1
    assert memories(world.alice) == [("likes", value, 1)]
    with scoped(world.alice):
        memory = Memory.objects.live().get()
        assert memory.origin == Origin.TOLD
        assert Source.objects.get(memory=memory).quote == quote
        version = Version.objects.get(memory=memory)
        assert (version.actor, version.made_by[:8]) == ("reader", "extract@")
        assert value in profile_of(world.alice).interests
    done = row(world.alice, asked)
    assert done.remembered_at is not None
    assert done.usage["remembering"] == {"input": 1000, "output": 100, "cost": pytest.approx(0.0028)}
    assert tasks.remember() == 0, "it is not read again"
    assert script.asked(streamed=False)[0].body["model"] == "small"


@pytest.mark.parametrize(
    ("says", "attribute", "value"),
    [("我叫小雨，我喜欢川菜。", "likes", "川菜"), ("I love jazz. I live in Lyon.", "likes", "jazz")],
)
def test_what_the_rules_wrote_from_the_same_turn_is_not_written_twice(
    world: World, script: Scripted, says: str, attribute: str, value: str
) -> None:
    ask(world.alice, says, uuid.uuid4())
    before = memories(world.alice)
    assert (attribute, value, 1) in before
    quote = says.rstrip("。").split("，")[-1] if "，" in says else "I love jazz"
    extraction(
        script, answer(fact(quote, attribute, value), fact(quote, "interest", value), fact(quote, "note", quote))
    )
    tasks.remember()
    assert memories(world.alice) == before


@pytest.mark.parametrize(
    ("wordings", "value"),
    [
        (["没有川菜我不行", "我又吃川菜了，太香", "川菜永远是我的最爱", "我爱吃川菜", "我就好川菜这一口"], "川菜"),
        (["I can't go without jazz", "I played jazz all night again", "Jazz is what I play daily", "I love jazz", "For me jazz wins"], "jazz"),
    ],
)  # fmt: skip
def test_the_same_fact_in_five_wordings_is_one_memory(
    world: World, script: Scripted, wordings: list[str], value: str
) -> None:
    def told(seen: Seen) -> Reply:
        message = json.loads(seen.user)["message"]
        return Reply(answer(fact(message, "likes", value, subject="me")))

    extraction(script, told, endless=True)
    for words in wordings:
        ask(world.alice, words, uuid.uuid4())
        tasks.remember()
    assert len(memories(world.alice)) == 1
    assert memories(world.alice)[0][2] >= 4


@pytest.mark.parametrize(
    ("first", "then", "value"),
    [
        ("没有川菜我活不下去", "川菜我现在碰都不想碰", "川菜"),
        ("I live on jazz, truly", "Jazz makes me sick these days", "jazz"),
    ],
)
def test_a_later_dislike_ends_the_liking(world: World, script: Scripted, first: str, then: str, value: str) -> None:
    extraction(script, answer(fact(first, "likes", value)), answer(fact(then, "dislikes", value)), endless=True)
    for words in (first, then):
        ask(world.alice, words, uuid.uuid4())
        tasks.remember()
    assert [attribute for attribute, _, _ in memories(world.alice)] == ["dislikes"]
    with scoped(world.alice):
        assert Memory.objects.get(status=Status.SUPERSEDED).attribute == "likes"


@pytest.mark.parametrize("text", ["嗯", "thanks!", "👍", "你好", "What is the fee?", "会费是多少？", "ok great"])
def test_small_talk_and_questions_cost_no_call(world: World, script: Scripted, text: str) -> None:
    asked = ask(world.alice, text, uuid.uuid4())
    tasks.remember()
    assert script.asked(streamed=False) == []
    assert row(world.alice, asked).remembered_at is not None


@pytest.mark.parametrize(
    ("says", "secret"),
    [
        ("我的密码是 hunter2secret，我住苏州", "hunter2secret"),
        ("my password is Tr0ub4dor&3 and I live in Lyon", "Tr0ub4dor"),
    ],
)
def test_a_secret_never_reaches_the_model(world: World, script: Scripted, says: str, secret: str) -> None:
    extraction(script, answer())
    ask(world.alice, says, uuid.uuid4())
    tasks.remember()
    assert secret not in json.dumps([seen.body for seen in script.requests], ensure_ascii=False)


def test_two_workers_read_one_turn_once(world: World, script: Scripted) -> None:
    says, quote, value = SAID["zh"]
    extraction(script, Reply(answer(fact(quote, "likes", value)), duration=0.3))
    ask(world.alice, says, uuid.uuid4())

    def work(_: int) -> None:
        try:
            tasks.remember()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert memories(world.alice) == [("likes", value, 1)]
    assert len(script.asked(streamed=False)) == 1


def test_a_late_worker_writes_nothing_over_another_attempt(world: World, script: Scripted) -> None:
    says, quote, value = SAID["zh"]
    extraction(script, answer(fact(quote, "likes", value)))
    asked = ask(world.alice, says, uuid.uuid4())
    job = remembering.begin(world.alice, asked)
    assert job is not None
    found = async_to_sync(remembering.read)([job])[0]
    Turn.objects.using("owner").filter(id=asked).update(remember_attempts=2)
    assert not remembering.finish(job, found)
    assert memories(world.alice) == []


@pytest.mark.parametrize("language", SAID)
def test_what_was_forgotten_is_neither_told_to_the_model_nor_learned_again(
    world: World, script: Scripted, language: str
) -> None:
    says = {"en": "I love jazz. I play it daily.", "zh": "我喜欢爵士乐。我每天都弹。"}[language]
    value = {"en": "jazz", "zh": "爵士乐"}[language]
    asked = ask(world.alice, says, uuid.uuid4())
    with scoped(world.alice):
        correct.forget(world.alice, Memory.objects.live().get(value=value).id)
    extraction(script, answer(fact(says, "note", value), fact(says, "likes", value)), endless=True)
    tasks.remember()
    assert value not in script.asked(streamed=False)[0].user
    Turn.objects.using("owner").filter(id=asked).update(remembered_at=None, remember_attempts=0, remember_after=None)
    tasks.remember()
    assert value not in str(memories(world.alice))


@pytest.mark.parametrize("meanwhile", [False, True])
def test_forgotten_while_the_model_was_thinking_stays_forgotten(
    world: World, script: Scripted, meanwhile: bool
) -> None:
    extraction(script, answer(fact("没有爵士乐我过不了一天", "note", "爵士乐")))
    ask(world.alice, "我喜欢爵士乐。", uuid.uuid4())
    asked = ask(world.alice, "没有爵士乐我过不了一天", uuid.uuid4())
    job = remembering.begin(world.alice, asked)
    assert job is not None
    found = async_to_sync(remembering.read)([job])[0]
    if meanwhile:
        with scoped(world.alice):
            correct.forget(world.alice, Memory.objects.live().get().id)
    remembering.finish(job, found)
    kept = [] if meanwhile else [("likes", "爵士乐", 1), ("note", "爵士乐", 1)]
    assert memories(world.alice) == kept


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("thinking", [False, True])
def test_a_turn_that_is_forgotten_as_a_whole_teaches_nothing_any_more(
    world: World, script: Scripted, language: str, thinking: bool
) -> None:
    says, quote, value = SAID[language]
    asked = ask(world.alice, says, uuid.uuid4())
    if thinking:
        extraction(script, Reply(answer(fact(quote, "likes", value))))
        job = remembering.begin(world.alice, asked)
        assert job is not None
        found = async_to_sync(remembering.read)([job])
    with scoped(world.alice):
        assert forget_many.forget(world.alice, world.alice.member, From(turn=asked)).exchanges == 1
    if thinking:
        assert remembering.finish(job, found[0])
    tasks.remember()
    assert memories(world.alice) == []
    assert row(world.alice, asked).remembered_at is not None


@pytest.mark.parametrize(
    ("old", "new", "quote", "gone"),
    [
        ("我在杭州的星河科技写代码，挺开心", "不对，我不在杭州了，我住在苏州", "我在杭州的星河科技写代码", "杭州"),
        ("Hangzhou keeps me busy, I code there", "No, I don't live in Hangzhou, I live in Suzhou", "Hangzhou keeps me busy", "Hangzhou"),
    ],
)  # fmt: skip
def test_an_old_message_read_late_brings_back_nothing_that_was_corrected_since(
    world: World, script: Scripted, old: str, new: str, quote: str, gone: str
) -> None:
    conversation = uuid.uuid4()
    asked = ask(world.alice, old, conversation)
    ask(world.alice, new, conversation)
    extraction(script, answer(fact(quote, "residence", gone), fact(quote, "workplace", gone)), endless=True)
    for _ in range(2):
        Turn.objects.using("owner").filter(id=asked).update(
            remembered_at=None, remember_attempts=0, remember_after=None
        )
        tasks.remember()
    assert gone not in str(memories(world.alice))


@pytest.mark.parametrize("moved", [False, True])
def test_an_old_message_read_late_does_not_end_what_was_said_since(world: World, script: Scripted, moved: bool) -> None:
    says = "我在苏州待得很舒服"
    extraction(script, "no", "no", answer(fact(says, "residence", "苏州")))
    asked = ask(world.alice, says, uuid.uuid4())
    assert memories(world.alice) == [], "the rules read nothing in it"
    tasks.remember()
    if moved:
        ask(world.alice, "我搬到南京了", uuid.uuid4())
        Turn.objects.using("owner").exclude(id=asked).filter(remembered_at=None).update(remembered_at=timezone.now())
    waited(asked)
    tasks.remember()
    assert [value for _, value, _ in memories(world.alice)] == ["南京" if moved else "苏州"]


@pytest.mark.parametrize(("how", "home"), [("implied", "南京"), ("stated", "苏州")])
def test_what_is_inferred_never_ends_what_was_told(world: World, script: Scripted, how: str, home: str) -> None:
    ask(world.alice, "我住在南京。", uuid.uuid4())
    ask(world.alice, "我在苏州待得很舒服", uuid.uuid4())
    told = answer(fact("我在苏州待得很舒服", "residence", "苏州", how=how))
    script.step(lambda seen: not seen.streamed and "苏州" in seen.user, told)
    script.step(lambda seen: not seen.streamed, answer())
    tasks.remember()
    assert [value for attribute, value, _ in memories(world.alice) if attribute == "residence"] == [home]


def test_a_regenerated_answer_is_not_read_twice(world: World, script: Scripted) -> None:
    says, quote, value = SAID["zh"]
    conversation = uuid.uuid4()
    first = ask(world.alice, says, conversation)

    async def again() -> None:
        await turn.start(world.alice, conversation, Regenerate(type="regenerate", turn=first, client_id=uuid.uuid4()))
        await turn._tasks[conversation]

    async_to_sync(again)()
    extraction(script, answer(fact(quote, "likes", value)))
    tasks.remember()
    assert memories(world.alice) == [("likes", value, 1)]
    assert len(script.asked(streamed=False)) == 1


def test_a_failed_answer_loses_nothing_of_what_the_member_said(world: World, script: Scripted) -> None:
    says, quote, value = SAID["en"]
    script.steps.insert(0, script.steps.pop())
    script.steps[0].answers[:] = [Reply(status=401)]
    ask(world.alice, says, uuid.uuid4())
    extraction(script, answer(fact(quote, "likes", value)))
    tasks.remember()
    assert memories(world.alice) == [("likes", value, 1)]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_memory_switched_off_is_respected(world: World, script: Scripted, when: str) -> None:
    says, quote, value = SAID["zh"]
    asked = ask(world.alice, says, uuid.uuid4())
    off = Membership.objects.using("owner").filter(id=world.alice.member)
    if when == "before":
        off.update(memory_on=False)
        tasks.remember()
        assert script.asked(streamed=False) == []
    else:
        extraction(script, answer(fact(quote, "likes", value)))
        job = remembering.begin(world.alice, asked)
        assert job is not None
        off.update(memory_on=False)
        remembering.finish(job, async_to_sync(remembering.read)([job])[0])
    assert memories(world.alice) == []
    assert row(world.alice, asked).remembered_at is not None


@pytest.mark.parametrize("language", SAID)
def test_nobody_else_s_words_reach_the_model(world: World, script: Scripted, language: str) -> None:
    says, quote, value = SAID[language]
    ask(world.bob, "My zebrafont canary is 斑马字体, I love it.", uuid.uuid4())
    ask(world.alice, says, uuid.uuid4())

    def own(seen: Seen) -> Reply:
        mine = value in seen.user
        assert mine is not ("zebrafont" in seen.user)
        return Reply(answer(fact(quote, "likes", value)) if mine else answer())

    extraction(script, own, endless=True)
    tasks.remember()
    assert len(script.asked(streamed=False)) == 2
    assert memories(world.alice) == [("likes", value, 1)]
    assert value not in str(memories(world.bob))
