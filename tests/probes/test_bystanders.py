"""PROBES 13, 15 to 18: ids and Chinese words are found by words alone; time; everything; vectors; twenty bystanders."""

import uuid
from datetime import datetime, timedelta
from itertools import cycle
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from memory import ledger, recall, talks, vectors
from memory.ledger import Said
from memory.models import Episode, Memory
from memory.retrieval.text import terms
from memory.terms import Origin
from memory.vectors import Meaning
from profiles.access import Reader, scoped
from profiles.models import Community, Membership, Role, User
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.people import World, likes, make_world

MEMBERS, RECALLS = 20, 4_000
TASTES = ("川菜", "爬山", "陶艺", "jazz", "pottery", "sushi")
ASKED = ("我喜欢什么？", "川菜", "陶艺课什么时候开？", "What do I like?", "Do you know my taste in jazz?", "pottery evening")
SIZE = 8


def vector(number: int) -> tuple[float, ...]:
    """Near to all the others, equal to none."""
    row = [1.0, 0.001 * number, *[0.01] * (SIZE - 2)]
    length = sum(part * part for part in row) ** 0.5
    return tuple(part / length for part in row)


@pytest.fixture(scope="module")
def crowd() -> list[Reader]:
    """Twenty members of one community who told nearly the same, each with a mark of their own."""
    world = make_world(uuid.uuid4().hex[:12])
    here = Community.objects.using("owner").get(id=world.alice.community)
    found = []
    maker = vectors.embedder(f"bystanders/{SIZE}", SIZE)
    for number in range(MEMBERS):
        user = User.objects.using("owner").create(username=f"twin-{number}-{uuid.uuid4().hex[:8]}")
        member = Membership.objects.using("owner").create(user=user, community=here, role=Role.MEMBER, memory_on=True)
        reader = Reader(user.id, member.id, here.id, here.slug, Role.MEMBER, "Asia/Shanghai", (), True)
        with scoped(reader):
            for taste in TASTES:
                said = Said(uuid.uuid4(), uuid.uuid4(), timezone.now())
                text = f"{taste} twin{number}"
                change = ledger.add(reader, likes(text), said, origin=Origin.TOLD, actor="member")
                assert change is not None
                Episode.objects.create(turn=said.turn, conversation=said.conversation, owner_id=member.id, question=f"{text}?",
                                       community_id=here.id, answer="", terms=terms(text), at=said.at)  # fmt: skip
            mine = [*Memory.objects.values_list("id", flat=True)]
            waiting = [vectors.Waiting("memory", key, user.id, here.slug) for key in mine]
            vectors.store(maker, waiting, {key: vector(number) for key in mine})
        found.append(reader)
    return found


def test_of_four_thousand_recalls_none_is_foreign(crowd: list[Reader]) -> None:
    foreign, found = 0, 0
    questions = cycle(ASKED)
    for each in range(RECALLS):
        number = each % MEMBERS
        reader = crowd[number]
        meaning = Meaning(f"bystanders/{SIZE}", (vector(each % 7),)) if each % 2 else None
        with scoped(reader):
            hits = recall.recall(reader, next(questions), meaning=meaning).all
        texts = [hit.text for hit in hits if hit.what != "knowledge"]
        found += len(texts)
        foreign += sum(not text.rstrip("?").endswith(f"twin{number}") for text in texts)
    assert found > RECALLS and foreign == 0


def test_no_other_door_is_foreign(crowd: list[Reader]) -> None:
    for number, reader in enumerate(crowd):
        with scoped(reader):
            said = [memory.text for memory in recall.everything(reader)]
            said += [talk.question.rstrip("?") for talk in talks.search(reader, "twin", most=50)]
            said += [talk.question.rstrip("?") for talk in talks.search(reader, "", since=timezone.now() - timedelta(days=1), most=50)]
            for name in TASTES:
                said += [talk.question.rstrip("?") for talk in talks.search(reader, name, most=50)]
        said += [row["text"] for row in Caller(reader)("get", "/memories?page_size=100")["items"]]
        for query in ("川菜", "twin", f"twin{(number + 1) % MEMBERS}"):
            said += [row["text"] for row in Caller(reader)("get", f"/memories?q={query}")["items"]]
        assert len(said) > 3 * len(TASTES)
        assert [text for text in said if not text.endswith(f"twin{number}")] == []


def test_a_foreign_memory_can_be_neither_read_nor_written_by_its_id(crowd: list[Reader]) -> None:
    with scoped(crowd[0]):
        mine = Memory.objects.values_list("id", flat=True)[0]
    stranger = Caller(crowd[1])
    for method, path, words in (
        ("get", "", {}), ("get", "/versions", {}), ("get", "/impact", {}), ("delete", "?version=1", {}),
        ("patch", "", {"text": "x", "version": 1}), ("post", "/flag", {"version": 1, "reason": "x"}),
        ("post", "/restore", {"version": 1}), ("post", "/supersede", {"text": "x", "version": 1}),
    ):  # fmt: skip
        stranger(method, f"/memories/{mine}{path}", 404, **words)


@pytest.mark.parametrize(
    ("told", "asked"),
    [("外币汇率换算脚本在 tools/fx.py", "汇率换算"), ("外币汇率换算脚本在 tools/fx.py", "fx.py"), ("订单号是 KT-2291-A", "KT-2291-A 到了吗"),
     ("The deploy notes are in docs/release-2.4.md", "release-2.4.md"), ("Our printer is the HX-500", "Where is the HX-500?"),
     ("繁體的會費說明在佈告欄", "会费说明")],
)  # fmt: skip
def test_exact_names_and_chinese_words_are_found_by_words_alone(world: World, told: str, asked: str) -> None:
    for text in (told, "今天天气不错", "The garden is green", "我们周三开会"):
        with scoped(world.alice):
            ledger.add(world.alice, likes(text, attribute="note"), Said(uuid.uuid4(), uuid.uuid4(), timezone.now()), origin=Origin.TOLD, actor="member")
    with scoped(world.alice):
        hits = recall.recall(world.alice, asked).memories
    assert hits and told in hits[0].text


@pytest.mark.parametrize("question", ["你记得我什么？", "What do you know about me?"])
def test_everything_is_listed_when_asked_and_the_question_is_no_memory(world: World, question: str) -> None:
    for number in range(9):
        ask(world.alice, f"I like tea number {number}.", uuid.uuid4())
    with scoped(world.alice):
        before = Memory.objects.live().count()
    conversation = uuid.uuid4()
    ask(world.alice, question, conversation)
    with scoped(world.alice):
        assert Memory.objects.live().count() == before >= 9
    answer = Caller(world.alice)("get", f"/conversations/{conversation}/turns")["items"][0]["answer"]
    assert all(f"tea number {number}" in answer for number in range(9))


@pytest.mark.parametrize("bad", [(float("nan"),) * SIZE, (0.0,) * SIZE, (1.0,) * (SIZE + 1)])
def test_a_bad_vector_of_a_question_compares_with_nothing(crowd: list[Reader], bad: tuple[float, ...]) -> None:
    with scoped(crowd[3]):
        by_words = recall.recall(crowd[3], "川菜")
        found = recall.recall(crowd[3], "川菜", meaning=Meaning(f"bystanders/{SIZE}", (bad,)))
    assert [hit.text for hit in found.memories] == [hit.text for hit in by_words.memories] != []
    assert all(hit.parts["meaning"] == 0 for hit in found.memories)


def test_vectors_of_another_maker_are_never_compared(crowd: list[Reader]) -> None:
    vectors.embedder("bystanders/other", SIZE)
    with scoped(crowd[4]):
        found = recall.recall(crowd[4], "completely other words", meaning=Meaning("bystanders/other", (vector(4),)))
    assert found.memories == ()


@pytest.mark.parametrize(
    ("then", "now", "before", "current"),
    [("我住在杭州。", "我搬到苏州了，现在住在苏州。", "我以前住哪？", "我住哪里？"), ("I live in Oslo.", "I moved: I live in Bergen now.", "Where did I live before?", "Where do I live?")],
)
def test_what_is_over_answers_the_past_with_its_date_and_never_the_present(
    world: World, then: str, now: str, before: str, current: str
) -> None:
    for says in (then, now):
        ask(world.alice, says, uuid.uuid4())
    old, new = ("杭州", "苏州") if "杭州" in then else ("Oslo", "Bergen")
    with scoped(world.alice):
        past = [hit.text for hit in recall.recall(world.alice, before).memories]
        present = [hit.text for hit in recall.recall(world.alice, current).all]
    assert any(old in text and f"{datetime.now(ZoneInfo(world.alice.time_zone)):%Y-%m-%d}" in text for text in past)
    assert any(new in text for text in present) and not any(old in text for text in present)
