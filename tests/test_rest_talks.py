"""REST on tokens, communities and conversations; and the button that deletes one."""

import asyncio
import json
import uuid

import pytest
from asgiref.sync import ThreadSensitiveContext, async_to_sync, sync_to_async

from assistant.conversation import removal
from assistant.conversation import turn as turns
from assistant.conversation.frames import Ask
from assistant.conversation.models import Conversation, Feedback, Token, Turn
from memory import audit
from memory.models import AuditText, Episode, Memory, Recalled
from memory.terms import Status
from profiles.access import scoped
from profiles.models import Community, Invitation
from tests.caller import Caller, current
from tests.conversation.test_turn import ask
from tests.people import World
from tests.scripted import Reply, Scripted


def test_a_token_acts_for_its_member_in_its_community_until_it_is_deleted(world: World) -> None:
    alice = Caller(world.alice)
    made = alice("post", "/tokens", name="script")
    program = Caller(token=made["token"])
    assert program("post", "/memories", text="我喜欢川菜")["text"] == "我喜欢川菜"
    assert program("get", "/communities")["items"] == [{"slug": world.alice.slug, "role": "member"}]
    program("get", f"/memories?community={world.charlie.slug}", 404)
    program("post", "/tokens", 403)
    stored = str(list(Token.objects.using("owner").filter(id=made["id"]).values()))
    assert made["token"] not in stored
    with scoped(world.bob):
        assert not Token.objects.exists()
    alice("delete", f"/tokens/{made['id']}")
    program("get", "/memories", 401)
    Caller(token="kith_wrong")("get", "/memories", 401)
    Caller()("get", "/memories", 401)


def test_a_token_of_a_member_who_has_left_is_worth_nothing(world: World) -> None:
    alice = Caller(world.alice)
    program = Caller(token=alice("post", "/tokens")["token"])
    alice("post", "/memories", text="我喜欢川菜")
    alice("post", f"/communities/{world.alice.slug}/leave")
    program("get", "/memories", 401)
    assert not AuditText.objects.using("owner").filter(subject=world.alice.member).exists()
    assert audit.verify(world.alice.community, using="owner") == audit.Check(1, None)


def test_a_session_needs_its_csrf_token(world: World) -> None:
    Caller(world.alice, csrf=True)("post", "/memories", 403, text="x")
    assert current(world.alice) == []


def test_joining_takes_a_code_and_leaving_takes_everything_along(world: World) -> None:
    there = Community.objects.get(id=world.charlie.community)
    code = Invitation.objects.using("owner").create(community=there, uses_left=1).code
    alice = Caller(world.alice)
    alice("post", "/communities/join", 404, code="wrong")
    assert alice("post", "/communities/join", code=code) == {"slug": there.slug, "role": "member"}
    Caller(world.bob)("post", "/communities/join", 404, code=code)
    assert alice("get", "/communities")["count"] == 2
    memory = alice("post", f"/memories?community={there.slug}", text="我喜欢川菜")
    alice("get", f"/memories/{memory['id']}?community={world.alice.slug}", 404)
    alice("get", "/memories?community=nowhere", 404)
    alice("post", f"/communities/{there.slug}/leave")
    alice("post", f"/communities/{there.slug}/leave", 404)
    assert not Memory.objects.using("owner").filter(id=memory["id"]).exists()


def test_a_vote_and_a_title_are_kept_without_secrets(world: World) -> None:
    alice, conversation = Caller(world.alice), uuid.uuid4()
    turn = ask(world.alice, "你好", conversation)
    alice("post", f"/turns/{turn}/feedback", rating="down", reason="wrong", comment="密码是 hunter2-Xy9!")
    alice("post", f"/turns/{turn}/feedback", 422, rating="sideways")
    with scoped(world.alice):
        vote = Feedback.objects.get(turn_id=turn)
        assert vote.rating == "down" and "hunter2" not in vote.comment
    assert alice("patch", f"/conversations/{conversation}", title=" 新 标题 ")["title"] == "新 标题"
    assert alice("get", f"/conversations/{conversation}")["title"] == "新 标题"


@pytest.mark.parametrize("words", [("我喜欢川菜。", "川菜怎么样？"), ("I like zebra cakes.", "What about zebra cakes?")])
@pytest.mark.parametrize("forget", ["true", "false"])
def test_a_conversation_goes_with_all_its_rows_and_if_wished_with_what_it_taught(
    world: World, words: tuple[str, str], forget: str
) -> None:
    alice, conversation, other = Caller(world.alice), uuid.uuid4(), uuid.uuid4()
    turn = ask(world.alice, words[0], conversation)
    later = ask(world.alice, words[1], other)
    memory = current(world.alice)
    assert memory
    done = alice("delete", f"/conversations/{conversation}?forget={forget}")
    assert (done["turns"], len(done["forgotten"])) == (1, 1 if forget == "true" else 0)
    assert current(world.alice) == ([] if forget == "true" else memory)
    with scoped(world.alice):
        assert not Conversation.objects.filter(id=conversation).exists()
        assert not Turn.objects.filter(id=turn).exists()
        assert not Episode.objects.filter(turn=turn).exists()
        assert not Recalled.objects.filter(turn=turn).exists() and not Recalled.objects.filter(target=turn).exists()
        assert Turn.objects.filter(id=later).exists(), "the other conversation stays"
        if forget == "true":
            interests = alice("get", "/profile")["interests"]
            assert not any(words[0].strip("。.") in item or item in words[0] for item in interests)
            assert words[0] not in json.dumps(Turn.objects.get(id=later).regions, ensure_ascii=False)
    alice("delete", f"/conversations/{conversation}", 404)


def test_what_another_conversation_says_too_is_kept_without_the_words_of_this_one(world: World) -> None:
    here, there = uuid.uuid4(), uuid.uuid4()
    ask(world.alice, "我喜欢川菜。", here)
    ask(world.alice, "我喜欢川菜！", there)
    Caller(world.alice)("delete", f"/conversations/{here}")
    with scoped(world.alice):
        memory = Memory.objects.live().get()
        assert [source.conversation for source in memory.sources.all()] == [there]
        assert not Memory.objects.filter(status=Status.FORGOTTEN).exists()


def test_a_running_answer_is_ended_first(world: World) -> None:
    from django.utils import timezone

    conversation = uuid.uuid4()
    with scoped(world.alice):
        ids = {"owner_id": world.alice.member, "community_id": world.alice.community}
        talk = Conversation.objects.create(id=conversation, title="x", **ids)
        Turn.objects.create(conversation=talk, client_id=uuid.uuid4(), question="x", runner=uuid.uuid4(),
                            alive_at=timezone.now(), **ids)  # fmt: skip
    assert Caller(world.alice)("delete", f"/conversations/{conversation}")["turns"] == 1


@pytest.mark.parametrize(("language", "words"), [("en", "Delete this conversation"), ("zh-hans", "删除这段对话")])
def test_the_page_has_a_button_that_asks_first(world: World, language: str, words: str) -> None:
    conversation = uuid.uuid4()
    ask(world.alice, "我喜欢川菜。", conversation)
    client = Caller(world.alice).client
    page = client.get(f"/c/{conversation}/", headers={"accept-language": language}).content.decode()
    assert words in page and f'action="/c/{conversation}/remove/"' in page
    assert client.get(f"/c/{conversation}/remove/").status_code == 405
    assert Caller(world.bob).client.post(f"/c/{conversation}/remove/").status_code == 404
    assert client.post(f"/c/{conversation}/remove/", {"forget": "1"}).status_code == 302
    assert current(world.alice) == []
    assert client.get(f"/c/{conversation}/").status_code == 404


@pytest.mark.parametrize("question", ["讲个长故事", "tell me a long story"])
def test_an_answer_that_is_being_written_here_ends_before_its_conversation_goes(
    world: World, script: Scripted, question: str
) -> None:
    script.step(question, Reply("从前有座山 once upon a time " * 40, pieces=80, duration=60))
    conversation = uuid.uuid4()

    async def removed() -> None:
        running = await turns.start(world.alice, conversation, Ask(type="ask", client_id=uuid.uuid4(), text=question))
        task = turns._tasks[conversation]
        async with asyncio.timeout(30):
            while len(running.pieces) < 2:
                assert not task.done(), task
                await asyncio.sleep(0.01)
        async with ThreadSensitiveContext():
            await sync_to_async(removal.remove)(world.alice, conversation, forget=True)
        await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 20)

    async_to_sync(removed)()
    assert script.asked()[0].gone.wait(5), "the call upstream has ended"
    with scoped(world.alice):
        assert not Conversation.objects.filter(id=conversation).exists()
        assert not Episode.objects.filter(conversation=conversation).exists()


@pytest.mark.parametrize("words", [("我喜欢川菜。", "你记得我什么？", "川菜"), ("I like zebra cakes.", "What do you know about me?", "zebra")])
def test_a_question_over_http_waits_for_its_answer_and_is_asked_once(world: World, words: tuple[str, str, str]) -> None:
    alice, conversation, client = Caller(world.alice), uuid.uuid4(), str(uuid.uuid4())
    path = f"/conversations/{conversation}/ask"
    first = alice("post", path, text=words[0], client_id=client)
    assert first["state"] == "answered" and first["answer"]
    assert alice("post", path, text=words[0], client_id=client)["id"] == first["id"]
    assert alice("post", path, 409, text=words[1], client_id=client)["code"] == "conflict"
    assert words[2] in alice("post", path, text=words[1])["answer"]
    assert alice("get", f"/conversations/{conversation}/turns")["count"] == 2
    alice("post", path, 413, text="x" * 4001)
    alice("post", path, 422, text=" ")
    alice("post", path, 422, text="x", color="red")
    Caller(world.bob)("post", path, 404, text="x")
