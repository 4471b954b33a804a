"""Keeping house in the database: each step, dry runs, second runs, cut-off runs, and a whole year."""

import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memory import audit, correct, ledger, overviews, policy, recall, upkeep
from memory.extraction.claims import Claim
from memory.ledger import Said
from memory.models import AuditEvent, Episode, Memory, Overview, Source, Tombstone, Version
from memory.terms import Category, Kind, Origin, Status
from memory.upkeep import Blackout
from profiles.access import Reader, scoped
from tests.people import World, likes, said


def nothing(reader: Reader, blackout: Blackout) -> None:
    """A product that keeps nothing else."""


def add(reader: Reader, claim: Claim, words: Said | None = None, **changes: Any) -> Memory:
    with scoped(reader):
        change = ledger.add(reader, claim, words or said(), origin=Origin.TOLD, actor="member")
        assert change is not None
        if changes:
            ledger.revise(reader, change.memory, changes, actor="member")
        return Memory.objects.get(id=change.memory.id)


def happened(value: str, importance: float = 0.5, language: str = "en") -> Claim:
    return Claim(Kind.EPISODIC, Category.EVENT, "me", "event", value, value, value, language, importance, 0.9)


def keep(reader: Reader, days: float = 0, *, dry_run: bool = False) -> dict[str, int]:
    done = upkeep.run(reader, timezone.now() + timedelta(days=days), blacken=nothing, dry_run=dry_run)
    assert [one.step for one in done] == list(upkeep.ORDER)
    assert sum(one.skipped for one in done) == 0
    return {one.step: one.count for one in done if one.count}


def status(reader: Reader, memory: Memory) -> str:
    with scoped(reader):
        return Memory.objects.get(id=memory.id).status


def rows() -> dict[str, str]:
    """The content of every table of ours, as a digest."""
    found = {}
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) || md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{name}" t')
            found[name] = cursor.fetchone()[0]
    return found


def furnish(reader: Reader) -> dict[str, Memory]:
    """A house in which each step finds something a year later, and things that none may take."""
    found = {value: add(reader, happened(value)) for value in ("met Ann", "登了泰山")}
    found["faint"] = add(reader, happened("saw a cat", 0.2))
    found["pinned"] = add(reader, happened("married"), pinned=True)
    found["fact"] = add(reader, likes("tea"))
    found["plan"] = add(reader, replace(likes("Oslo", attribute="state"), category=Category.TASK,
                                        happened_from=timezone.now(), happened_to=timezone.now() + timedelta(days=7)))  # fmt: skip
    found["gone"] = add(reader, likes("川菜", quote="我喜欢川菜"))
    old = found["acme"] = add(reader, likes("Acme", attribute="employer"))
    with scoped(reader):
        Memory.objects.filter(id=old.id).update(slot="me|employer|acme")  # written when there could be several
        correct.forget(reader, found["gone"].id)
        overviews.note(reader, uuid.uuid4(), "tea?", ["tea"], timezone.now())
    found["zeta"] = add(reader, likes("Zeta", attribute="employer"))
    return found


EXPECTED = {"overviews": 1, "conflicts": 2, "expired": 1, "priority": 1, "archive": 3, "delete": 3, "purge": 1}


def test_every_step_does_its_work_once_and_leaves_a_line_for_each(world: World) -> None:
    found = furnish(world.alice)
    assert keep(world.alice) == {"conflicts": 2}, "on the first night nothing is old"
    with scoped(world.alice):
        lines = AuditEvent.objects.using("owner").filter(community_id=world.alice.community).count()
    assert keep(world.alice, 365) == {"overviews": 1, "expired": 1, "priority": 1, "archive": 3, "delete": 3, "purge": 1}
    stands = {name: status(world.alice, memory) for name, memory in found.items()}
    assert stands == {
        "met Ann": "forgotten", "登了泰山": "forgotten", "faint": "forgotten", "pinned": "active", "fact": "active",
        "plan": "superseded", "gone": "forgotten", "acme": "under_review", "zeta": "under_review",
    }  # fmt: skip
    before = rows()
    assert keep(world.alice, 365) == {} and rows() == before, "a second run does nothing"
    with scoped(world.alice):
        assert not Overview.objects.exists()
        actors = set(Version.objects.filter(action__in=("archived", "flagged")).values_list("actor", flat=True))
        assert actors == {"upkeep"}
        assert AuditEvent.objects.using("owner").filter(community_id=world.alice.community).count() == lines + 9
    assert audit.verify(world.alice.community, using="owner").broken_at is None


def test_a_dry_run_says_the_same_and_writes_nothing(world: World) -> None:
    furnish(world.alice)
    before = rows()
    would = keep(world.alice, 365, dry_run=True)
    assert rows() == before
    assert would == EXPECTED == keep(world.alice, 365)


def test_it_keeps_nobody_elses_house(world: World) -> None:
    mine, theirs = add(world.alice, happened("met Ann")), add(world.bob, happened("met Ann"))
    assert keep(world.alice, 40) == {"archive": 1}
    assert (status(world.alice, mine), status(world.bob, theirs)) == ("archived", "active")


def test_what_is_archived_leaves_recall_and_can_be_brought_back_for_another_while(world: World) -> None:
    memory = add(world.alice, happened("climbed Mount Tai"))
    with scoped(world.alice):
        assert recall.recall(world.alice, "Mount Tai").memories
    keep(world.alice, 31)
    with scoped(world.alice):
        assert recall.recall(world.alice, "Mount Tai").memories == ()
        row = Memory.objects.get(id=memory.id)
        assert row.left_at is not None
        correct.restore(world.alice, row, 1)
        assert recall.recall(world.alice, "Mount Tai").memories
        assert Memory.objects.get(id=memory.id).left_at is None
    assert keep(world.alice, 29) == {}


def test_what_only_faded_may_be_said_again_and_can_be_undone(world: World) -> None:
    memory = add(world.alice, happened("saw a cat", 0.2))
    assert keep(world.alice, 120) == {"archive": 1, "delete": 1}
    with scoped(world.alice):
        assert not Tombstone.objects.exists()
        last = Version.objects.filter(memory=memory).latest("number")
        assert (last.action, last.actor) == ("forgotten", "upkeep")
        assert ledger.undo(world.alice, last.change, actor="member") is not None
    assert status(world.alice, memory) == "archived"
    add(world.alice, happened("saw a cat", 0.2))


def test_what_faded_brings_nothing_back_that_it_had_corrected(world: World) -> None:
    old = add(world.alice, likes("tea"))
    with scoped(world.alice):
        ledger.add(world.alice, likes("tea", attribute="dislikes"), said(), origin=Origin.TOLD, actor="member",
                   reason=ledger.CORRECTED)  # fmt: skip
        new = Memory.objects.live().get()
        ledger.archive(world.alice, new, at=timezone.now(), reason="faded", gone=True)
    assert status(world.alice, old) == "superseded"


def test_forgotten_words_are_emptied_after_the_days_of_undo_and_stay_away(world: World) -> None:
    turn = said()
    memory = add(world.alice, likes("川菜", quote="我喜欢川菜"), turn)
    other = uuid.uuid4()
    with scoped(world.alice):
        for key in (turn.turn, other):
            Episode.objects.create(turn=key, conversation=turn.conversation, owner_id=world.alice.member, terms=["川菜"],
                                   community_id=world.alice.community, question="我喜欢川菜吗", answer="川菜", at=turn.at)  # fmt: skip
        change = correct.forget(world.alice, memory.id)
    assert change is not None
    assert keep(world.alice, 29) == {"summaries": 1}, "the other exchange is of long ago"
    seen: list[str] = []

    def blacken(reader: Reader, blackout: Blackout) -> None:
        now = timezone.now()
        seen.extend((blackout("辣的川菜好", turn.at), blackout("辣的川菜好", now + timedelta(days=1))))

    upkeep.run(world.alice, timezone.now() + timedelta(days=31), blacken=blacken)
    assert seen == ["辣的█好", "辣的川菜好"], "what is said after the forgetting is said anew"
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
        assert (row.text, row.value, row.slot, row.terms, row.status) == ("", "", "", [], "forgotten")
        assert {(version.text, version.value) for version in row.versions.all()} == {("", "")}
        assert [source.quote for source in Source.objects.all()] == [""]
        assert {(row.question, row.answer) for row in Episode.objects.all()} == {("█吗", "█")}
        assert "川菜" not in str(list(Episode.objects.values_list("terms", flat=True)))
        assert correct.undo(world.alice, change.id) is None, "there is nothing to go back to"
        assert correct.restore(world.alice, row, 1) is None
        again = ledger.add(world.alice, likes("川菜"), said(), origin=Origin.TOLD, actor="member")
        assert again is None, "the tombstone still keeps it away"


def test_words_that_still_stand_are_not_blacked_out(world: World) -> None:
    memory = add(world.alice, likes("tea", quote="I like tea"))
    add(world.alice, replace(likes("tea", attribute="contact"), text="sells tea"))
    seen: list[str] = []
    with scoped(world.alice):
        correct.forget(world.alice, memory.id)
    upkeep.run(world.alice, timezone.now() + timedelta(days=31),
               blacken=lambda reader, blackout: seen.append(blackout("I like tea, a tea", said().at)))  # fmt: skip
    assert seen == ["█, a tea"]


@pytest.mark.parametrize("settled", [False, True])
def test_what_a_person_found_right_is_not_doubted_again(world: World, settled: bool) -> None:
    found = furnish(world.alice)
    keep(world.alice)
    with scoped(world.alice):
        if settled:
            correct.approve(world.alice, Memory.objects.get(id=found["acme"].id))
    assert keep(world.alice) == {}
    assert status(world.alice, found["acme"]) == ("active" if settled else "under_review")


def test_a_recall_keeps_an_event_live_and_is_counted_once_a_turn(world: World) -> None:
    event, other = add(world.alice, happened("met Ann")), add(world.alice, happened("met Bea"))
    turn = uuid.uuid4()
    lines = AuditEvent.objects.using("owner").filter(community_id=world.alice.community).count()
    with scoped(world.alice):
        found = recall.recall(world.alice, "Who did I meet, Ann or Bea?")
        assert {hit.id for hit in found.memories} == {event.id, other.id}
        for _ in range(2):
            recall.record(world.alice, turn, found, {event.id: "m1"})
        row, left_out = Memory.objects.get(id=event.id), Memory.objects.get(id=other.id)
        assert (row.recall_count, row.version, left_out.recall_count, left_out.recalled_at) == (1, event.version, 0, None)
        assert row.recalled_at is not None and timezone.now() - row.recalled_at < timedelta(minutes=1)
        Memory.objects.filter(id=event.id).update(recalled_at=timezone.now() + timedelta(days=20))
        parts = {hit.id: hit.parts for hit in recall.recall(world.alice, "Ann or Bea", now=timezone.now() + timedelta(days=20)).memories}
        assert parts[event.id]["recency"] == pytest.approx(1, abs=0.001) and parts[other.id]["recency"] < 0.1
    assert AuditEvent.objects.using("owner").filter(community_id=world.alice.community).count() == lines
    assert keep(world.alice, 40) == {"archive": 1}
    assert (status(world.alice, event), status(world.alice, other)) == ("active", "archived")


def test_what_somebody_is_changing_or_has_just_recalled_is_left_for_the_next_night(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = add(world.alice, happened("met Ann"))
    hold = audit.hold

    def meanwhile(community: uuid.UUID) -> None:
        ledger.recalled(world.alice, [event.id])
        hold(community)

    monkeypatch.setattr(audit, "hold", meanwhile)
    done = {one.step: (one.count, one.skipped) for one in upkeep.run(world.alice, timezone.now() + timedelta(days=40), blacken=nothing)}
    assert done["archive"] == (0, 1)
    assert status(world.alice, event) == "active"


def test_a_run_that_is_cut_off_is_finished_by_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "KEEP_BATCH", 3)
    events = [add(world.alice, happened(f"met {name}")) for name in ("Ann", "Bea", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo")]
    archive, calls = ledger.archive_all, 0

    def dies(*args: Any, **words: Any) -> None:
        nonlocal calls
        calls += 1
        archive(*args, **words)
        if calls == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "archive_all", dies)
        with pytest.raises(KeyboardInterrupt):
            keep(world.alice, 40)
    assert [status(world.alice, event) for event in events].count("archived") == 6, "whole batches or nothing"
    assert keep(world.alice, 40) == {"archive": 4}
    with scoped(world.alice):
        assert Version.objects.filter(action="archived").count() == 10, "none twice"


@contextmanager
def clock(monkeypatch: pytest.MonkeyPatch, now: datetime) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: now)
        yield


JOBS = {"en": ("Where do I work?", "I work at {}.", ("Acme", "Zeta", "Nordic Rail", "Blue Yard")),
        "zh": ("我在哪里上班？", "我在{}上班", ("华兴", "百川", "东方铁路", "蓝院"))}  # fmt: skip
NOISE = {"en": "went to meeting number {}", "zh": "参加了第{}次会议"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_year_stays_below_the_cap_and_the_job_is_right_at_every_date(
    world: World, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(policy, "LIVE_MEMORIES", 40)
    monkeypatch.setattr(policy, "LIVE_EVENTS", 15)
    question, says, jobs = JOBS[language]
    start = datetime(2025, 1, 6, 12, tzinfo=UTC)
    most = 0
    right: list[list[str]] = []
    answers: list[list[str]] = []
    pinned = None
    for week in range(52):
        now = start + timedelta(weeks=week)
        with clock(monkeypatch, now), scoped(world.alice):
            if week % 13 == 0:
                job = jobs[week // 13]
                text = says.format(job)
                told(world.alice, Claim(Kind.SEMANTIC, Category.FACT, "me", "employer", job, text, text, language, 0.7, 0.9), now)
            for number in range(week * 6, week * 6 + 6):
                text = NOISE[language].format(number)
                told(world.alice, happened(text, 0.3 + number % 5 / 10, language), now)
            told(world.alice, likes(f"dish {week}"), now)
            if pinned is None:
                pinned = Memory.objects.get(attribute="likes")
                ledger.revise(world.alice, pinned, {"pinned": True}, actor="member")
        with clock(monkeypatch, now):
            upkeep.run(world.alice, now, blacken=nothing)
            with scoped(world.alice):
                most = max(most, Memory.objects.live().count())
                if week % 4 == 2 and len(right) < 12:
                    found = recall.recall(world.alice, question, now=now)
                    answers.append([hit.text for hit in found.memories[:1]])
                    right.append([says.format(jobs[week // 13])])
    assert len(right) == 12 and answers == right
    assert most == 40
    assert pinned is not None and status(world.alice, pinned) == Status.ACTIVE
    assert audit.verify(world.alice.community, using="owner").broken_at is None


def told(reader: Reader, claim: Claim, at: datetime) -> None:
    assert ledger.add(reader, claim, Said(uuid.uuid4(), uuid.uuid4(), at), origin=Origin.TOLD, actor="member")


def test_a_state_is_no_longer_current_once_its_time_is_over_and_its_slot_is_held_until_the_night(world: World) -> None:
    now = timezone.now()
    state = replace(likes("busy this week", attribute="state"), category=Category.TASK)
    memory = add(world.alice, replace(state, happened_from=now - timedelta(days=7), happened_to=now + timedelta(hours=1)))
    lasting = add(world.alice, replace(likes("Oslo", attribute="decision"), category=Category.TASK))
    with scoped(world.alice):
        assert {row.id for row in recall.everything(world.alice)} == {memory.id, lasting.id}
        Memory.objects.filter(id=memory.id).update(valid_to=now - timedelta(hours=1))
        assert recall.recall(world.alice, "busy this week").memories == ()
        assert {row.id for row in recall.everything(world.alice)} == {lasting.id}
    newer = add(world.alice, replace(state, value="free", text="free this week"))
    assert (status(world.alice, memory), status(world.alice, newer)) == ("superseded", "active")


def test_it_waits_for_a_member_who_writes_and_never_locks_what_they_need(world: World) -> None:
    """Whoever has the audit's lock may want any row next; with the locks the other way round one of them would fail."""
    event = add(world.alice, happened("met Ann"))
    writing, waiting = threading.Event(), threading.Event()

    def chats() -> None:
        with scoped(world.alice):
            ledger.add(world.alice, likes("tea"), said(), origin=Origin.TOLD, actor="member")
            writing.set()
            waiting.wait(10)
            time.sleep(0.5)
            ledger.revise(world.alice, Memory.objects.get(id=event.id), {"pinned": True}, actor="member")
        connections.close_all()

    hold = audit.hold

    def waits(community: uuid.UUID) -> None:
        waiting.set()
        hold(community)

    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit, "hold", waits)
        chat = pool.submit(chats)
        writing.wait(10)
        done = upkeep.run(world.alice, timezone.now() + timedelta(days=40), blacken=nothing)
        chat.result(20)
    assert {one.step: (one.count, one.skipped) for one in done}["archive"] == (0, 1)
    assert status(world.alice, event) == "active"
