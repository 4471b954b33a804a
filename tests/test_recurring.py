"""What three members have asked is proposed with its wordings and without names, and answered once for all."""

import uuid

import pytest
from django.db import DatabaseError, connection
from django.utils.translation import override

from assistant import tasks
from assistant.conversation.models import Turn
from assistant.erasing import order
from memory import paging, recurring
from memory.models import Episode, Passage, Proposal, Wording
from profiles.access import Reader, scoped, worker_in
from profiles.models import Role, User
from tests.accessible import faults
from tests.caller import colleague
from tests.conversation.test_handoff import handed
from tests.conversation.test_turn import ask
from tests.erasing.test_erasing import requested
from tests.people import World
from tests.test_staff import client, shown

PAGE = "/staff/recurring/"
ASKED = {
    "en": ("Where does the lift key hang?", "Where does the lift key hang?", "where does the lift key hang ?"),
    "zh": ("电梯的钥匙挂在哪里？", "电梯的钥匙挂在哪里?", "电梯的钥匙挂在哪里"),
}
OTHERWISE = {
    "a number": ("Where is room 12?", "Where is room 12?", "Where is room 14?"),
    "a number, 中文": ("三号楼的门几点开？", "三号楼的门几点开？", "四号楼的门几点开？"),
    "a negation": ("Can guests use the kiln?", "Can guests use the kiln?", "Can guests not use the kiln?"),
    "about the speaker": ("Where do I live?",) * 3,
    "关于自己": ("我住在哪里？",) * 3,
    "no question": ("The lift key hangs left.",) * 3,
    "a greeting": ("你好",) * 3,
}


def three(world: World) -> list[Reader]:
    return [world.alice, world.bob, colleague(world, Role.MEMBER)]


def asked(members: list[Reader], questions: tuple[str, ...]) -> int:
    """Each asks theirs; then the night comes."""
    for member, question in zip(members, questions, strict=True):
        ask(member, question, uuid.uuid4())
    tasks.embed()
    return recurring.find(members[0].community)


def waiting(world: World) -> list[recurring.Waiting]:
    with scoped(world.mei):
        return recurring.page(1)[0]


@pytest.mark.parametrize("language", ASKED)
def test_what_three_have_asked_is_proposed_once_without_names(world: World, language: str) -> None:
    members = three(world)
    assert asked(members, ASKED[language]) == 1 and recurring.find(world.alice.community) == 0
    (found,) = waiting(world)
    assert found.members == 3 and set(found.wordings) == set(ASKED[language])
    page = shown(client(world.mei).get(PAGE))
    names = [User.objects.get(id=member.person).username for member in members]
    assert all(words in page for words in ASKED[language]) and not any(name in page for name in names)
    assert faults(page, language="en") == []
    for path in ("/staff/", "/staff/review/"):
        assert "1 question is asked again and again" in shown(client(world.mei).get(path))


@pytest.mark.parametrize("language", ASKED)
def test_answered_it_answers_the_next_one_at_once(world: World, language: str) -> None:
    asked(three(world), ASKED[language])
    (found,) = waiting(world)
    fields = {"title": ASKED[language][0], "text": "Left of the door 门的左边。"}
    assert "Answered" in shown(client(world.mei).post(f"{PAGE}{found.id}/", fields))
    assert waiting(world) == [] and recurring.find(world.alice.community) == 0
    next_one = colleague(world, Role.MEMBER)
    turn = ask(next_one, ASKED[language][0], uuid.uuid4())
    with scoped(next_one):
        assert "Left of the door 门的左边。" in Turn.objects.get(id=turn).answer
        assert Passage.objects.get().verified_by
    shown(client(world.mei).post(f"{PAGE}{found.id}/", fields), 409)


@pytest.mark.parametrize("why", OTHERWISE)
def test_what_differs_in_one_detail_or_is_about_the_speaker_is_not_proposed(world: World, why: str) -> None:
    assert asked(three(world), OTHERWISE[why]) == 0 and waiting(world) == []


def test_two_members_are_too_few_however_often_they_ask(world: World) -> None:
    question = "Where does the lift key hang?"
    assert asked([world.alice, world.alice, world.bob, world.bob], (question,) * 4) == 0
    with scoped(worker_in(world.alice.community)), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kith_alike(now() - interval '1 day', 0, 100)")
        assert cursor.fetchone()[0] == 0, "the database gives no words of so few"
        turns = list(Episode.objects.using("owner").filter(community_id=world.alice.community).values_list("turn", flat=True))
        cursor.execute("SELECT kith_propose(%s)", [turns])
        assert cursor.fetchone()[0] is None


def test_the_words_are_for_the_worker_and_for_staff_alone(world: World) -> None:
    asked(three(world), ASKED["en"])
    for reader in (world.alice, world.charlie):
        with scoped(reader), connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM kith_alike(now() - interval '1 day', 0, 100)")
            assert cursor.fetchone()[0] == 0
            assert recurring.waiting() == 0 and not Proposal.objects.exists()
            assert Wording.objects.exclude(owner_id=reader.member).count() == 0
    with scoped(world.mei):
        assert not Wording.objects.exists(), "whose words they are, staff do not see"


def test_a_member_can_not_propose(world: World) -> None:
    asked(three(world), ("Where is A?", "Where is B?", "Where is C?"))
    turns = list(Episode.objects.using("owner").filter(community_id=world.alice.community).values_list("turn", flat=True))
    with scoped(world.alice), connection.cursor() as cursor:
        cursor.execute("SELECT kith_propose(%s)", [turns])
        assert cursor.fetchone()[0] is None
    with pytest.raises(DatabaseError), scoped(world.alice):
        Proposal.objects.create(community_id=world.alice.community)


def test_it_is_gone_once_fewer_than_three_have_asked(world: World) -> None:
    asked(three(world), ASKED["en"])
    assert order.run(requested(world.bob).id).state == "done"
    assert waiting(world) == [] and "lift key" not in shown(client(world.mei).get(PAGE))


def test_what_a_member_had_forgotten_counts_no_more(world: World) -> None:
    asked(three(world), ASKED["en"])
    with scoped(world.alice):
        Episode.objects.filter(owner_id=world.alice.member).update(masked=True)
    assert waiting(world) == []


def test_left_without_an_answer_it_does_not_come_back_by_itself(world: World) -> None:
    asked(three(world), ASKED["en"])
    (found,) = waiting(world)
    assert "Left" in shown(client(world.mei).post(f"{PAGE}{found.id}/dismiss/"))
    assert recurring.find(world.alice.community) == 0 and waiting(world) == []


def test_the_page_is_in_chinese_and_an_auditor_only_reads_it(world: World) -> None:
    asked(three(world), ASKED["zh"])
    (found,) = waiting(world)
    auditor = client(colleague(world, Role.AUDITOR))
    with override("zh-hans"):  # what a request chooses would outlast it here
        page = shown(auditor.get(PAGE, headers={"accept-language": "zh-hans"}))
    assert "一再被问到" in page and "<textarea" not in page and ASKED["zh"][0] in page
    assert auditor.post(f"{PAGE}{found.id}/", {"title": "a", "text": "b"}).status_code == 403
    shown(client(world.mei).post(f"{PAGE}{found.id}/", {"title": "", "text": "b"}), 422)


def test_the_nightly_task_looks_into_every_community(world: World) -> None:
    for member, question in zip(three(world), ASKED["en"], strict=True):
        ask(member, question, uuid.uuid4())
    tasks.embed()
    assert tasks.recur() >= 1 and len(waiting(world)) == 1


def test_a_long_queue_goes_on_from_page_to_page(world: World) -> None:
    lines = list(range(45))
    assert [len(paging.leaf(number, lines, 45)[0]) for number in (1, 2, 3, 4)] == [20, 20, 5, 5]
    assert [paging.number(text) for text in ("", "x", "0", "2", "٣", "99999")] == [1, 1, 1, 2, 1, 1000]
    for number in range(21):
        handed(world.alice, f"Where is room {number}?")
    first, second = (shown(client(world.mei).get("/staff/questions/", {"page": page})) for page in ("", "2"))
    assert "Page 1 of 2" in first and "Where is room 20?" not in first
    assert "Where is room 20?" in second and "?page=2" in second and faults(second, language="en") == []
    assert first.count("<article") == 20 and second.count("<article") == 1
