"""`evaluate` and `train_ranker`: their figures, their shapes, and that nothing of what they load stays."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from assistant import evaluation
from assistant.llm import embedding
from assistant.management.commands import train_ranker
from memory.evaluation import datasets
from memory.models import AuditEvent, Episode, EpisodeVector
from memory.retrieval import ranker
from profiles.models import Community, Membership, User

COUNTED = (AuditEvent, Episode, EpisodeVector, Community, Membership, User)
TEXTS = {
    "kayak": ["Did you go out on the water?", "Yes, my kayak is red and I paddle at dawn", "How lovely"],
    "piano": ["What do you play these days?", "The piano, every evening after work", "I only listen"],
    "bread": ["It smells good here", "I baked a rye bread with caraway", "May I have a slice?"],
}
ASKED = {"kayak": "Which colour is the kayak?", "piano": "Which instrument does Ben play?", "bread": "What did Ben bake?"}


def talks(*names: str) -> list[dict[str, Any]]:
    """One owner for each name, with a session on each subject."""
    return [
        {"sample_id": name,
         "conversation": {
             **{f"session_{n}_date_time": f"9:00 am on {n} May, 2023" for n in range(1, len(TEXTS) + 1)},
             **{f"session_{n}": [{"speaker": "Ann" if place % 2 else "Ben", "dia_id": f"D{n}:{place}", "text": text}
                                 for place, text in enumerate(said)] for n, said in enumerate(TEXTS.values(), 1)},
         },
         "qa": [{"question": ASKED[word], "evidence": [f"D{n}:1"], "category": 4} for n, word in enumerate(TEXTS, 1)]}
        for name in names
    ]  # fmt: skip


def run(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json" if arguments[0] == "evaluate" else "--verbosity=1", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_what_is_asked_is_found_and_nothing_stays(tmp_path: Path) -> None:
    file = tmp_path / "anything"
    file.write_text(json.dumps(talks("one")))
    before = [model._default_manager.using("owner").count() for model in COUNTED]
    report = run("evaluate", "--path", str(file))
    assert [model._default_manager.using("owner").count() for model in COUNTED] == before
    assert (report["dataset"], report["questions"]) == ("locomo", 3)
    assert set(report["systems"]) == {"kith", "bm25", "dense", "fusion"}
    for system in report["systems"].values():
        assert {"recall@5", "recall@10", "recall@20", "all@10", "mrr", "ndcg@10", "by_category"} <= set(system)
        assert system["by_category"]["single-hop"]["recall@10"] == system["recall@10"]
    assert report["systems"]["kith"]["recall@5"] == 1.0
    assert report["systems"]["kith"]["mrr"] >= 0.5


def test_weights_of_the_other_owners_are_tried_beside_the_shipped_ones(tmp_path: Path) -> None:
    file = tmp_path / "talks.json"
    file.write_text(json.dumps(talks("one", "two")))
    shipped = ranker.FILE.read_text()
    report = run("evaluate", "--dataset", "locomo", "--path", str(tmp_path), "--leave-one-out", "--limit", "4")
    assert (report["questions"], report["leave_one_out"]) == (4, True)
    assert report["systems"]["shipped"]["recall@10"] == 1.0
    assert ranker.FILE.read_text() == shipped, "what it learned is kept nowhere"


def test_what_can_not_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Name a file"):
        call_command("evaluate", "--path", str(tmp_path))
    with pytest.raises(CommandError, match="madial-zh"):
        call_command("train_ranker", "--path", str(tmp_path))


def test_weights_are_learned_and_measured_on_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "talks.json").write_text(json.dumps(talks("one", "two")))
    report = evaluation.train([datasets.read(tmp_path)])
    assert report["examples"] == 6
    assert set(report["unseen"]) == {"learned", "fixed"}
    assert report["weights"]["words"] > 0


def test_without_an_embedder_words_are_measured_and_one_that_falls_silent_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talks.json").write_text(json.dumps(talks("one")))

    def silent(texts: list[str], seconds: float = 0) -> None:
        raise embedding.Unavailable("nobody there")

    monkeypatch.setattr(embedding, "query", silent)
    with pytest.raises(CommandError, match="fell silent"):
        call_command("evaluate", "--path", str(tmp_path), stderr=StringIO())
    with pytest.raises(CommandError, match="fell silent"):
        evaluate_training(tmp_path, monkeypatch)
    monkeypatch.setattr(embedding, "passages", silent)
    report = run("evaluate", "--path", str(tmp_path))
    assert report["vectors"] is None
    assert report["systems"]["kith"]["recall@10"] == 1.0


def evaluate_training(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_ranker, "SETS", ("locomo",))
    call_command("train_ranker", "--path", str(folder), stderr=StringIO())


def test_a_greater_region_holds_more_of_the_evidence_for_more_tokens(tmp_path: Path) -> None:
    file = tmp_path / "talks.json"
    file.write_text(json.dumps(talks("one")))
    report = run("evaluate", "--path", str(file), "--tokens", "1", "30", "2000")
    nothing, few, all_of_it = (report["tokens"][size] for size in ("1", "30", "2000"))
    assert nothing == {"hit": 0.0, "all": 0.0, "tokens": 0.0, "hit_per_1000": 0.0}
    assert 0 < few["tokens"] <= 30 < all_of_it["tokens"]
    assert all_of_it["hit"] == all_of_it["all"] == 1.0
    assert few["hit_per_1000"] > all_of_it["hit_per_1000"]
    out = StringIO()
    call_command("evaluate", "--path", str(file), "--tokens", "30", stdout=out, stderr=StringIO())
    assert "region of    30 tokens" in out.getvalue()
