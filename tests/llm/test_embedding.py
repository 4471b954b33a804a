"""An embedder of somebody else's: what it may get wrong, and that nothing wrong is kept or compared."""

import logging
import math
import uuid
from collections.abc import Iterator

import pytest
from django.test import override_settings

from assistant import tasks
from assistant.llm import embedding
from memory.models import MemoryVector
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted, Seen

KEY = "ek-Very-Private-987654321"


@pytest.fixture
def endpoint() -> Iterator[Scripted]:
    """A scripted endpoint, configured as an operator would."""
    with Scripted() as found, override_settings(
        EMBEDDING_BASE_URL=found.url, EMBEDDING_API_KEY=KEY, EMBEDDING_MODEL="vec", EMBEDDING_DIMENSIONS=16
    ):  # fmt: skip
        yield found


def vectors(seen: Seen) -> bool:
    return seen.path.endswith("/embeddings")


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def test_model_size_and_key_are_sent_and_the_rows_are_of_that_size(endpoint: Scripted) -> None:
    endpoint.step(vectors, Reply())
    found = embedding.passages(["你好", "hello"])
    assert [len(row) for row in found.rows] == [16, 16]
    assert all(math.isclose(cosine(row, row), 1.0) for row in found.rows)
    sent = endpoint.requests[-1]
    assert (sent.body["model"], sent.body["dimensions"], sent.body["input"]) == ("vec", 16, ["你好", "hello"])
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_a_question_that_names_somebody_lies_between_its_own_vector_and_its_gists(endpoint: Scripted) -> None:
    endpoint.step(vectors, *[Reply()] * 3)
    question, about = "When did Mei paint a lake?", "paint a lake"
    found, other = embedding.query([question, "你好"]).rows
    assert endpoint.requests[-1].body["input"] == [question, "你好", about]
    own, gist, plain = embedding.plain([question, about, "你好"]).rows
    assert math.isclose(cosine(found, found), 1.0)
    assert math.isclose(cosine(found, own), cosine(found, gist))
    assert other == plain
    embedding.query(["你好"])
    assert endpoint.requests[-1].body["input"] == ["你好"]


def test_rows_are_put_in_order_by_their_index(endpoint: Scripted) -> None:
    endpoint.step(vectors, Reply())
    endpoint.step(vectors, Reply(fault="reordered"))
    texts = ["一", "二", "three"]
    assert embedding.passages(texts) == embedding.passages(texts)


@pytest.mark.parametrize(
    "reply", [Reply(fault="nan"), Reply(fault="wrong_size"), Reply(status=500), Reply(status=401, error="no such key")]
)
def test_a_faulty_answer_is_unavailable_and_names_no_key(
    endpoint: Scripted, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.step(vectors, reply)
    with pytest.raises(embedding.Unavailable) as problem:
        embedding.query(["密码是 swordfish"])
    told = f"{problem.value} {caplog.text}"
    assert KEY not in told
    assert "swordfish" not in told


@pytest.mark.parametrize("fault", ["nan", "wrong_size"])
def test_nothing_is_kept_of_a_faulty_answer(endpoint: Scripted, world: World, fault: str) -> None:
    endpoint.step(vectors, *[Reply(fault=fault)] * 2)
    ask(world.alice, "我喜欢川菜", uuid.uuid4())
    assert tasks.embed() == 0
    assert not MemoryVector.objects.using("owner").filter(owner_id=world.alice.member).exists()


@pytest.mark.parametrize("text", ["a\ud800b", "a" * 200_000])
def test_what_is_sent_is_storable_and_capped(endpoint: Scripted, text: str) -> None:
    endpoint.step(vectors, Reply())
    embedding.passages([text])
    (sent,) = endpoint.requests[-1].body["input"]
    assert len(sent) <= embedding.EXTERNAL_CHARACTERS
    sent.encode()
