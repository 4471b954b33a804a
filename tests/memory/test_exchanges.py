"""Past exchanges: found with what was said around them, each member's own, and nothing that was forgotten."""

import uuid
from datetime import UTC, datetime, timedelta

from memory import correct, exchanges, ledger, policy, recall, vectors
from memory.ledger import Said
from memory.models import Episode, EpisodeVector
from memory.retrieval import features
from memory.retrieval.exchange import Pool
from memory.retrieval.features import NAMES, Question
from memory.retrieval.text import query_terms, terms
from memory.terms import Origin
from profiles.access import Reader, scoped
from tests.people import World, likes

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def talk(reader: Reader, *texts: str) -> tuple[uuid.UUID, list[uuid.UUID]]:
    """One conversation, a minute between its turns."""
    conversation, turns = uuid.uuid4(), [uuid.uuid4() for _ in texts]
    with scoped(reader):
        Episode.objects.bulk_create(
            Episode(turn=turn, conversation=conversation, owner_id=reader.member, community_id=reader.community,
                    question=text, answer="", terms=terms(text), at=NOON + timedelta(minutes=place))
            for place, (turn, text) in enumerate(zip(turns, texts, strict=True))
        )  # fmt: skip
    return conversation, turns


def pool(reader: Reader, question: str) -> Pool:
    with scoped(reader):
        return exchanges.pool(reader, query_terms(question), None, most=policy.NEAREST)


def column(found: Pool, question: str, name: str) -> dict[uuid.UUID, float]:
    table = features.table(Question(question, query_terms(question)), found)
    return {row.turn: table.values[place, NAMES.index(name)] for place, row in enumerate(table.rows)}


def test_an_answer_is_found_by_the_words_of_the_turn_before_it(world: World) -> None:
    _, (asks, answers, after, _, far) = talk(
        world.alice, "What did you paint in spring?", "A lake at dawn", "Lovely", "Shall we eat?", "Yes"
    )
    talk(world.alice, "My printer is broken")
    found = pool(world.alice, "Which things were painted?")
    assert {row.turn for row in found.rows} == {asks, answers, after}
    assert column(found, "Which things were painted?", "window words")[answers] > 0
    assert column(found, "Which things were painted?", "words")[answers] == 0
    assert far not in {row.turn for row in found.rows}
    with scoped(world.alice):
        wide = recall.recall(world.alice, "Which things were painted?", wide=10).episodes
        few = recall.recall(world.alice, "Which things were painted?").episodes
    assert wide[0].id == asks and answers in {hit.id for hit in wide}
    assert [hit.id for hit in few] == [asks], "into a context goes only what says it itself"


def test_what_left_search_takes_no_place_of_what_is_there(world: World) -> None:
    """The nearest by meaning are counted after what is archived has been left out."""
    maker = vectors.embedder(uuid.uuid4().hex, 8)
    _, turns = talk(world.alice, *(f"line {number}" for number in range(2 * policy.NEAREST)), "the kiln")
    near, far = (1.0, *[0.0] * 7), (0.8, 0.6, *[0.0] * 6)
    with scoped(world.alice):
        for turn in turns:
            EpisodeVector.objects.create(embedder=maker, community_id=world.alice.community, owner_id=world.alice.member,
                                         episode_id=turn, embedding=list(far if turn == turns[-1] else near))  # fmt: skip
        Episode.objects.filter(turn__in=turns[:-1]).update(archived_at=NOON)
        found = exchanges.pool(world.alice, [], vectors.Meaning(maker.key, (near,)), most=policy.NEAREST)
    assert [row.turn for row in found.rows] == [turns[-1]]


def test_what_was_forgotten_is_in_no_window_and_its_neighbours_stand_side_by_side(world: World) -> None:
    conversation, (first, second, third) = talk(world.alice, "My kayak is red", "I paddle at dawn", "On the river")
    with scoped(world.alice):
        said = Said(first, conversation, NOON)
        change = ledger.add(world.alice, likes("kayak"), said, origin=Origin.TOLD, actor="member")
    assert column(pool(world.alice, "kayak"), "kayak", "window words")[second] > 0
    with scoped(world.alice):
        assert change is not None
        correct.forget(world.alice, change.memory.id)
    assert pool(world.alice, "kayak") == Pool()
    rows = {row.turn: row.place for row in pool(world.alice, "paddle on a river").rows}
    assert rows == {second: 1, third: 2}


def test_only_the_members_own_rows_count(world: World) -> None:
    talk(world.bob, *["The kayak of Bob"] * 3)
    _, (own,) = talk(world.alice, "A kayak of mine")
    found = pool(world.alice, "kayak")
    assert [row.turn for row in found.rows] == [own]
    assert (found.total, found.often) == (1, {"kayak": 1})
    assert pool(world.charlie, "kayak") == Pool()


def test_of_very_many_only_the_best_and_their_neighbours_are_read(world: World) -> None:
    talk(world.alice, *["the weather is fine"] * 400, "the weather station broke", *["the weather is fine"] * 400)
    found = pool(world.alice, "weather station")
    assert (found.total, found.often["weather"], found.often["station"]) == (801, 801, 1)
    assert len(found.rows) <= policy.NEAREST * (2 * policy.WINDOW_TURNS + 1)
    assert "the weather station broke" in {row.text for row in found.rows}


def test_the_running_turn_is_no_past_one(world: World) -> None:
    _, (before, now) = talk(world.alice, "kayak one", "kayak two")
    with scoped(world.alice):
        found = exchanges.pool(world.alice, ["kayak"], None, most=policy.NEAREST, but=now)
    assert [row.turn for row in found.rows] == [before]
