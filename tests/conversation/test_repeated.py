"""A question that was asked before: the second answer is shorter and points to the first; a new one, or another, is not."""

import re
import uuid

import pytest

from assistant import tasks
from assistant.conversation.frames import Regenerate
from assistant.conversation.models import Turn
from memory import correct, knowledge
from memory.models import Memory, Passage
from profiles.access import Reader, scoped
from tests.conversation.test_probes import again
from tests.conversation.test_turn import ask
from tests.conversation.test_window import region
from tests.people import World
from tests.scripted import Scripted
from tests.test_staff import client, shown

KNOWN = [
    ("会费是多少？", "会费是多少", "会费", "会费每年 120 元，学生 60 元。会员参加活动免费，访客每次 30 元。收据在一月的聚会上发。", "120"),
    ("What is the membership fee?", "what is the membership fee", "Membership fee",
     "The membership fee is 120 euros a year. Members come to meetups for free. Receipts are handed out in January.", "120"),
]  # fmt: skip


def said(reader: Reader, turn: uuid.UUID) -> str:
    with scoped(reader):
        return Turn.objects.get(id=turn).answer


def known(world: World, title: str, text: str) -> uuid.UUID:
    with scoped(world.mei):
        passage = knowledge.write(world.mei, title, text)
    tasks.embed()
    return passage.id


@pytest.mark.parametrize(("first", "second", "title", "text", "matters"), KNOWN)
def test_the_second_answer_is_shorter_and_points_to_the_first(
    world: World, first: str, second: str, title: str, text: str, matters: str
) -> None:
    known(world, title, text)
    one = ask(world.alice, first, uuid.uuid4())
    tasks.embed()
    two = ask(world.alice, second, uuid.uuid4())
    long, short = said(world.alice, one), said(world.alice, two)
    assert text in long
    assert matters in short
    assert len(re.sub(r"\[\w+\]", "", short)) < 0.75 * len(long), (long, short)
    assert f"{one}" in _cited(world.alice, two)
    with scoped(world.alice):
        talk = Turn.objects.get(id=two).conversation_id
    assert f'<a href="/turns/{one}/">' in shown(client(world.alice).get(f"/c/{talk}/")), "after a reload too"
    assert said(world.bob, ask(world.bob, second, uuid.uuid4())) == long.replace("[k2]", "[k1]"), "nobody else's is short"


def _cited(reader: Reader, turn: uuid.UUID) -> str:
    with scoped(reader):
        frame = Turn.objects.get(id=turn).frames.get(body__type="done")
    return str(frame.body["cited"])


@pytest.mark.parametrize(("first", "second", "title", "text", "matters"), KNOWN)
def test_it_is_told_in_full_once_it_has_changed_or_another_answer_is_wanted(
    world: World, first: str, second: str, title: str, text: str, matters: str
) -> None:
    passage, talk = known(world, title, text), uuid.uuid4()
    ask(world.alice, first, uuid.uuid4())
    tasks.embed()
    short = ask(world.alice, second, talk)
    other = again(world.alice, talk, Regenerate(type="regenerate", turn=short, client_id=uuid.uuid4()))
    assert text in said(world.alice, other), "the short one was not what was wanted"
    new = text.replace("120", "150")
    with scoped(world.mei):
        knowledge.edit(world.mei, Passage.objects.get(id=passage), title, new)
    tasks.embed()
    assert new in said(world.alice, ask(world.alice, second, uuid.uuid4()))


@pytest.mark.parametrize(("first", "second", "title", "text", "matters"), KNOWN)
def test_a_model_is_told_when_it_was_asked_and_where_to_point(
    world: World, script: Scripted, first: str, second: str, title: str, text: str, matters: str
) -> None:
    script.step(lambda seen: seen.streamed, text, matters)
    one = ask(world.alice, first, uuid.uuid4())
    assert "asked this before" not in region(world.alice, one, "rules")
    tasks.embed()
    rules = region(world.alice, ask(world.alice, second, uuid.uuid4()), "rules")
    marker = re.search(r"was answered \(\[(m\d)\]\)", rules)
    assert marker
    assert f"repeating [{marker[1]}]" in rules
    assert script.asked()[-1].region("rules") == rules


@pytest.mark.parametrize(
    ("tells", "asks", "was", "now", "short"),
    [("记住：我的储物柜是 12 号", "我的储物柜是几号？", "12", "27", "和之前一样"),
     ("Remember: my locker is number 12", "Which number is my locker?", "12", "27", "In short, as before")],
)  # fmt: skip
def test_a_memory_that_was_corrected_is_not_as_before(
    world: World, tells: str, asks: str, was: str, now: str, short: str
) -> None:
    ask(world.alice, tells, uuid.uuid4())
    ask(world.alice, asks, uuid.uuid4())
    tasks.embed()
    assert short in said(world.alice, ask(world.alice, asks, uuid.uuid4()))
    tasks.embed()
    with scoped(world.alice):
        memory = Memory.objects.live().get(owner_id=world.alice.member, text__contains=was)
        correct.revise(world.alice, memory, {"text": memory.text.replace(was, now)})
    tasks.embed()
    third = said(world.alice, ask(world.alice, asks, uuid.uuid4()))
    assert now in third
    assert short not in third
