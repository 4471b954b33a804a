"""Asked before: the same question in other words is known again, and none that differs in a detail that decides."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant import tasks
from assistant.llm import embedding
from memory import golden, knowledge, repeated
from memory.evaluation import playing
from memory.evaluation.datasets import Said
from memory.recall import asked_before, recall
from profiles.access import scoped
from tests.people import World

PAIRS = json.loads((Path(golden.__file__).parent / "asked.json").read_text(encoding="utf-8"))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_same_in_other_words_is_known_and_no_look_alike(world: World) -> None:
    earlier = list(dict.fromkeys(pair["earlier"] for pair in PAIRS))
    said = [Said(text, "one", text, NOON + timedelta(minutes=n), text) for n, text in enumerate(earlier)]
    vectors = embedding.passages(earlier)
    right = wrong = missed = 0
    alike: list[str] = []
    with playing.loaded(world.alice, said, vectors) as keys:
        for pair in PAIRS:
            asked = pair["later"]
            found = recall(world.alice, asked, meaning=embedding.query([asked]), now=NOON + timedelta(days=9))
            known = {keys[hit.id] for hit in asked_before(found, asked)}
            right += pair["same"] and pair["earlier"] in known
            missed += pair["same"] and pair["earlier"] not in known
            wrong += len(known - {pair["earlier"]})
            alike += [asked] if not pair["same"] and pair["earlier"] in known else []
    assert (len(PAIRS), right + missed) == (60, 30)
    assert alike == []
    assert right / (right + wrong) >= 0.9
    assert right / (right + missed) >= 0.5, (right, wrong, missed)


def test_what_the_community_has_answered_is_known_by_its_question_and_no_look_alike(world: World) -> None:
    """Each question once, as the title of a passage whose text says nothing that could be found by chance."""
    titles: dict[str, uuid.UUID] = {}
    with scoped(world.mei):
        for number, text in enumerate(dict.fromkeys(pair["earlier"] for pair in PAIRS)):
            titles[text] = knowledge.write(world.mei, text, f"答 {number}.").id
    tasks.embed()
    right = wrong = missed = 0
    alike: list[str] = []
    for pair in PAIRS:
        asked = pair["later"]
        meaning = embedding.query([asked])
        with scoped(world.alice):
            hit = repeated.answered(recall(world.alice, asked, meaning=meaning), asked, meaning)
        known = hit is not None and hit.id == titles[pair["earlier"]]
        right += pair["same"] and known
        missed += pair["same"] and not known
        wrong += hit is not None and not known
        alike += [asked] if not pair["same"] and known else []
    assert right + missed == 30
    assert alike == []
    assert right / (right + wrong) >= 0.9, (right, wrong)
    assert right / (right + missed) >= 0.5, (right, missed)
