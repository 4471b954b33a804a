"""What seems to be said twice is suggested, put together by a person, and taken back by one press."""

import re

import pytest

from memory.models import Memory
from memory.terms import Status
from profiles.access import Reader, scoped
from tests.caller import Caller
from tests.people import World

TWICE = {
    "en": ("The kiln in hall three needs a long warm-up", "The kiln in hall three needs a very long warm-up"),
    "zh": ("窑炉开火之前要预热很长时间", "窑炉开火之前需要预热很长时间"),
}
OTHER = {
    "en": ("The kiln in hall 3 needs a long warm-up", "The kiln in hall 5 needs a long warm-up"),
    "zh": ("三号窑炉开火之前要预热很长时间", "五号窑炉开火之前要预热很长时间"),
}


def told(reader: Reader, *texts: str) -> None:
    for text in texts:
        Caller(reader)("post", "/memories", text=text, attribute="note", value=text)


def current(reader: Reader) -> list[str]:
    with scoped(reader):
        rows = Memory.objects.filter(owner_id=reader.member, status=Status.ACTIVE)
        return sorted(rows.values_list("text", flat=True))


def page_of(world: World, whose: str) -> tuple[Caller, str, str]:
    """Who looks, where, and what stands there."""
    caller = Caller(world.alice if whose == "own" else world.mei)
    place = "/me/memory/" if whose == "own" else f"/staff/members/{world.alice.member}/"
    return caller, place, caller.client.get(f"{place}?reason=help").content.decode()


@pytest.mark.parametrize("language", TWICE)
@pytest.mark.parametrize("whose", ["own", "staff"])
def test_a_pair_is_put_together_and_taken_apart_again(world: World, language: str, whose: str) -> None:
    told(world.alice, *TWICE[language])
    caller, place, page = page_of(world, whose)
    form = page.partition('id="twice"')[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="(one|version|other|other_version)" value="([^"]+)"', form))
    assert set(fields) == {"one", "version", "other", "other_version"}
    late = caller.client.post(f"{place}merge/", fields | {"text": "x", "version": "9", "reason": "help"})
    assert "changed meanwhile" in late.content.decode() and len(current(world.alice)) == 2
    done = caller.client.post(f"{place}merge/", fields | {"text": TWICE[language][1], "reason": "help"}).content.decode()
    assert current(world.alice) == [TWICE[language][1]]
    change = re.search(r'"change": "([^"]+)"', done)
    assert change is not None
    undone = caller.client.post(f"{place}undo/", {"change": change[1], "reason": "help"}).content.decode()
    assert "Undone." in undone and "Forgotten" not in undone
    assert current(world.alice) == sorted(TWICE[language])


@pytest.mark.parametrize("language", OTHER)
def test_what_differs_in_a_detail_is_not_said_twice(world: World, language: str) -> None:
    told(world.alice, *OTHER[language])
    assert 'name="other_version"' not in page_of(world, "own")[2]


def test_nobody_elses_can_be_put_together(world: World) -> None:
    told(world.alice, TWICE["en"][0])
    told(world.bob, TWICE["en"][1])
    assert 'name="other_version"' not in page_of(world, "own")[2]
    with scoped(world.alice):
        mine = Memory.objects.get(owner_id=world.alice.member)
    with scoped(world.bob):
        his = Memory.objects.get(owner_id=world.bob.member)
    fields = {"one": mine.id, "version": 1, "other": his.id, "other_version": 1, "text": "x"}
    assert Caller(world.alice).client.post("/me/memory/merge/", fields).status_code == 404
