"""The golden set: nothing of it stays, its command says what it must, and the first set is held to its thresholds."""

import json

import pytest

from assistant import golden
from memory.golden.cases import Verdict


@pytest.fixture(scope="module")
def first(database: None) -> list[Verdict]:
    return golden.run(["first"])["first"]


def test_the_first_set_is_remembered_and_recalled(first: list[Verdict]) -> None:
    for one in first:
        if not one.passed:
            print(one.case.id, *(f"missing {what}" for what in one.missing), *(f"wrong {what}" for what in one.wrong),
                  sep="\n    ")  # fmt: skip
    figures = golden.report({"first": first})
    print(json.dumps(figures, ensure_ascii=False))
    assert figures["precision"] >= 0.95
    assert figures["recall"] >= 0.80
