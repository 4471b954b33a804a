"""Vectors: made in the background, kept inside the borders of their text, and gone when it is forgotten."""

import math
import uuid
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from assistant import tasks, vectorising
from assistant.llm import embedding
from memory import correct, ledger, recall, vectors
from memory.models import Embedder, Episode, EpisodeVector, Memory, MemoryVector, Passage, PassageVector
from memory.models.document import Document
from memory.retrieval.text import terms
from memory.terms import Origin
from profiles.access import Reader, scoped
from tests.people import World, likes, said


def told(reader: Reader, value: str, attribute: str = "note") -> uuid.UUID:
    with scoped(reader):
        change = ledger.add(reader, likes(value, attribute=attribute), said(), origin=Origin.TOLD, actor="member")
    assert change is not None
    return change.memory.id


def knowledge(world: World, title: str, text: str) -> uuid.UUID:
    with scoped(world.mei):
        document = Document.objects.create(community_id=world.mei.community, title=title, key=title)
        return Passage.objects.create(
            document=document, community_id=world.mei.community, title=title, text=text, terms=terms(f"{title} {text}"),
            language="zh",
        ).id  # fmt: skip


def asked(reader: Reader, text: str) -> recall.Found:
    meaning = embedding.query([text])
    with scoped(reader):
        return recall.recall(reader, text, meaning=meaning)


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        ("我家的狗叫饼干", "我的宠物叫什么名字"),
        ("My dog is called Biscuit", "what is the name of my pet"),
        ("每周三晚上有羽毛球训练", "什么时候打球"),
    ],
)
def test_the_meaning_finds_what_no_word_does(world: World, stored: str, question: str) -> None:
    kept = told(world.alice, stored)
    with scoped(world.alice):
        assert recall.recall(world.alice, question).memories == (), "words alone don't"
    tasks.embed()
    hits = asked(world.alice, question).memories
    assert [hit.id for hit in hits] == [kept]
    assert hits[0].parts["meaning"] > 0


@pytest.mark.parametrize("question", ["今天火星的天气", "who won the world cup in 1998", "量子色动力学"])
def test_what_is_about_something_else_is_not_found(world: World, question: str) -> None:
    for value in ("我家的狗叫饼干", "每周三晚上有羽毛球训练", "I prefer short answers", "会费每年 120 元"):
        told(world.alice, value)
    tasks.embed()
    assert asked(world.alice, question).all == ()


@pytest.mark.parametrize("who", ["bob", "mei", "charlie"])
def test_a_vector_is_seen_and_written_by_its_owner_only(world: World, who: str) -> None:
    kept = told(world.alice, "我家的狗叫饼干")
    tasks.embed()
    stranger = getattr(world, who)
    assert MemoryVector.objects.using("owner").filter(memory_id=kept).exists()
    with scoped(stranger):
        assert not MemoryVector.objects.filter(memory_id=kept).exists()
    assert kept not in {hit.id for hit in asked(stranger, "我的狗叫什么").all}
    row = MemoryVector.objects.using("owner").get(memory_id=kept)
    with pytest.raises(DatabaseError), scoped(stranger):
        MemoryVector.objects.create(
            memory_id=kept, embedder_id=row.embedder_id, community_id=stranger.community, owner_id=world.alice.member,
            embedding=row.embedding,
        )  # fmt: skip


def test_shared_knowledge_is_found_by_meaning_in_its_community_only(world: World) -> None:
    passage = knowledge(world, "退款", "14 天内联系版主申请，原路退回。")
    tasks.embed()
    assert [hit.id for hit in asked(world.bob, "怎么把钱退回来？").knowledge] == [passage]
    assert asked(world.charlie, "怎么把钱退回来？").knowledge == ()


def test_a_forgotten_memory_leaves_no_vector_nor_does_its_exchange(world: World) -> None:
    turn = uuid.uuid4()
    with scoped(world.alice):
        change = ledger.add(world.alice, likes("饼干"), said(turn), origin=Origin.TOLD, actor="member")
        assert change is not None
        Episode.objects.create(
            turn=turn, conversation=uuid.uuid4(), owner_id=world.alice.member, community_id=world.alice.community,
            question="我家的狗叫饼干", answer="好", terms=[], at=timezone.now(),
        )  # fmt: skip
    tasks.embed()
    assert MemoryVector.objects.using("owner").filter(memory=change.memory).count() == 1
    with scoped(world.alice):
        correct.forget(world.alice, change.memory.id)
    tasks.embed()
    assert not MemoryVector.objects.using("owner").filter(memory=change.memory).exists()
    assert not EpisodeVector.objects.using("owner").filter(episode_id=turn).exists()


def test_what_was_forgotten_while_its_vector_was_made_gets_none(world: World) -> None:
    kept = told(world.alice, "我家的狗叫饼干")
    maker = vectorising.maker()
    wanted = vectors.Waiting("memory", kept, world.alice.person, world.alice.slug)
    row = embedding.passages(["我家的狗叫饼干"]).rows[0]
    with scoped(world.alice):
        correct.forget(world.alice, kept)
        assert vectors.store(maker, [wanted], {kept: row}) == 0


def test_vectors_of_another_maker_are_never_compared(world: World) -> None:
    kept = told(world.alice, "我家的狗叫饼干")
    other = Embedder.objects.create(key=f"other-{uuid.uuid4().hex}", size=384)
    with scoped(world.alice):
        MemoryVector.objects.create(
            memory_id=kept, embedder=other, community_id=world.alice.community, owner_id=world.alice.member,
            embedding=[1.0] + [0.0] * 383,
        )  # fmt: skip
        assert not vectors.nearness(world.alice, embedding.query(["我的宠物"]))
        assert kept in vectors.nearness(world.alice, vectors.Meaning(other.key, ((1.0, *[0.0] * 383),))).cosines
    tasks.embed()
    assert MemoryVector.objects.using("owner").filter(memory_id=kept).count() == 2


def test_a_maker_keeps_its_size() -> None:
    key = uuid.uuid4().hex
    vectors.embedder(key, 16)
    with pytest.raises(vectors.WrongSize):
        vectors.embedder(key, 17)
    with pytest.raises(vectors.WrongSize):
        vectors.embedder(uuid.uuid4().hex, 5000)


@pytest.mark.parametrize(
    "rows", [[[math.nan, 1.0]], [[0.0, 0.0]], [[math.inf, 1.0]], [[]], [], [["a", 1.0]], [None], [[1.0], [1.0, 2.0]]]
)
def test_a_wrong_vector_is_refused(rows: list[Any]) -> None:
    with pytest.raises(embedding.Unavailable):
        embedding._checked(rows, max(1, len(rows)), 0)


def test_a_shared_memory_is_nobodys_alone(world: World) -> None:
    """The worker, which belongs to nobody, sees passages and no personal row."""
    told(world.alice, "我家的狗叫饼干")
    passage = knowledge(world, "会费", "每年 120 元")
    worker = vectorising._worker(world.alice.slug)
    assert worker is not None
    with scoped(worker):
        assert not Memory.objects.exists()
        assert Passage.objects.filter(id=passage).exists()
    tasks.embed()
    with scoped(world.charlie):
        assert not PassageVector.objects.filter(passage_id=passage).exists()


@pytest.mark.parametrize(("question", "language"), [("怎么退款？", "zh"), ("How do I get a refund?", "en")])
def test_a_document_in_two_languages_answers_in_the_one_asked_in(world: World, question: str, language: str) -> None:
    with scoped(world.mei):
        document = Document.objects.create(community_id=world.mei.community, title="Refunds", key="refunds")
        for spoken, title, text in (("zh", "退款", "退款 refund：14 天内联系版主。"), ("en", "Refunds", "Refund 退款: ask a moderator.")):
            Passage.objects.create(
                document=document, community_id=world.mei.community, title=title, text=text,
                terms=terms(f"{title} {text}"), language=spoken,
            )  # fmt: skip
    tasks.embed()
    found = asked(world.alice, question).knowledge
    with scoped(world.alice):
        assert [Passage.objects.get(id=hit.id).language for hit in found] == [language]


def test_what_else_waits_for_the_worker_comes_between_many_texts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    while tasks.embed():
        pass
    monkeypatch.setattr(tasks, "EMBED_SECONDS", -1)
    monkeypatch.setattr(vectorising, "AT_ONCE", 1)
    told(world.alice, "tea")
    told(world.alice, "coffee")
    assert [tasks.embed() for _ in range(3)] == [1, 1, 0]


def test_a_text_that_was_changed_while_it_was_embedded_gets_no_vector_of_the_old_words(world: World) -> None:
    passage = knowledge(world, "会费", "每年 120 元")
    worker = vectorising._worker(world.alice.slug)
    assert worker is not None
    maker = vectors.embedder(uuid.uuid4().hex, 8)
    wanted = [vectors.Waiting("knowledge", passage, None, world.alice.slug)]
    row = {passage: (1.0, *[0.0] * 7)}
    with scoped(worker):
        said = vectors.texts(wanted)
    with scoped(world.mei):
        Passage.objects.filter(id=passage).update(text="每年 150 元")
    with scoped(worker):
        assert vectors.store(maker, wanted, row, said) == 0
        assert vectors.store(maker, wanted, row, vectors.texts(wanted)) == 1
