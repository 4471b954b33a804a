"""The command and the nightly task: everybody's house, one after the other, and nobody's trouble is another's."""

import json
import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from celery.schedules import crontab
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from assistant import housekeeping, tasks
from assistant.celery import app
from assistant.conversation.models import Conversation, Frame, Turn
from memory import correct, ledger, upkeep
from memory.models import Memory, Version
from profiles.access import Reader, scoped
from profiles.models import Membership, User
from tests.commands.test_commands import of
from tests.conversation.test_turn import ask, frames
from tests.memory.test_upkeep import add, furnish, happened, rows, status
from tests.people import World


def run(*arguments: str) -> tuple[dict[str, int], str]:
    """Counts by step, and what was said on the way."""
    said, way = StringIO(), StringIO()
    call_command("upkeep", *arguments, "--json", stdout=said, stderr=way)
    found: list[dict[str, Any]] = json.loads(said.getvalue())
    assert [row["step"] for row in found] == list(upkeep.ORDER)
    assert all(set(row) == {"step", "does", "count", "skipped", "members"} for row in found)
    return {row["step"]: row["count"] for row in found if row["count"]}, way.getvalue()


def later(days: float) -> str:
    return (timezone.now() + timedelta(days=days)).isoformat()


def test_a_dry_run_names_what_and_why_without_a_word_and_writes_nothing(world: World) -> None:
    found = furnish(world.alice)
    before = rows()
    counts, way = run(*of(world.alice), "--now", later(365), "--dry-run")
    assert rows() == before
    assert counts == {"overviews": 1, "conflicts": 2, "expired": 1, "priority": 1, "archive": 3, "delete": 3, "purge": 1}
    assert f"would archive {found['met Ann'].id} of {world.alice.member}: 365 days untouched" in way
    assert "1/1 members" in way and "Ann" not in way and "泰山" not in way
    assert run(*of(world.alice), "--now", later(365))[0] == counts
    assert run(*of(world.alice), "--now", later(365))[0] == {}


def test_one_community_one_member_or_nobody_by_that_name(world: World) -> None:
    events = {reader: add(reader, happened("met Ann")) for reader in (world.alice, world.bob, world.charlie)}
    assert run("--community", world.charlie.slug, "--now", later(31))[0] == {"archive": 1}
    user = User.objects.get(id=world.alice.person).username
    assert run("--user", user, "--now", later(31))[0] == {"archive": 1}
    assert [status(reader, event) for reader, event in events.items()] == ["archived", "active", "archived"]
    for wrong in (("--community", "nowhere"), ("--user", "nobody"), ("--now", "soon"), ("--now", "2026-13-45")):
        with pytest.raises(CommandError):
            run(*wrong)
    assert run(*of(world.bob), "--now", timezone.localdate().isoformat())[0] == {}


@pytest.fixture
def bob_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    archive = ledger.archive_all

    def breaks(reader: Reader, *rest: Any, **more: Any) -> None:
        archive(reader, *rest, **more)
        if reader.member == world.bob.member:
            raise RuntimeError("the disk is full")

    monkeypatch.setattr(ledger, "archive_all", breaks)
    return monkeypatch


def test_one_members_trouble_is_nobody_elses_and_the_next_run_goes_on(
    world: World, bob_fails: pytest.MonkeyPatch
) -> None:
    events = {reader: add(reader, happened("met Ann")) for reader in (world.alice, world.bob, world.mei)}
    arguments = ("upkeep", "--community", world.alice.slug, "--now", later(31), "--json")
    said, way = StringIO(), StringIO()
    with pytest.raises(CommandError, match="1 of 3 members"):
        call_command(*arguments, stdout=said, stderr=way)
    first = {row["step"]: row["count"] for row in json.loads(said.getvalue())}["archive"]
    assert [status(reader, event) for reader, event in events.items()] == ["archived", "active", "archived"]
    assert str(world.bob.member) in way.getvalue() and "the disk" not in way.getvalue()
    bob_fails.undo()
    second = run(*arguments[1:-1])[0]["archive"]
    assert (first, second) == (2, 1), "together as many as without the trouble"
    with scoped(world.bob):
        assert Version.objects.filter(action="archived").count() == 1


def only(*readers: Reader) -> None:
    """Nobody else waits to be kept."""
    everybody = Membership.objects.using("owner")
    everybody.update(kept_at=timezone.now())
    everybody.filter(id__in=[reader.member for reader in readers]).update(kept_at=None)


def test_the_task_walks_all_members_once_a_night_and_past_a_failing_one(
    world: World, bob_fails: pytest.MonkeyPatch
) -> None:
    again: list[dict[str, Any]] = []
    bob_fails.setattr(tasks.upkeep, "apply_async", lambda **words: again.append(words))
    soon = timezone.now() + timedelta(days=31)
    events = {reader: add(reader, happened("met Ann")) for reader in (world.alice, world.bob, world.charlie)}
    only(*events)
    bob_fails.setattr("assistant.tasks.timezone.now", lambda: soon)
    assert tasks.upkeep() == 2 and len(again) == 1
    assert [status(reader, event) for reader, event in events.items()] == ["archived", "active", "archived"]
    assert tasks.upkeep() == 0 and len(again) == 1, "everybody has been looked at: nothing is queued any more"


def test_the_task_ends_its_batch_in_time_and_the_next_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 0)
    monkeypatch.setattr(tasks.upkeep, "apply_async", lambda **words: None)
    only(world.alice, world.bob)
    assert [tasks.upkeep(), tasks.upkeep(), tasks.upkeep()] == [1, 1, 0]


def test_it_runs_at_a_quiet_hour_of_the_operators_clock() -> None:
    entry = app.conf.beat_schedule["upkeep"]
    assert entry["task"] == tasks.upkeep.name
    assert entry["schedule"] == crontab(hour="3", minute="30") and app.conf.timezone == settings.TIME_ZONE


@pytest.mark.parametrize(
    ("says", "word", "question"),
    [("I prefer zebrafont.", "zebrafont", "What did I prefer?"), ("我住在苏州。", "苏州", "我住在哪里？")],
)
def test_forgotten_words_leave_the_whole_database_but_for_what_the_chain_and_an_erasure_keep(
    world: World, says: str, word: str, question: str
) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, says, conversation)
    ask(world.alice, question, conversation)
    with scoped(world.alice):
        correct.forget(world.alice, Memory.objects.live().get(value=word).id)
    later_turn = ask(world.alice, f"{word}?", conversation)
    assert run(*of(world.alice), "--now", later(31))[0]["purge"] == 1
    with scoped(world.alice):
        before = Turn.objects.filter(conversation_id=conversation).exclude(id=later_turn)
        held = [list(before.values("question", "answer", "regions")), list(Memory.objects.values()),
                list(Frame.objects.filter(turn__in=before).values("body")), Conversation.objects.get().title,
                list(Version.objects.values())]  # fmt: skip
        assert word not in json.dumps(held, ensure_ascii=False, default=str)
        assert word in Turn.objects.get(id=later_turn).question, "said anew"
        assert before.count() == 2 and all(turn.question for turn in before)
    sent = frames(world.alice, conversation)
    assert [frame["seq"] for frame in sent] == list(range(1, len(sent) + 1))
    for turn in {frame["turn"] for frame in sent}:
        mine = [frame for frame in sent if frame["turn"] == turn]
        pieces = "".join(frame["text"] for frame in mine if frame["type"] == "delta")
        assert pieces == next(frame["text"] for frame in mine if frame["type"] == "done")


def test_a_word_across_two_pieces_goes_and_tags_and_ids_stay() -> None:
    now = timezone.now()
    body = {"type": "done", "text": "a span", "html": '<span id="span">span</span> span', "memories": [{"id": "span", "text": "span"}]}
    assert housekeeping._in(body, lambda text, at: text.replace("span", "█"), now) == {
        "type": "done", "text": "a █", "html": '<span id="span">█</span> █', "memories": [{"id": "span", "text": "█"}]}  # fmt: skip
