"""The demo: loaded once, in both languages, with past talks of people who can't sign in; alice and bob start blank."""

import io
import json
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from assistant import demo
from assistant.conversation.models import Conversation, Frame, Turn
from assistant.conversation.suggestions import suggestions
from assistant.demo import talks
from memory import recall
from memory.models import Episode, Memory, Passage
from profiles.access import Reader, reader_for, scoped
from profiles.models import Community, Membership, Profile, User


@pytest.fixture(scope="module", autouse=True)
def loaded() -> Iterator[None]:
    assert demo.load()
    yield
    User.objects.using("owner").filter(memberships__community__slug=demo.SLUG).delete()
    Community.objects.using("owner").filter(slug=demo.SLUG).delete()


def reader_of(name: str) -> Reader:
    reader = reader_for(User.objects.get(username=name).id, demo.SLUG)
    assert reader is not None
    return reader


def test_each_entry_says_something_in_both_languages() -> None:
    entries = json.loads(demo.KNOWLEDGE.read_text(encoding="utf-8"))
    assert len(entries) >= 44
    assert len({entry["key"] for entry in entries}) == len(entries)
    for entry in entries:
        for language in ("en", "zh"):
            assert entry[language]["title"], entry["key"]
            assert len(entry[language]["text"]) > (60 if language == "en" else 15), entry["key"]


def test_loading_again_adds_nothing_and_brings_nobody_back() -> None:
    Membership.objects.using("owner").filter(user__username="suhe").delete()
    User.objects.using("owner").filter(username="suhe").delete()
    before = demo.counts()
    assert not demo.load()
    assert demo.counts() == before
    assert not User.objects.filter(username="suhe").exists()


@pytest.mark.parametrize("name", demo.ACCOUNTS)
def test_those_who_can_sign_in_start_with_nothing_remembered(name: str) -> None:
    member = reader_of(name).member
    for model in (Memory, Conversation, Episode):
        assert not model._default_manager.using("owner").filter(owner_id=member).exists()
    assert User.objects.get(username=name).check_password(demo.password(name))


@pytest.mark.parametrize("name", ["linxia", "haoran", "tomas", "priya"])
def test_past_members_are_remembered_and_cannot_sign_in(name: str) -> None:
    reader = reader_of(name)
    assert not User.objects.get(username=name).has_usable_password()
    with scoped(reader):
        turns = list(Turn.objects.all())
        assert turns
        assert Episode.objects.count() == len(turns)
        assert Profile.objects.get(membership_id=reader.member).interaction_count == len(turns)
        memories = list(Memory.objects.live().filter(owner_id=reader.member))
        assert any(memory.attribute == "name" for memory in memories)
        assert all(memory.created_at < turn.ended_at for memory in memories for turn in turns[-1:] if turn.ended_at)


def test_a_correction_of_the_past_left_its_history() -> None:
    reader = reader_of("linxia")
    with scoped(reader):
        homes = {memory.value: memory.status for memory in Memory.objects.filter(attribute="residence")}
    assert homes == {"苏州": "superseded", "杭州": "active"}


def test_every_past_conversation_replays_whole() -> None:
    for name in ("linxia", "tomas"):
        with scoped(reader_of(name)):
            for row in Conversation.objects.all():
                frames = list(Frame.objects.filter(conversation=row))
                assert [frame.seq for frame in frames] == list(range(1, row.seq + 1))
                for turn in row.turns.all():
                    bodies = [frame.body for frame in frames if frame.turn_id == turn.id]
                    assert bodies[-1]["text"] == turn.answer
                    assert len(bodies[-1]["cited"]) == turn.answer.count("[k")


def test_what_past_members_asked_is_nobody_elses() -> None:
    with scoped(reader_of("bob")):
        assert not Turn.objects.exists()
        assert not Memory.objects.exists()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_suggested_questions_are_answered_by_what_is_known(language: str) -> None:
    reader = reader_of("alice")
    with scoped(reader):
        asked = suggestions(reader, language)
        assert len(asked) == 4
        for key, question in demo.questions(language).items():
            best = recall.recall(reader, question).knowledge[0]
            assert Passage.objects.get(id=best.id).document.key == key, question


def test_the_sign_in_page_lists_the_accounts_in_demo_mode_only() -> None:
    client = Client(HTTP_HOST="127.0.0.1")
    assert "demo-alice" in client.get("/accounts/login/").content.decode()
    with override_settings(DEMO=False):
        assert "demo-alice" not in client.get("/accounts/login/").content.decode()


def test_known_passwords_are_found_before_anybody_is_let_in_outside_demo_mode() -> None:
    assert sorted(demo.left_open()) == sorted(demo.ACCOUNTS)


def test_the_command_says_what_is_there_and_refuses_outside_demo_mode() -> None:
    out = io.StringIO()
    call_command("seed_demo", "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert said["loaded"] is False
    assert said["passages"] == 2 * said["documents"]
    with override_settings(DEMO=False), pytest.raises(CommandError):
        call_command("seed_demo")


def test_talks_name_only_what_is_known() -> None:
    keys = {entry["key"] for entry in json.loads(demo.KNOWLEDGE.read_text(encoding="utf-8"))}
    for talk in json.loads(talks.TALKS.read_text(encoding="utf-8"))["talks"]:
        for turn in talk["turns"]:
            assert set(turn["cites"]) <= keys
            assert all(f"[k{number}]" in turn["answer"] for number in range(1, len(turn["cites"]) + 1))
