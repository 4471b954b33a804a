"""Staff find by assistant, save finds under a name, and are reminded of a queue that has become long."""

import re
import uuid
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone
from django.utils.translation import override

from assistant.conversation.models import Assistant, Conversation
from memory import audit, ledger, policy, queue, searches
from memory.ledger import Said
from memory.models import Memory, Search
from memory.terms import Origin, Status
from profiles.access import Reader, scoped
from profiles.models import Membership, Role
from tests.caller import colleague
from tests.people import World, likes
from tests.test_review import PAGE, changes, doubted
from tests.test_staff import REASON, client, looks, remember, shown


def told_to(world: World, slug: str, value: str) -> Assistant:
    """What Alice told one of the assistants."""
    helper = Assistant.objects.using("owner").create(community_id=world.alice.community, slug=slug, name=slug.title())
    talk = uuid.uuid4()
    with scoped(world.alice):
        Conversation.objects.create(id=talk, owner_id=world.alice.member, community_id=world.alice.community, title="x",
                                    assistant_id=helper.id)  # fmt: skip
        ledger.add(world.alice, likes(value), Said(uuid.uuid4(), talk, timezone.now()), origin=Origin.TOLD, actor="member")
    return helper


def test_what_was_told_to_one_assistant_is_found_by_it(world: World) -> None:
    billing, events = told_to(world, "billing", "invoices"), told_to(world, "events", "concerts")
    page = shown(client(world.mei).get("/staff/", {"find": "1", "assistant": str(billing.id), **REASON}))
    assert "Found: 1" in page and "likes invoices" in page and "likes concerts" not in page
    assert f'value="{events.id}"' in page and "Events" in page
    for nonsense in ("x", str(uuid.uuid4())):
        assert "Found: 2" in shown(client(world.mei).get("/staff/", {"find": "1", "assistant": nonsense, **REASON}))


def saved(reader: Reader) -> list[tuple[str, str]]:
    with scoped(reader):
        return [(search.name, search.query) for search in searches.kept(reader)]


@pytest.mark.parametrize("name", ["Doubts of members", "待核实的记忆"])
def test_a_find_is_saved_applied_and_removed_and_never_holds_a_reason(world: World, name: str) -> None:
    remember(world.alice, "tea")
    mei = client(world.mei)
    page = shown(mei.get("/staff/", {"find": "1", "q": "tea", "status": "active", **REASON}))
    query = re.search(r'name="query" value="([^"]*)"', page)
    assert query is not None
    mei.post("/staff/searches/", {"name": name, "query": query[1].replace("&amp;", "&")})
    assert saved(world.mei) == [(name, "find=1&q=tea&status=active")]
    page = shown(mei.get("/staff/"))
    assert name in page and 'href="?find=1&amp;q=tea&amp;status=active"' in page
    assert "likes tea" not in shown(mei.get("/staff/?find=1&q=tea&status=active")), "words need a reason each time"
    with scoped(world.mei):
        kept = Search.objects.get()
    assert mei.post(f"/staff/searches/{kept.id}/remove/").status_code == 302 and saved(world.mei) == []


def test_a_name_is_needed_one_is_kept_once_and_no_more_than_so_many(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "SEARCHES_KEPT", 2)
    mei = client(world.mei)
    for name, kind in ((" ", "semantic"), ("a", "semantic"), ("a", "episodic"), ("b", "semantic"), ("c", "semantic")):
        mei.post("/staff/searches/", {"name": name, "query": f"kind={kind}&evil=1"})
    assert saved(world.mei) == [("a", "find=1&kind=episodic"), ("b", "find=1&kind=semantic")]


def test_nobody_sees_or_removes_another_s_and_an_erasure_takes_them(world: World) -> None:
    audra = colleague(world, Role.AUDITOR)
    with scoped(world.mei):
        assert searches.save(world.mei, "mine", "q=tea")
        mine = Search.objects.get()
    for reader in (audra, world.alice, world.charlie):
        with scoped(reader):
            assert not Search.objects.exists() and not searches.remove(reader, mine.id)
    with scoped(audra, subject=world.mei.member):
        assert not Search.objects.exists(), "nor does who has opened the member"
    Membership.objects.using("owner").filter(id=world.mei.member).delete()
    assert not Search.objects.using("owner").filter(id=mine.id).exists()


def aged(reader: Reader, value: str, days: int) -> Memory:
    """What a machine wrote so long ago, and the weekly review has marked."""
    with scoped(reader):
        ledger.state(reader, likes(value), ledger.Holder(reader.member), origin=Origin.INFERRED, actor=ledger.UPKEEP)
        memory = Memory.objects.get(owner_id=reader.member, text=f"likes {value}")
        ledger.mark(reader, [memory.id])
    Memory.objects.using("owner").filter(id=memory.id).update(created_at=timezone.now() - timedelta(days=days))
    return memory


def standing(reader: Reader, memory: Memory) -> tuple[str, bool]:
    with scoped(reader):
        row = Memory.objects.get(id=memory.id)
        return row.status, row.weak


def test_what_a_machine_wrote_and_nobody_used_for_long_waits_with_its_reason(world: World) -> None:
    aged(world.alice, "tea", policy.AGED_DAYS + 1)
    aged(world.bob, "cocoa", policy.AGED_DAYS - 1)
    page = shown(client(world.mei).get(PAGE))
    assert "likes tea" in page and "likes cocoa" not in page and "long been of no use" in page and "1 waits" in page
    with override("zh-hans"):
        page = shown(client(world.mei).get(PAGE, headers={"accept-language": "zh-hans"}))
    assert "由机器写下，且长期没有用处" in page
    with scoped(world.alice):
        assert queue.page() == ([], 0), "members do not see the queue"


@pytest.mark.parametrize(("verb", "after"), [("approve", Status.ACTIVE), ("reject", Status.SUPERSEDED)])
def test_what_has_aged_is_decided_once_and_undone(world: World, verb: str, after: str) -> None:
    memory, mei = aged(world.alice, "tea", policy.AGED_DAYS + 1), client(world.mei)
    page = shown(mei.post(f"{PAGE}decide/", {"verb": verb, "memory": f"{memory.id}:1"}))
    assert standing(world.alice, memory)[0] == after and "Nothing waits" in page
    if verb == "approve":
        assert standing(world.alice, memory) == (Status.ACTIVE, False)
        with scoped(world.alice):
            ledger.mark(world.alice, [memory.id])
        assert "Nothing waits" in shown(mei.get(PAGE)), "what a person found right is not asked again"
    shown(mei.post(f"{PAGE}undo/", {"change": changes(page)}))
    assert standing(world.alice, memory)[0] == Status.ACTIVE


def test_staff_are_reminded_when_the_oldest_has_waited_long_or_there_are_many(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    mei = client(world.mei)
    assert "please look through" not in shown(mei.get("/staff/"))
    memory = doubted(world.alice, "tea")
    assert "please look through" not in shown(mei.get("/staff/"))
    monkeypatch.setattr(policy, "QUEUE_LONG", 0)
    assert "please look through" in shown(mei.get("/staff/"))
    monkeypatch.undo()
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE memory_version SET at = at - interval '8 days' WHERE memory_id = %s", [memory.id])
    assert "please look through" in shown(mei.get("/staff/"))
    with override("zh-hans"):
        assert "请逐条处理" in shown(mei.get("/staff/", headers={"accept-language": "zh-hans"}))


@pytest.mark.parametrize(("language", "said"), [("en", "a former moderator"), ("zh-hans", "前版主")])
def test_a_look_names_nobody_who_is_gone(world: World, language: str, said: str) -> None:
    shown(client(world.mei).get(f"/staff/members/{world.alice.member}/", REASON))
    name, alice = f"mei-{world.mei.slug.removeprefix('here-')}", client(world.alice)
    assert name in shown(alice.get("/me/memory/"))
    Membership.objects.using("owner").filter(id=world.mei.member).delete()
    with override(language):
        page = shown(alice.get("/me/memory/", headers={"accept-language": language}))
    assert said in page and name not in page and looks(world.alice) == ["she asked"]
    with scoped(world.alice):
        assert [line["who"] for line in audit.about_me() if line["action"] == "opened"] == [""]
