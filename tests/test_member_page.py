"""A member's page, for staff and for the member: memories on a time line, notes, overviews, a picture, last answers."""

import re
import uuid

import pytest
from django.utils import timezone

from memory import blocks, entities, ledger, overviews, picture, policy
from memory.entities import Known, Neighbour
from memory.models import Memory, Recalled
from memory.remember import forget
from memory.terms import EntityKind, Origin, Relation
from profiles.access import Reader, scoped
from tests.people import World, likes, said
from tests.test_staff import REASON, client, queries, remember, shown


def replaced(reader: Reader, old: str, new: str) -> Memory:
    """What this reader said of one slot, and then said otherwise."""
    with scoped(reader):
        for value in (old, new):
            done = ledger.add(reader, likes(value, attribute="residence"), said(), origin=Origin.TOLD, actor="member")
        assert done is not None
        return done.memory


def noted(reader: Reader, *texts: str) -> None:
    with scoped(reader):
        for text in texts:
            blocks.write(reader, blocks.human_of(reader, reader.member), text, actor="member")


def used(reader: Reader, memory: Memory) -> uuid.UUID:
    """An answer that had it before it and cited it."""
    turn = uuid.uuid4()
    with scoped(reader):
        Recalled.objects.create(turn=turn, owner_id=reader.member, community_id=reader.community, what="memory",
                                target=memory.id, score=0.5, marker="M1", cited=True)  # fmt: skip
    return turn


def pages(world: World, more: str = "") -> tuple[str, str]:
    """The member's page as staff and as the member see it."""
    staff = client(world.mei).get(f"/staff/members/{world.alice.member}/?{more}", REASON | {"view": "time"})
    return shown(staff), shown(client(world.alice).get("/me/memory/?view=time"))


@pytest.mark.parametrize(("old", "new"), [("Oslo", "Bergen"), ("杭州", "苏州")])
def test_a_time_line_says_what_took_the_place_of_what(world: World, old: str, new: str) -> None:
    replaced(world.alice, old, new)
    for page in pages(world):
        line = page.split('class="timeline"')[1]
        assert re.search(rf"residence {new}.*?took the place of:.*?residence {old}", line, re.DOTALL)
        assert re.search(rf"residence {old}.*?its place was taken by:.*?residence {new}", line, re.DOTALL)


def test_what_was_forgotten_is_on_no_time_line(world: World) -> None:
    memory = replaced(world.alice, "Oslo", "Bergen")
    with scoped(world.alice):
        forget(world.alice, None, memory, None)
    for page in pages(world):
        assert "Bergen" not in page


def test_notes_are_shown_with_what_they_said_before_and_without_what_was_forgotten(world: World) -> None:
    noted(world.alice, "she likes tea", "she likes tea\nand short answers")
    memory = remember(world.alice, "tea")
    addresses = ((world.mei, f"/staff/members/{world.alice.member}/?reason=why"), (world.alice, "/me/memory/"))
    for reader, path in addresses:
        page = shown(client(reader).get(path))
        assert "she likes tea" in page and "Version 1" in page and "<ins>" in page
    with scoped(world.alice):
        forget(world.alice, None, memory, None)
    for reader, path in addresses:
        assert "likes tea" not in shown(client(reader).get(path))


def test_overviews_and_what_the_last_answers_used_are_there(world: World) -> None:
    memory = remember(world.alice, "tea")
    turn = used(world.alice, memory)
    with scoped(world.alice):
        overviews.note(world.alice, uuid.uuid4(), "Which tea is best?", ["tea"], timezone.now())
    page = shown(client(world.mei).get(f"/staff/members/{world.alice.member}/", REASON))
    answers = page.split('id="answers"')[1].split("</section>")[0]
    assert "Which tea is best?" in page and "likes tea" in answers and "cited" in answers
    assert f"/turns/{turn}/" not in page, "staff see no conversation"
    assert f"/turns/{turn}/" in shown(client(world.alice).get("/me/memory/"))


def test_neither_page_asks_more_of_the_database_for_many_than_for_few(world: World) -> None:
    paths = [(world.mei, f"/staff/members/{world.alice.member}/?reason=why"), (world.alice, "/me/memory/"),
             (world.alice, "/me/memory/?view=time")]  # fmt: skip
    counts = []
    for rounds in (2, 9):
        for number in range(rounds):
            memory = replaced(world.alice, f"Oslo {rounds}{number}", f"Bergen {rounds}{number}")
            used(world.alice, memory)
            noted(world.alice, f"note {rounds} {number}")
            with scoped(world.alice):
                overviews.note(world.alice, uuid.uuid4(), f"question {number}", ["tea"], timezone.now())
        counts.append([queries(client(reader), path) for reader, path in paths])
    assert counts[0] == counts[1]


def named(name: str) -> Known:
    return Known(uuid.uuid4(), name, EntityKind.PLACE)


def test_a_picture_draws_the_most_named_and_says_how_many_it_leaves_out() -> None:
    things = [named(f"thing {number}") for number in range(policy.PICTURE_THINGS + 3)]
    edges = [Neighbour(None, Relation.USES, thing, uuid.uuid4(), "") for thing in things]
    edges.append(Neighbour(things[-1], Relation.NEEDS, things[0], uuid.uuid4(), ""))
    found = picture.drawn(edges, "you")
    assert found is not None and found.left == 3 and len(found.dots) == policy.PICTURE_THINGS + 1
    names = [dot.name for dot in found.dots]
    assert names[0] == "you" and {things[0].name, things[-1].name} <= set(names), "both are named twice"
    assert all(0 <= dot.x <= found.wide and 0 <= dot.y <= found.tall for dot in found.dots)
    assert any(" · needs · " in line.said for line in found.lines)


@pytest.mark.parametrize(("name", "short"), [("a" * 30, "a" * 12 + "…"), ("长" * 12, "长" * 6 + "…"), ("李雷", "李雷")])
def test_a_long_name_is_cut_where_it_would_leave_the_picture(name: str, short: str) -> None:
    found = picture.drawn([Neighbour(None, Relation.USES, named(name), uuid.uuid4(), "")], "you")
    assert found is not None and found.dots[1].name == short


def test_a_member_who_has_named_nothing_has_no_picture(world: World) -> None:
    with scoped(world.alice):
        assert picture.drawn(entities.everything(world.alice.member), "you") is None
