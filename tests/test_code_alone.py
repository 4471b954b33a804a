"""Tenant and reader are part of every query twice: what the code asks holds where the database lets everything through."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from assistant import tasks
from assistant.conversation import window
from memory import blocks, entities, overviews, recall, talks, vectors
from memory.models import Memory
from memory.retrieval.text import query_terms
from memory.vectors import Meaning
from profiles import learn
from profiles.access import Reader, scoped
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.people import World

SIZE = 8
ASKED = ("我喜欢什么？", "川菜", "我住在哪？", "What do I like?", "Where does Lena live?", "我们昨天聊了什么？", "你记得我什么？")
MAKER = f"alone/{SIZE}"
FOREIGN = "what nobody here has told"


@contextmanager
def without_policies() -> Iterator[None]:
    """The tables' owner instead of the application, whom no row policy holds back."""
    usual = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections["owner"]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = usual


def tells(reader: Reader, mark: str) -> uuid.UUID:
    """What everybody in the test tells, each with a mark of their own; gives the conversation."""
    conversation = uuid.uuid4()
    for says in (f"我喜欢{mark}川菜。", f"我住在{mark}苏州。", f"My sister Lena {mark} lives in Oslo.", f"记住：{mark}的钥匙在抽屉里。"):
        ask(reader, says, conversation)
    with scoped(reader):
        blocks.insert(reader, f"{mark} likes short answers", turn=uuid.uuid4())
        maker = vectors.embedder(MAKER, SIZE)
        for key in Memory.objects.filter(owner_id=reader.member).values_list("id", flat=True):
            waiting = [vectors.Waiting("memory", key, reader.person, reader.slug)]
            vectors.store(maker, waiting, {key: (1.0, *[0.01] * (SIZE - 1))})
    return conversation


def heard(reader: Reader, of: uuid.UUID) -> list[str]:
    """All that the doors of recall say to this reader; `of` is somebody's conversation."""
    meaning = Meaning(MAKER, ((1.0, *[0.01] * (SIZE - 1)),))
    found: list[str] = []
    with scoped(reader):
        for question in ASKED:
            for asked in (meaning, None):
                hits = recall.recall(reader, question, meaning=asked).all
                found += [hit.text for hit in hits] + foreign(reader, [hit.id for hit in hits])
            found += [talk.question for talk in talks.search(reader, question, most=50)]
        found += [memory.text for memory in recall.everything(reader)]
        found += overviews.recent(reader, but=uuid.uuid4(), now=timezone.now())
        found += [blocks.read(reader, None).human]
        found += [one.question for one in window.recent(reader, of, parent=None).rounds]
        found += [entity.name for entity in entities.named_in(reader, " ".join(query_terms("Lena Oslo 苏州 川菜")))]
        found += [learn.profile_of(reader).name]
    return found


def foreign(reader: Reader, ids: list[uuid.UUID]) -> list[str]:
    """Memories among them that are somebody else's, whatever they say."""
    rows = Memory.objects.using("owner").filter(id__in=ids).exclude(owner_id=reader.member)
    return [FOREIGN] * rows.count()


@pytest.fixture
def marks(world: World) -> Iterator[dict[str, Reader]]:
    """Three members of two communities."""
    yield {"甲金": world.alice, "乙木": world.bob, "丙水": world.charlie}


def leaks(marks: dict[str, Reader]) -> list[tuple[str, str]]:
    """What one member is told that bears another's mark."""
    talks_of = {mark: tells(reader, mark) for mark, reader in marks.items()}
    tasks.remember()
    found = []
    with without_policies():
        for mark, reader in marks.items():
            for other in marks.keys() - {mark}:
                said = heard(reader, talks_of[other])
                assert any(mark in text for text in said), "it would be no test if nothing were found"
                found += [(mark, text) for text in said if any(one in text for one in marks.keys() - {mark}) or text == FOREIGN]
    return found


def test_no_door_of_recall_leaves_it_to_the_database(marks: dict[str, Reader]) -> None:
    assert leaks(marks) == []


def test_nor_do_the_lists(marks: dict[str, Reader]) -> None:
    for mark, reader in marks.items():
        tells(reader, mark)
    with without_policies():
        for mark, reader in marks.items():
            for path in ("/memories?page_size=100", "/memories?q=川菜"):
                rows = Caller(reader)("get", path)["items"]
                assert rows and all(mark in row["text"] for row in rows if "川菜" in row["text"])
