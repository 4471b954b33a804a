"""A question that a member hands to a person: who sees it, who answers, and that the assistant is silent meanwhile."""

import json
import uuid
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils.translation import override

from assistant import tasks
from assistant.conversation import asking, consumer, handoff, replay, turn
from assistant.conversation.consumer import ConversationConsumer
from assistant.conversation.frames import Ask, Edit, Human, Refusal, Regenerate
from assistant.conversation.models import State, Turn
from assistant.erasing import order
from memory import audit, correct, recall
from memory.models import AuditEvent, Memory, Passage
from profiles.access import Reader, scoped
from profiles.models import Role, User
from tests.caller import Caller, colleague
from tests.conversation.test_turn import ask
from tests.erasing.test_erasing import requested
from tests.people import World
from tests.test_staff import client, shown

PAGE = "/staff/questions/"
ASKED = {"en": ("Where does the lift key hang?", "It hangs left of the door.", "And at night?"),
         "zh": ("电梯的钥匙挂在哪里？", "挂在门的左边。", "晚上呢？")}  # fmt: skip


def hand(reader: Reader, of: uuid.UUID, conversation: uuid.UUID, client_id: uuid.UUID | None = None) -> uuid.UUID:
    """Press “ask a human” on a turn."""
    frame = Human(type="human", turn=of, client_id=client_id or uuid.uuid4())
    return async_to_sync(turn.start)(reader, conversation, frame).turn


def handed(reader: Reader, question: str) -> tuple[uuid.UUID, uuid.UUID]:
    """The conversation, and the turn that waits."""
    conversation = uuid.uuid4()
    return conversation, hand(reader, ask(reader, question, conversation), conversation)


def row(reader: Reader, which: uuid.UUID) -> Turn:
    with scoped(reader):
        return Turn.objects.get(id=which)


def reply(reader: Reader, conversation: uuid.UUID, text: str, status: int = 200, **more: str) -> str:
    return shown(client(reader).post(f"{PAGE}{conversation}/", {"text": text, **more}), status)


def frames(reader: Reader, conversation: uuid.UUID, of: uuid.UUID) -> list[dict[str, Any]]:
    return [frame for frame in replay.after(reader, conversation, 0) if frame["turn"] == str(of)]


@pytest.mark.parametrize("language", ASKED)
def test_a_moderator_answers_in_the_same_conversation_under_their_name(world: World, language: str) -> None:
    question, said, _ = ASKED[language]
    conversation, waiting = handed(world.alice, question)
    assert row(world.alice, waiting).state == State.WAITING_HUMAN
    assert question in shown(client(world.mei).get(PAGE))
    assert "Answered" in reply(world.mei, conversation, said)
    done = row(world.alice, waiting)
    assert (done.state, done.answer, done.author_id) == (State.ANSWERED, said, world.mei.person)
    sent = frames(world.alice, conversation, waiting)
    assert [frame["type"] for frame in sent] == ["accepted", "delta", "done"]
    assert sent[0]["state"] == "waiting_human" and sent[1]["text"] == sent[2]["text"] == said
    name = User.objects.get(id=world.mei.person).called
    page = shown(client(world.alice).get(f"/c/{conversation}/"))
    assert f"answered by {name}" in page and said in page
    told = Caller(world.alice)("get", f"/conversations/{conversation}/turns")["items"]
    assert [one["author"] for one in told] == ["assistant", str(world.mei.person)]


@pytest.mark.parametrize("language", ASKED)
def test_the_assistant_is_silent_meanwhile_and_what_is_said_goes_to_the_moderator(
    world: World, language: str
) -> None:
    question, said, more = ASKED[language]
    conversation, waiting = handed(world.alice, question)
    later = ask(world.alice, more, conversation)
    assert row(world.alice, later).state == State.WAITING_HUMAN and tasks.remember() >= 0
    assert row(world.alice, later).remembered_at is None, "it is read once it has ended"
    assert [frame["type"] for frame in frames(world.alice, conversation, later)] == ["accepted"]
    page = shown(client(world.mei).get(PAGE))
    assert question in page and more in page and "1 waits" in page
    reply(world.mei, conversation, said)
    assert [row(world.alice, one).answer for one in (waiting, later)] == ["", said]
    assert {row(world.alice, one).state for one in (waiting, later)} == {State.ANSWERED}
    again = ask(world.alice, "hello" if language == "en" else "你好", conversation)
    assert row(world.alice, again).state == State.ANSWERED and row(world.alice, again).author_id is None


def test_staff_see_what_waits_and_nothing_else_of_the_conversation(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "my bike is blue", conversation)
    hand(world.alice, ask(world.alice, "Where is the lift key?", conversation), conversation)
    page = shown(client(world.mei).get(PAGE))
    assert "Where is the lift key?" in page and "bike" not in page
    with scoped(world.alice):
        assert [look.reason for look in audit.looks()] == ["hand-off"]
    assert client(world.mei).get(f"/c/{conversation}/").status_code == 404


def test_what_the_member_had_forgotten_is_blacked_out_for_staff(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "I live in Bergen.", conversation)
    hand(world.alice, ask(world.alice, "Is the post faster to Bergen?", conversation), conversation)
    with scoped(world.alice):
        for memory in Memory.objects.live().filter(owner_id=world.alice.member):
            correct.forget(world.alice, memory.id)
    page = shown(client(world.mei).get(PAGE))
    assert "Is the post faster to" in page and "Bergen" not in page


@pytest.mark.parametrize("language", ASKED)
def test_ticked_it_becomes_knowledge_that_answers_the_next_one(world: World, language: str) -> None:
    question, said, _ = ASKED[language]
    conversation, _waiting = handed(world.alice, question)
    reply(world.mei, conversation, said, share="1", title=question)
    with scoped(world.bob):
        passage = Passage.objects.get()
        assert (passage.title, passage.text) == (question, said) and passage.verified_by
    answered = row(world.bob, ask(world.bob, question, uuid.uuid4()))
    assert said in answered.answer
    with scoped(world.mei):
        actions = list(AuditEvent.objects.order_by("position").values_list("action", flat=True))
    assert "answered" in actions and "edited" in actions


def test_unticked_it_is_the_member_s_alone(world: World) -> None:
    conversation, _waiting = handed(world.alice, "Where is the lift key?")
    reply(world.mei, conversation, "On the left.", title="Where is the lift key?")
    with scoped(world.bob):
        assert not Passage.objects.exists()
    with scoped(world.alice):
        found = recall.recall(world.alice, "Where is the lift key?", meaning=None)
        assert any("lift key" in hit.text for hit in found.episodes)


def test_it_can_be_closed_without_an_answer_and_taken_back_by_the_member(world: World) -> None:
    conversation, waiting = handed(world.alice, "Where is the key?")
    assert "Closed" in shown(client(world.mei).post(f"{PAGE}{conversation}/close/"))
    assert row(world.alice, waiting).state == State.FAILED and row(world.alice, waiting).author_id is None
    other, second = handed(world.alice, "Where is the door?")
    async_to_sync(turn.stop)(world.alice, other)
    assert row(world.alice, second).state == State.STOPPED
    page = reply(world.mei, other, "words not to lose", 409)
    assert "words not to lose" in page and row(world.alice, second).answer == ""


def test_only_one_hand_off_at_a_time_and_no_regenerating_meanwhile(world: World) -> None:
    conversation, first = uuid.uuid4(), uuid.uuid4()
    of = ask(world.alice, "Where is the key?", conversation)
    waiting = hand(world.alice, of, conversation, first)
    assert hand(world.alice, of, conversation, first) == waiting, "the same press again"
    for frame in (Human(type="human", turn=of, client_id=uuid.uuid4()),
                  Regenerate(type="regenerate", turn=of, client_id=uuid.uuid4()),
                  Edit(type="edit", turn=of, client_id=uuid.uuid4(), text="other")):  # fmt: skip
        with pytest.raises(Refusal) as refused:
            async_to_sync(turn.start)(world.alice, conversation, frame)
        assert refused.value.code == "conflict"
    with pytest.raises(Refusal) as refused:
        hand(world.alice, uuid.uuid4(), conversation)
    assert refused.value.code == "not_found"


def test_a_program_is_told_that_it_waits_and_is_not_kept_waiting(world: World) -> None:
    conversation, _waiting = handed(world.alice, "Where is the key?")
    frame = Ask(type="ask", client_id=uuid.uuid4(), text="And at night?")
    assert asking.ask(world.alice, conversation, frame).state == State.WAITING_HUMAN

    async def heard() -> list[dict[str, Any]]:
        running = await turn.start(world.alice, conversation, Ask(type="ask", client_id=uuid.uuid4(), text="Please?"))
        events = [event async for event in asking.events(world.alice, running)]
        return [json.loads(event.decode().split("data: ")[1]) for event in events]

    assert [frame["type"] for frame in async_to_sync(heard)()] == ["accepted"]
    again = async_to_sync(turn.start)(world.alice, conversation, frame)
    assert (again.created, again.told) == (False, {"state": "waiting_human"}), "asked once more after a lost connection"


def test_a_program_hands_a_question_over_through_the_same_door(world: World) -> None:
    conversation, press, alice = uuid.uuid4(), {"client_id": str(uuid.uuid4())}, Caller(world.alice)
    of = ask(world.alice, "Where is the key?", conversation)
    told = alice("post", f"/turns/{of}/human", **press)
    assert (told["state"], told["author"], told["question"]) == ("waiting_human", "assistant", "Where is the key?")
    assert alice("post", f"/turns/{of}/human", **press)["id"] == told["id"], "the same press again"
    assert alice("post", f"/turns/{of}/human", 409)["code"] == "conflict"
    assert Caller(world.bob)("post", f"/turns/{of}/human", 404)["code"] == "not_found"


def test_the_member_hears_the_answer_over_the_open_socket(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "CHECK_SECONDS", 3600)  # it does not look by itself
    conversation, waiting = handed(world.alice, "Where is the key?")
    signed_in = client(world.alice).cookies[settings.SESSION_COOKIE_NAME].value

    async def heard() -> list[dict[str, Any]]:
        socket = WebsocketCommunicator(ConversationConsumer.as_asgi(), f"/ws/conversations/{conversation}/")
        socket.scope |= {"url_route": {"kwargs": {"conversation": conversation}}, "session": SessionStore(signed_in)}
        assert (await socket.connect(timeout=10))[0]
        await socket.send_to(text_data=json.dumps({"type": "resume", "after": 0}))
        found = [await socket.receive_json_from(timeout=10)]
        while found[-1].get("state") != "waiting_human":
            found.append(await socket.receive_json_from(timeout=10))
        await sync_to_async(reply)(world.mei, conversation, "On the left.")
        said = [await socket.receive_json_from(timeout=10) for _ in ("delta", "done")]
        await socket.disconnect()
        return said

    said = async_to_sync(heard)()
    assert [(frame["type"], frame["turn"], frame["text"]) for frame in said] == [
        ("delta", str(waiting), "On the left."), ("done", str(waiting), "On the left."),
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "more"), [(" ", {}), ("x" * 20_001, {}), ("x", {"share": "1", "title": " "})])
def test_an_answer_needs_words_and_shared_knowledge_a_title(world: World, text: str, more: dict[str, str]) -> None:
    conversation, waiting = handed(world.alice, "Where is the key?")
    reply(world.mei, conversation, text, 422, **more)
    assert row(world.alice, waiting).state == State.WAITING_HUMAN


def test_an_auditor_sees_it_and_answers_nothing_and_a_stranger_finds_nothing(world: World) -> None:
    conversation, waiting = handed(world.alice, "Where is the key?")
    auditor = colleague(world, Role.AUDITOR)
    page = shown(client(auditor).get(PAGE))
    assert "Where is the key?" in page and "<textarea" not in page
    reply(auditor, conversation, "x", 403)
    with scoped(world.charlie):
        assert handoff.waiting() == 0
    with scoped(world.bob):
        assert handoff.waiting() == 0, "a member is no staff"
    assert row(world.alice, waiting).state == State.WAITING_HUMAN


def test_staff_are_told_that_somebody_waits(world: World) -> None:
    assert "waits for the answer" not in shown(client(world.mei).get("/staff/"))
    handed(world.alice, "Where is the key?")
    for path in ("/staff/", "/staff/review/"):
        assert "1 member waits for the answer of a person" in shown(client(world.mei).get(path))
    with override("zh-hans"):  # what a request chooses would outlast it here
        page = shown(client(world.mei).get(PAGE, headers={"accept-language": "zh-hans"}))
    assert "回答" in page and "Close without" not in page


def test_a_question_that_nothing_is_known_for_offers_a_person(world: World) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "Where is the lift key?", conversation)
    page = shown(client(world.alice).get(f"/c/{conversation}/")).split('id="turn-template"')[0]
    assert "data-unsure >" in page and "data-human" in page


def test_whoever_answered_is_named_no_more_once_they_are_erased(world: World) -> None:
    conversation, waiting = handed(world.alice, "Where is the key?")
    reply(world.mei, conversation, "On the left.")
    assert order.run(requested(world.mei).id).state == "done"
    assert (row(world.alice, waiting).answer, row(world.alice, waiting).author_id) == ("On the left.", None)


def test_it_waits_no_longer_once_its_member_is_erased(world: World) -> None:
    conversation, _waiting = handed(world.alice, "Where is the key?")
    assert order.run(requested(world.alice).id).state == "done"
    with scoped(world.mei):
        assert handoff.waiting() == 0
    reply(world.mei, conversation, "x", 409)
