"""Probes 9, 10 and 29: read again, out of order, by two at once, the same things are remembered."""

import json
import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from assistant import tasks
from assistant.conversation.models import Turn
from memory import correct, recall, upkeep
from memory.models import Memory, Version
from profiles.access import Reader, scoped
from profiles.learn import profile_of
from tests.conversation.test_remembering import extraction, memories
from tests.conversation.test_turn import ask
from tests.memory.extraction.test_extract import answer, fact
from tests.memory.test_upkeep import nothing
from tests.people import World
from tests.scripted import Reply, Scripted, Seen

pytestmark = pytest.mark.usefixtures("chatting")

TALK = {
    "zh": [("没有尤克里里我一天都过不下去。", ("likes", "尤克里里")), ("离了普洱我可写不出一行代码。", ("likes", "普洱")),
           ("周末的消遣对我来说只有攀岩。", ("likes", "攀岩"))],
    "en": [("Without my ukulele I can't relax at all.", ("likes", "ukulele")), ("Take my oolong away and I can't work.", ("likes", "oolong")),
           ("Weekends mean climbing for me, nothing else.", ("likes", "climbing"))],
}  # fmt: skip


def told(seen: Seen) -> Reply:
    """What a model would say of a message of the talk."""
    message = json.loads(seen.user)["message"]
    found = [fact(says, *what) for talk in TALK.values() for says, what in talk if says == message]
    return Reply(answer(*found))


def unread(reader: Reader) -> None:
    """All turns wait to be read, as if nobody had yet."""
    Turn.objects.using("owner").filter(owner=reader.member).update(
        remembered_at=None, remember_attempts=0, remember_after=None, remember_error=""
    )


@pytest.mark.parametrize("language", TALK)
def test_three_times_in_any_order_by_two_workers_is_one_result(world: World, script: Scripted, language: str) -> None:
    extraction(script, told, endless=True)
    for says, _ in TALK[language]:
        ask(world.alice, says, uuid.uuid4())
    dice = random.Random(7)
    wanted = sorted((*what, 1) for _, what in TALK[language])
    for _ in range(3):
        unread(world.alice)
        turns = list(Turn.objects.using("owner").filter(owner=world.alice.member))
        dice.shuffle(turns)
        Turn.objects.using("owner").filter(owner=world.alice.member).update(remember_after=timezone.now() + timedelta(days=1))
        for turn in turns:  # each in its turn
            Turn.objects.using("owner").filter(id=turn.id).update(remember_after=None)
            two_workers()
        assert memories(world.alice) == wanted
    with scoped(world.alice):
        assert Version.objects.count() == len(wanted), "nothing was written a second time"


def two_workers() -> None:
    def work(_: int) -> None:
        try:
            tasks.remember()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))


FORGOTTEN = {
    "zh": ("没有尤克里里我一天都过不下去。", "尤克里里", "我离不开什么乐器？"),
    "en": ("Without my ukulele I can't relax at all.", "ukulele", "Which instrument can't I do without?"),
}


@pytest.mark.parametrize("language", FORGOTTEN)
def test_what_was_forgotten_stays_away_through_another_reading_and_the_nights(
    world: World, script: Scripted, language: str
) -> None:
    says, word, question = FORGOTTEN[language]
    extraction(script, told, endless=True)
    ask(world.alice, says, uuid.uuid4())
    tasks.remember()
    with scoped(world.alice):
        correct.forget(world.alice, Memory.objects.live().get().id)
    for days in (0, 1, 31, 62):
        unread(world.alice)
        tasks.remember()
        upkeep.run(world.alice, timezone.now() + timedelta(days=days), blacken=nothing)
        assert memories(world.alice) == []
        with scoped(world.alice):
            assert word not in str(recall.recall(world.alice, question))
            assert word not in str(profile_of(world.alice).interests)


CORRECTED = {
    "zh": ("我住在杭州。", "不对，我不在杭州了，在苏州。", "杭州", "苏州",
           ["我住在哪里？", "我家在哪个城市？", "我现在住哪儿？", "我在哪座城市生活？", "你知道我的住处吗？", "我的城市是？",
            "我人在哪？", "给我寄东西寄到哪个城市？", "我住的地方天气怎么样？", "我住什么地方？"]),
    "en": ("I live in Oslo.", "No, I don't live in Oslo anymore, I live in Bergen.", "Oslo", "Bergen",
           ["Where do I live?", "Which city is my home?", "Where is my home now?", "What city am I in?", "Do you know where I live?",
            "My city is?", "Where am I based?", "To which town should you send my parcel?", "How is the weather where I live?",
            "In what place do I live?"]),
}  # fmt: skip


@pytest.mark.parametrize("language", CORRECTED)
def test_ten_questions_after_a_correction_hear_nothing_of_the_old_also_when_it_is_read_again(
    world: World, script: Scripted, language: str
) -> None:
    first, second, old, new, questions = CORRECTED[language]
    script.step(lambda seen: not seen.streamed, answer(fact(first.rstrip("。."), "residence", old)), endless=True)
    ask(world.alice, first, uuid.uuid4())
    ask(world.alice, second, uuid.uuid4())
    for _ in range(2):
        unread(world.alice)
        tasks.remember()
    assert [(attribute, value) for attribute, value, _ in memories(world.alice)] == [("residence", new)]
    with scoped(world.alice):
        for question in questions:
            heard = recall.recall(world.alice, question)
            assert old not in " ".join(hit.text for hit in heard.memories), question
