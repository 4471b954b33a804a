"""A question for one thing, and one that asks for another beside it."""

import uuid
from datetime import UTC, datetime

from memory.retrieval.score import Asked, Hit, Row, scored
from memory.retrieval.text import terms

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def row(text: str, attribute: str, quote: str = "") -> Row:
    return Row(Hit("memory", uuid.uuid4(), text, 0, {}, NOON), terms(f"{text} {quote}"), 0.5, attribute)


def test_what_lies_near_a_second_part_of_the_question_is_found_beside_the_first() -> None:
    name, allergy, beside = row("Name is Ada", "name"), row("I can't have peanuts", "note"), row("Owns a lathe", "has", "my name")
    near = {name.hit.id: 0.5, allergy.hit.id: 0.45, beside.hit.id: 0.2}
    found = scored(Asked(["name", "eat"], near, frozenset({"name"}), NOON), [name, allergy, beside])
    assert {hit.text for hit in found} == {"Name is Ada", "I can't have peanuts"}
