"""One conversation as a file: what is shown, under a name in its own words, for its member alone."""

import json
import uuid
from urllib.parse import unquote

import pytest

from assistant.conversation.models import Conversation
from memory import correct
from memory.models import Memory
from profiles.access import scoped
from tests.conversation.test_branches import edit
from tests.conversation.test_turn import ask
from tests.people import World
from tests.test_staff import client


@pytest.mark.parametrize(("title", "name"), [
    ("会费是多少？", "filename*=utf-8''%E4%BC%9A%E8%B4%B9%E6%98%AF%E5%A4%9A%E5%B0%91%EF%BC%9F.md"),
    ("What is the fee?", 'filename="What is the fee.md"'), ("a/b\\c: \"x\"\r\nX-Y: 1", 'filename="a b c x X-Y 1.md"'),
    ("..", 'filename="conversation.md"'), ("gpj.\u202eexe", 'filename="gpj. exe.md"'),
])  # fmt: skip
def test_the_file_has_the_title_for_its_name(world: World, title: str, name: str) -> None:
    talk = uuid.uuid4()
    ask(world.alice, "你好", talk)
    with scoped(world.alice):
        Conversation.objects.filter(id=talk).update(title=title)
    answer = client(world.alice).get(f"/c/{talk}/conversation.md")
    assert answer.headers["Content-Disposition"] == f"attachment; {name}"
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"


@pytest.mark.parametrize(("old", "new"), [("陶艺课在哪里？", "陶艺课什么时候？"), ("Where is the kiln?", "When is the kiln on?")])
def test_markdown_has_what_is_shown_and_json_has_every_branch(world: World, old: str, new: str) -> None:
    talk = uuid.uuid4()
    first = ask(world.alice, old, talk)
    second = edit(world.alice, talk, first, new)
    text = client(world.alice).get(f"/c/{talk}/conversation.md").content.decode()
    assert (new in text, text.count(old)) == (True, 1), "the title keeps the first words"
    found = json.loads(client(world.alice).get(f"/c/{talk}/conversation.json").content)
    assert [(turn["id"], turn["question"], turn["parent"]) for turn in found["turns"]] == [
        (str(first), old, None), (str(second), new, None)]  # fmt: skip
    assert found["shown"] == [str(second)]


@pytest.mark.parametrize(("says", "word"), [("我住在苏州。", "苏州"), ("I live in Bergen.", "Bergen")])
def test_what_was_forgotten_is_in_no_file(world: World, says: str, word: str) -> None:
    talk = uuid.uuid4()
    ask(world.alice, says, talk)
    with scoped(world.alice):
        correct.forget(world.alice, Memory.objects.live().get().id)
    for shape in ("md", "json"):
        answer = client(world.alice).get(f"/c/{talk}/conversation.{shape}")
        assert word not in answer.content.decode()
        assert word not in unquote(answer.headers["Content-Disposition"]), "nor in its name"
