"""A whole import is undone: what it took is back as it was, and what people did since is theirs."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from assistant import tasks
from memory import policy
from memory.models import Import, ImportState, PassageVector, QuestionVector, Swap
from profiles.access import scoped
from profiles.models import User
from tests.people import World, imported
from tests.test_imports import AFTER, FIRST, SECOND, audited, files, post, rows, run, state
from tests.test_knowledge import ROOM, act, agree, cited, import_of, passage, send, texts
from tests.test_staff import client, shown


def undo(world: World, brought: Any, status: int = 200) -> str:
    return post(world.mei, f"{ROOM}imports/{brought}/undo/", status)


@pytest.mark.parametrize("slow", [False, True])
def test_an_undo_puts_everything_back_as_it_was(world: World, slow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(world.mei, **FIRST)
    name = User.objects.get(id=world.mei.person).username
    day = str(world.alice.today)
    act(world, passage(world, "Fee 年费"), title="Fee 年费", text="Sixty a year. 每年六十元。", valid_from=day, kept_by=name)
    act(world, passage(world, "Fee 年费"), "verify/", right="1")
    act(world, passage(world, "Tea"), title="Tea", text="At five, by hand.")
    before = rows(world)
    page = send(world, files(SECOND))
    assert "in conflict" in page
    brought = import_of(agree(world, page, take=str(passage(world, "Tea").id))).split("/")[-2]
    assert texts(world) == AFTER and rows(world) != before
    if slow:
        monkeypatch.setattr(policy, "IMPORT_AT_ONCE", 0)
        assert "being undone" in undo(world, brought) and texts(world) == AFTER
        assert tasks.bring() == 1
    else:
        undo(world, brought)
    assert rows(world) == before and state(world) == ImportState.UNDONE
    assert cited(world.alice, "Cat") == [passage(world, "Cat").id] and cited(world.alice, "Dog barks") == []
    assert audited(world)[-1] == "import undone"
    with scoped(world.mei):
        assert not Swap.objects.filter(part_of_id=brought).exists()
    undo(world, brought)
    assert rows(world) == before, "once"


def test_what_is_noted_beside_a_correction_is_undone_too(world: World) -> None:
    imported(world.mei, x="# A\n\none\n")
    act(world, passage(world, "A"), title="A", text="by hand")
    before = rows(world)
    brought = imported(world.mei, x="# A\n\ntwo\n")
    assert rows(world) != before and texts(world) == {"A": "by hand"}
    undo(world, brought)
    assert rows(world) == before and "in conflict" in send(world, {"x.md": "# A\n\ntwo\n"})


@pytest.mark.parametrize("change", ["edit", "verify", "remove"])
def test_what_somebody_has_changed_since_stays(world: World, change: str) -> None:
    imported(world.mei, **FIRST)
    brought = imported(world.mei, **SECOND)
    row = passage(world, "Fee 年费")
    if change == "edit":
        act(world, row, title=row.title, text="by hand 手改")
    else:
        act(world, row, f"{change}/", right="1")
    page = undo(world, brought)
    now = texts(world)
    assert now.pop("Fee 年费", None) == {"edit": "by hand 手改", "verify": AFTER["Fee 年费"], "remove": None}[change]
    assert now == {"Door": "The key hangs left.", "Cat": "It is fed.", "Tea": "At five."}
    assert ("1 passage was changed" in page) == (change != "remove")


def test_the_newest_is_undone_first_and_then_the_one_before(world: World) -> None:
    first = imported(world.mei, **FIRST)
    before = rows(world)
    second = imported(world.mei, **SECOND)
    assert "guide.md" in undo(world, first, 409) and texts(world) == AFTER
    apart = imported(world.mei, apart="# Z\n\nalone\n")
    undo(world, second)
    assert {key: row for key, row in rows(world).items() if row["title"] != "Z"} == before
    undo(world, first)
    assert texts(world) == {"Z": "alone"}, "what the later one had put back is the earlier one's again"
    undo(world, apart)
    assert texts(world) == {}


def test_what_is_removed_or_says_something_else_loses_its_vectors(world: World) -> None:
    imported(world.mei, **FIRST)
    tasks.embed()
    brought = imported(world.mei, **SECOND)
    with scoped(world.mei):
        made = set(PassageVector.objects.values_list("passage__title", flat=True))
    assert made == {"Door"}
    tasks.embed()
    undo(world, brought)
    with scoped(world.mei):
        made = set(PassageVector.objects.values_list("passage__title", flat=True))
    assert made == {"Door"}
    tasks.embed()
    with scoped(world.mei):
        made = set(PassageVector.objects.values_list("passage__title", flat=True))
    assert made == set(texts(world))


def test_it_can_be_undone_for_some_weeks_and_what_waits_for_nobody_goes(world: World) -> None:
    brought = imported(world.mei, **FIRST)
    send(world, files(SECOND))
    send(world, files(SECOND))
    with scoped(world.mei):
        assert Import.objects.filter(state=ImportState.SHOWN).count() == 1, "the last one that was looked at"
        Import.objects.filter(state=ImportState.SHOWN).update(asked_at=timezone.now() - timedelta(hours=25))
        Import.objects.filter(id=brought).update(ended_at=timezone.now() - timedelta(days=31))
    assert "more than 30 days" in undo(world, brought, 409)
    tasks.let_go()
    with scoped(world.mei):
        assert Import.objects.get().id == brought and not Swap.objects.exists()
    assert "Undo" not in shown(client(world.mei).get(f"{ROOM}imports/{brought}/"))
    assert len(texts(world)) == 4


def test_a_command_leaves_the_same_record_and_can_be_undone_on_the_page(world: World, tmp_path: Path) -> None:
    imported(world.mei, **FIRST)
    before = rows(world)
    for name, text in SECOND.items():
        (tmp_path / f"{name}.md").write_text(text)
    said = run(*(str(tmp_path / f"{name}.md") for name in SECOND), "--community", world.mei.slug)
    assert "1/2 guide.md: 3 passages" in said and texts(world) == AFTER
    with scoped(world.mei):
        row = Import.objects.latest("asked_at")
        assert (row.state, row.asked_by) == (ImportState.DONE, None)
    assert "the operator" in shown(client(world.mei).get(ROOM))
    undo(world, row.id)
    assert rows(world) == before


def test_the_questions_of_a_file_are_known_and_go_and_come_with_it(world: World) -> None:
    def asked() -> set[str]:
        tasks.embed()
        with scoped(world.mei):
            found = QuestionVector.objects.filter(passage__removed_at=None)
            return set(found.values_list("passage__title", flat=True))

    imported(world.mei, faq="# 会费是多少？\n\n一年六十元。\n\n# Tea\n\nAt five.\n")
    assert asked() == {"会费是多少？"}
    brought = imported(world.mei, faq="# Tea\n\nAt six.\n\n# When is tea?\n\nAt five.\n")
    assert asked() == {"When is tea?"}
    undo(world, brought)
    assert asked() == {"会费是多少？"}


def test_an_import_that_came_in_between_is_not_undone_from_below(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = imported(world.mei, x="# A\n\none\n\n# B\n\nbee\n")
    monkeypatch.setattr(policy, "IMPORT_AT_ONCE", 0)
    agree(world, send(world, {"x.md": "# A\n\ntwo\n\n# B\n\nbee\n"}))
    undo(world, first)
    while tasks.bring():
        pass
    assert texts(world) == {"A": "two", "B": "bee"}
    with scoped(world.mei):
        assert Import.objects.get(id=first).state == ImportState.DONE
    assert "A later import" in shown(client(world.mei).get(f"{ROOM}imports/{first}/"))
