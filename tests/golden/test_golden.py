"""The golden set: nothing of it stays, its command says what it must, and the first set is held to its thresholds."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from assistant import golden
from memory.golden import cases
from memory.golden.cases import Asked, Case, Kept, Line, Verdict, Wanted, judge
from memory.models import AuditEvent, Embedder, Episode, Memory, Version
from profiles.models import Community, Membership, User

COUNTED = (AuditEvent, Embedder, Episode, Memory, Version, Community, Membership, User)


@pytest.fixture(scope="module")
def first(database: None) -> list[Verdict]:
    return golden.run(["first"])["first"]


def test_the_first_set_is_remembered_and_recalled(first: list[Verdict]) -> None:
    for one in first:
        if not one.passed:
            print(one.case.id, *(f"missing {what}" for what in one.missing), *(f"wrong {what}" for what in one.wrong),
                  sep="\n    ")  # fmt: skip
    figures = golden.report({"first": first})
    assert figures["cases"] == 60
    assert figures["precision"] >= 0.95
    assert figures["recall"] >= 0.80
    assert {name: one for name, one in figures["by_class"].items() if one["recall"] < 0.80} == {}


@pytest.mark.parametrize("name", cases.SETS)
def test_each_set_has_sixty_cases_half_of_them_in_each_language(name: str) -> None:
    ids = [case.id for case in cases.read(name)]
    assert len(set(ids)) == len(ids) == 60
    assert sum(key.startswith("zh-") for key in ids) == 30


def test_the_second_set_is_only_reported_and_nothing_of_it_stays() -> None:
    before = {model: model._default_manager.using("owner").count() for model in COUNTED}
    out = StringIO()
    call_command("golden", "--set", "second", "--json", stdout=out)
    report = json.loads(out.getvalue())
    print(out.getvalue())
    assert report["cases"] == 60
    assert set(report) == {"cases", "passed", "precision", "recall", "by_class", "sets"}
    assert set(report["sets"]) == {"second"}
    assert sum(row["cases"] for row in report["by_class"].values()) == 60
    assert all(set(row) == {"cases", "passed", "precision", "recall"} for row in report["by_class"].values())
    assert {model: model._default_manager.using("owner").count() for model in COUNTED} == before
    assert not Community.objects.using("owner").filter(slug__startswith=golden.SLUG).exists()


def test_failing_cases_are_told_and_are_an_error_only_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases.read("first")[0]
    bad = Verdict(case, missing=["memory: nowhere"], wrong=["memory: junk"])
    monkeypatch.setattr(golden, "run", lambda names: {"first": [bad]})
    out = StringIO()
    call_command("golden", "--set", "first", stdout=out)
    assert case.id in out.getvalue()
    assert "missing  memory: nowhere" in out.getvalue()
    assert "wrong    memory: junk" in out.getvalue()
    with pytest.raises(CommandError, match="1 of 1 cases failed"):
        call_command("golden", "--set", "first", "--strict", stdout=StringIO())


def test_a_throw_away_community_goes_even_when_a_case_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> Verdict:
        raise RuntimeError("broken")

    monkeypatch.setattr(golden, "play", broken)
    with pytest.raises(RuntimeError, match="broken"):
        golden.run(["first"])
    assert not Community.objects.using("owner").filter(slug__startswith=golden.SLUG).exists()
    assert not User.objects.using("owner").filter(username__startswith=golden.SLUG).exists()


def test_the_judge_counts_what_is_right_missing_and_wrong() -> None:
    base = cases.read("first")[0].says[0]
    case = Case("x", "x", "UTC", (base,), remember=(Wanted("Oslo", "residence"), Wanted("Acme", status="superseded")),
                may=("tea",), forbid=("Paris",),
                asks=(Asked(Line(base.at, "where?"), hears=("Oslo",), never=("Paris",)),))  # fmt: skip
    kept = [Kept("Lives in Oslo", "residence", "active"), Kept("Likes tea", "likes", "active"),
            Kept("Likes junk", "likes", "active"), Kept("Lives in Paris", "residence", "forgotten")]  # fmt: skip
    verdict = judge(case, kept, [["Lives in Oslo", "in Paris"]])
    assert (verdict.good, verdict.found) == (2, 2)
    assert verdict.missing == ["memory: Acme (any, superseded) "]
    assert verdict.wrong == ["memory: Likes junk (likes)", "where? → in Paris"]
    assert cases.figures([verdict]) == {"cases": 1, "passed": 0, "precision": 0.5, "recall": 0.667}
