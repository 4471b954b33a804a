"""What the night made of others stays true to them when these lie in the archive file, are undone or rolled back."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from memory import blocks, correct, policy, recall
from memory.ledger import UPKEEP
from memory.mask import MARK, masker
from memory.models import Block, BlockVersion, Episode, Memory, Source, Version
from memory.rollback import EMPTIED, Writes, rollback
from profiles.access import scoped
from tests.memory.test_making import ASKED, EVENTS, MAY, events, made, march, run
from tests.memory.test_sealed import holding
from tests.memory.test_upkeep import keep, status
from tests.people import World

NIGHT = policy.ALIKE_DAYS + 1
LATER = NIGHT + policy.SHELF_DAYS
QUESTION = {"en": "Which workshops did I attend?", "zh": "我参加过哪些工作坊？"}
pytestmark = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Any:
    with override_settings(ARCHIVE_DIR=tmp_path):
        yield tmp_path


def consolidated(world: World, language: str) -> tuple[list[Memory], Memory]:
    """Five events that lie in the archive file, and what was made of them."""
    parts = events(world.alice, language)
    assert keep(world.alice, NIGHT) == {"consolidate": 5}
    assert keep(world.alice, LATER) == {"shelve": 5}
    return parts, made(world.alice)


def test_a_part_is_forgotten_out_of_the_file_and_what_was_made_says_the_rest(world: World, language: str) -> None:
    parts, memory = consolidated(world, language)
    word, *others = EVENTS[language]
    with scoped(world.alice):
        change = correct.forget(world.alice, parts[0].id)
        assert change is not None
        left = Memory.objects.get(id=memory.id)
        assert word not in left.text and all(text in left.text for text in others)
        assert set(left.sources.values_list("quote", flat=True)) == set(others)
    assert holding(world, word) == set(), "nor any version, source or word index"
    with scoped(world.alice):
        assert [hit.id for hit in recall.recall(world.alice, QUESTION[language]).memories] == [memory.id]
        correct.undo(world.alice, change.id)
        left = Memory.objects.get(id=memory.id)
        assert word in left.text and set(left.sources.values_list("quote", flat=True)) == set(EVENTS[language])
    assert [status(world.alice, part) for part in parts] == ["archived"] * 5


def test_the_whole_is_forgotten_with_its_shelved_parts_undone_at_once_and_purged(world: World, language: str) -> None:
    parts, memory = consolidated(world, language)
    word = EVENTS[language][1]
    with scoped(world.alice):
        blocks.write(world.alice, blocks.human_of(world.alice, world.alice.member), f"- {word}", actor="member")
        change = correct.forget(world.alice, memory.id)
        assert change is not None
        assert word not in masker(world.alice)(f"well, {word}")
        assert correct.undo(world.alice, change.id) is not None
    assert [status(world.alice, row) for row in [memory, *parts]] == ["active"] + ["archived"] * 5
    with scoped(world.alice):
        assert all(text in Memory.objects.get(id=memory.id).text for text in EVENTS[language])
        assert masker(world.alice)(word) == word and not Episode.objects.filter(masked=True).exists()
        correct.forget(world.alice, memory.id)
    assert keep(world.alice, policy.UNDO_DAYS + 1)["purge"] == 6
    assert holding(world, word) == set()
    with scoped(world.alice):
        assert MARK in Block.objects.get().text and MARK in BlockVersion.objects.get().text


def test_undoing_what_was_made_brings_its_parts_back_and_hides_none_of_their_words(world: World, language: str) -> None:
    parts, memory = consolidated(world, language)
    with scoped(world.alice):
        change = memory.versions.get().change
        correct.undo(world.alice, change)
        assert set(Memory.objects.live().values_list("text", flat=True)) == set(EVENTS[language])
        assert set(Source.objects.filter(memory__in=parts).values_list("quote", flat=True)) == set(EVENTS[language])
        assert masker(world.alice)(memory.value) == memory.value and not Episode.objects.filter(masked=True).exists()
        heard = recall.recall(world.alice, QUESTION[language]).memories
        assert {hit.id for hit in heard} <= {part.id for part in parts} and heard
    assert status(world.alice, memory) == "forgotten"
    assert "consolidate" not in keep(world.alice, LATER), "never again after a no"
    with scoped(world.alice):
        correct.forget(world.alice, parts[0].id)
        back = Version.objects.filter(memory=memory).latest("number").change
        correct.undo(world.alice, back)
        left = Memory.objects.get(id=memory.id)
        assert EVENTS[language][0] not in left.text and EVENTS[language][1] in left.text
        assert correct.restore(world.alice, left, 1) is None, "its first words are gone"


def test_a_night_that_is_rolled_back_gives_the_events_and_the_exchanges_again(world: World, language: str) -> None:
    asked, parts = march(world.alice, language), events(world.alice, language)
    now = timezone.now() + timedelta(days=NIGHT)
    assert run(world.alice, now) == {"consolidate": 5, "summaries": 3}
    memory, summary = made(world.alice), made(world.alice, "summary")
    assert keep(world.alice, LATER)["shelve"] == 5
    with scoped(world.alice):
        done = rollback(world.alice, Writes(actor=UPKEEP))
        assert not done.left and len(done.back) == 7
        assert set(Memory.objects.live().values_list("text", flat=True)) == set(EVENTS[language])
        assert not Episode.objects.filter(turn__in=[row.turn for row in asked]).exclude(archived_at=None).exists()
        assert not Episode.objects.filter(masked=True).exists()
        found = recall.recall(world.alice, ASKED[language][2], now=MAY)
        assert asked[2].turn in {hit.id for hit in found.episodes}
    assert {status(world.alice, row) for row in (memory, summary)} == {"forgotten"}
    assert {status(world.alice, part) for part in parts} == {"active"}
    again = run(world.alice, now + timedelta(days=1))
    assert not {"consolidate", "summaries"} & set(again)


def test_a_rollback_leaves_what_has_lost_its_earlier_words(world: World, language: str) -> None:
    parts, memory = consolidated(world, language)
    with scoped(world.alice):
        since = timezone.now()
        correct.forget(world.alice, parts[0].id)
        text = Memory.objects.get(id=memory.id).text
        done = rollback(world.alice, Writes(actor=UPKEEP, since=since))
        assert [(one.memory, one.why) for one in done.left] == [(memory.id, EMPTIED)]
        assert Memory.objects.get(id=memory.id).text == text
