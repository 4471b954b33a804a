"""Every table, key and folder has a rule for the day on which somebody is erased; a new place without one fails here."""

import uuid
from pathlib import Path
from typing import Any

import pytest
import redis
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.test import Client

from assistant import erasure, tasks
from assistant.celery import app
from assistant.conversation import hub
from assistant.erasure import CACHE, FOLDERS, TABLES, How, Rule
from profiles.models import Membership, User
from tests.conversation.test_turn import ask
from tests.people import World


def test_every_table_has_a_rule_that_fits_it() -> None:
    assert erasure.problems() == []


def test_every_rule_that_is_no_cascade_says_why() -> None:
    places = {**TABLES, **CACHE, **FOLDERS}
    assert [name for name, rule in places.items() if rule.how != How.CASCADE and not rule.why] == []


@pytest.mark.parametrize(
    ("table", "rule", "says"),
    [
        ("conversation_turn", None, "conversation_turn has no rule"),
        ("memory_dream", Rule(How.KEEP, why="x"), "the rule for memory_dream names no table"),
        ("conversation_turn", Rule(How.KEEP, why="x"), "conversation_turn has a path to a person and is kept"),
        ("memory_episodevector", Rule(How.EXPIRE, why="x"), "memory_episodevector has a path to a person and only expires"),
        ("memory_memory", Rule(How.CASCADE, "owner_id"), "memory_memory.owner_id does not always go"),
        ("memory_pseudonym", Rule(How.CASCADE, "member_id"), "memory_pseudonym.member_id does not always go"),
        ("memory_passage", Rule(How.MASK, "author", "x"), "memory_passage has no column author"),
        ("profiles_space", Rule(How.KEEP), "profiles_space: why?"),
    ],
)
def test_a_missing_or_a_wrong_rule_is_found(
    monkeypatch: pytest.MonkeyPatch, table: str, rule: Rule | None, says: str
) -> None:
    changed = {name: one for name, one in TABLES.items() if name != table} | ({table: rule} if rule else {})
    monkeypatch.setattr(erasure, "TABLES", changed)
    found = erasure.problems()
    assert len(found) == 1 and found[0].startswith(says), found


def test_a_table_that_nobody_has_thought_of_is_found() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE notes_about_people (words text)")
        try:
            assert erasure.problems() == ["notes_about_people has no rule"]
        finally:
            cursor.execute("DROP TABLE notes_about_people")


def test_ending_a_membership_and_an_account_leaves_no_row_that_a_cascade_promises(world: World) -> None:
    ask(world.alice, "我喜欢川菜。", uuid.uuid4())
    ask(world.alice, "川菜怎么样？", uuid.uuid4())
    member, person = str(world.alice.member), str(world.alice.person)
    assert {"conversation_turn", "memory_episode", "memory_memory", "memory_pseudonym"} <= held(member)
    User.objects.using("owner").get(id=person).delete()
    assert held(member) | held(person) == set()
    assert "memory_memory" not in held(str(world.bob.member)), "bob had said nothing"
    assert Membership.objects.using("owner").filter(id=world.bob.member).exists()


def held(key: str) -> set[str]:
    """The tables of which some row holds this id, in whatever column."""
    found = set()
    with connections["owner"].cursor() as cursor:
        for table in sorted(TABLES):
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text LIKE %s', [f"%{key}%"])
            if cursor.fetchone()[0]:
                found.add(table)
    return found


def keys() -> list[str]:
    store: Any = redis.Redis.from_url(settings.REDIS_URL)
    return [key.decode() for key in store.scan_iter(count=1000)]


def test_every_key_in_use_has_a_rule(world: World) -> None:
    Client(HTTP_HOST="127.0.0.1").post("/accounts/login/", {"login": "nobody", "password": "wrong"})
    ask(world.alice, "你好", uuid.uuid4())

    async def followed() -> None:
        layer: Any = get_channel_layer()
        conversation = uuid.uuid4()
        await layer.group_add("conversations", await layer.new_channel())
        await hub.tell(conversation)

    async_to_sync(followed)()
    tasks.embed.apply_async(expires=1)
    found = keys()
    assert any(key.startswith("kith:queue") for key in found) and any(key.startswith("kith:layer") for key in found)
    assert erasure.unruled(found, CACHE) == []
    cache.set("answers", "x", 5)
    try:
        assert erasure.unruled(keys(), CACHE) == ["kith:1:answers"]
    finally:
        cache.delete("answers")
        app.control.purge()


def test_the_prefixes_of_the_configuration_have_rules() -> None:
    layer: Any = settings.CHANNEL_LAYERS["default"]["CONFIG"]["prefix"]
    queue = app.conf.broker_transport_options["global_keyprefix"]
    assert erasure.unruled([layer, queue], CACHE) == []


def test_everything_below_var_dir_has_a_rule(tmp_path: Path) -> None:
    assert erasure.unruled_folders(settings.VAR_DIR) == []
    (tmp_path / "uploads").mkdir()
    assert erasure.unruled_folders(tmp_path) == ["uploads"]


def test_every_place_that_a_setting_names_below_var_dir_has_a_rule() -> None:
    named = {value for name in dir(settings) if name.isupper() for value in [getattr(settings, name)] if isinstance(value, Path)}
    below = {path.relative_to(settings.VAR_DIR).parts[0] for path in named
             if path != settings.VAR_DIR and path.is_relative_to(settings.VAR_DIR)}  # fmt: skip
    assert {"mail", "static", "exports"} <= below <= set(FOLDERS)
