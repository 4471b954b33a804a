"""A year of a member's, week by week: what is kept stays small, and true at every date."""

from datetime import timedelta

import pytest

from memory import audit, ledger, policy
from memory.models import Memory
from memory.terms import Status
from profiles.access import scoped
from tests import year
from tests.people import World


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_year_keeps_what_matters_and_answers_now_and_then(
    world: World, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(policy, "LIVE_MEMORIES", 100)
    monkeypatch.setattr(policy, "LIVE_EVENTS", 12)
    reader = world.alice
    year.tell(reader, "I like quiet trains." if language == "en" else "我喜欢安静的火车。", year.START - timedelta(days=1))
    year.tell(reader, "My name is Alice Liu." if language == "en" else "我叫刘小雨。", year.START - timedelta(days=1))
    with scoped(reader):
        pinned, name = Memory.objects.get(attribute="likes"), Memory.objects.get(attribute="name")
        ledger.revise(reader, pinned, {"pinned": True}, actor="member")
        assert name.importance >= policy.IMPORTANT
    played = year.play(reader, language, turns=7)
    assert len(played.right) == 12
    assert all(job in text for job, (text,) in zip(played.right, played.answers, strict=True))
    assert played.most <= 100
    after = year.START + timedelta(weeks=53)
    then = year.heard(reader, year.MAY[language], after)
    assert year.JOBS[language][1] in then[0] and not any(year.JOBS[language][3] in text for text in then)
    talked = year.heard(reader, year.TALKED[language], after)
    assert talked and all(("2025年5月" if language == "zh" else "May 2025") in text for text in talked)
    with scoped(reader):
        assert {Memory.objects.get(id=row.id).status for row in (pinned, name)} == {Status.ACTIVE}
    assert audit.verify(reader.community, using="owner").broken_at is None
