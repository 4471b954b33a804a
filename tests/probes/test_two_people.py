"""Probe 29: two people at one memory at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from tests.caller import Caller, current
from tests.people import World


@pytest.mark.parametrize("texts", [("我喜欢川菜", "我喜欢粤菜", "我喜欢徽菜"), ("I like tea", "I like coffee", "I like cocoa")])
def test_of_two_people_who_change_one_memory_one_wins_and_the_other_sees_the_newer_text(
    world: World, texts: tuple[str, str, str]
) -> None:
    memory = Caller(world.alice)("post", "/memories", text=texts[0])
    staff = f"?member={world.alice.member}&reason=she+asked"

    def change(place: int) -> int:
        try:
            caller, path = ((Caller(world.alice), ""), (Caller(world.mei), staff))[place]
            return status_of(caller, f"/memories/{memory['id']}{path}", texts[place + 1])
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(change, (0, 1)))
    assert sorted(codes) == [200, 409]
    assert current(world.alice) == [texts[codes.index(200) + 1]]


def status_of(caller: Caller, path: str, text: str) -> int:
    try:
        caller("patch", path, text=text, version=1)
        return 200
    except AssertionError:
        refused = caller("patch", path, 409, text=text, version=1)
        assert refused["code"] == "conflict" and refused["current"]["version"] == 2
        return 409
