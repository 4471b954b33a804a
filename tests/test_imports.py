"""Imports in the background: all or nothing, one after the other, kept as a record, and undone as one."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from assistant import tasks
from assistant.erasing import order
from memory import bringing, policy, staging
from memory.models import AuditEvent, Import, ImportState, Passage, Sheet, Swap
from profiles.access import Reader, scoped
from profiles.models import Membership, Role, Space, User
from tests.accessible import faults
from tests.caller import colleague
from tests.erasing.test_erasing import requested
from tests.people import World, imported
from tests.test_knowledge import PART, ROOM, act, agree, import_of, passage, plan_of, send, texts
from tests.test_staff import client, shown

FIRST = {"guide": "# Fee 年费\n\nSixty a year. 每年六十元。\n\n# Door\n\nThe key hangs left.\n\n# Cat\n\nIt is fed.\n",
         "other": "# Tea\n\nAt five.\n"}  # fmt: skip
SECOND = {"guide": "# Fee 年费\n\nSeventy a year. 每年七十元。\n\n# Door\n\nThe key hangs left.\n\n# Dog\n\nIt barks.\n",
          "other": "# Tea\n\nAt four.\n"}  # fmt: skip
AFTER = {"Fee 年费": "Seventy a year. 每年七十元。", "Door": "The key hangs left.", "Dog": "It barks.", "Tea": "At four."}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every import counts as one that the worker does."""
    monkeypatch.setattr(policy, "IMPORT_AT_ONCE", 0)


@pytest.fixture(autouse=True)
def nothing_waits(world: World) -> Iterator[None]:
    yield
    Import.objects.using("owner").filter(state__in=bringing.UNDER_WAY).delete()


def files(said: dict[str, str]) -> dict[str, bytes | str]:
    return {f"{name}.md": text for name, text in said.items()}


def rows(world: World) -> dict[Any, dict[str, Any]]:
    """Every passage that is there, column by column, but for when it was touched last."""
    with scoped(world.mei):
        return {row.pop("id"): {name: value for name, value in row.items() if name != "updated_at"} for row in Passage.objects.values()}


def state(world: World, brought: Any = None) -> str:
    with scoped(world.mei):
        found = Import.objects.order_by("-asked_at")
        return found.get(id=brought).state if brought else found[0].state


def audited(world: World) -> list[str]:
    with scoped(world.mei):
        return list(AuditEvent.objects.order_by("position").values_list("action", flat=True))


def post(reader: Reader, path: str, status: int = 200) -> str:
    return shown(client(reader).post(path, headers=PART), status)


def test_a_large_one_is_done_by_the_worker_and_every_device_sees_how_far_it_is(world: World, large: None) -> None:
    page = agree(world, send(world, files(FIRST)))
    at = import_of(page)
    assert "0 of 2 files, 0 of 4 passages" in page and "every 1s" in page and texts(world) == {}
    with scoped(world.mei):
        wanted = Import.objects.get().id
    assert bringing.go_on(world.mei, wanted)
    other = client(colleague(world, Role.MODERATOR))
    for headers in (PART, {}):
        assert "1 of 2 files, 3 of 4 passages" in shown(other.get(at, headers=headers))
    assert texts(world) == {} and f'href="{at}"' in shown(other.get(at)), "nothing is there before all of it is"
    assert tasks.bring() >= 2
    page = shown(other.get(at, headers=PART))
    assert "3 added" in page and "1 added" in page and "every 1s" not in page
    assert len(texts(world)) == 4 and audited(world) == ["imported", "imported"]
    name = User.objects.get(id=world.mei.person).username
    assert name in shown(other.get(ROOM)) and "4 added" in shown(other.get(ROOM))


def test_it_works_without_scripts(world: World, tmp_path: Path) -> None:
    asker = client(world.mei)
    path = tmp_path / "guide.md"
    path.write_text(FIRST["guide"])
    with path.open("rb") as file:
        at = asker.post(f"{ROOM}import/", {"files": [file]}).headers["Location"]
    assert "Nothing is done yet" in shown(asker.get(at)) and texts(world) == {}
    assert asker.post(f"{at}agree/", plan_of(shown(asker.get(at)))).headers["Location"] == at
    assert "3 added" in shown(asker.get(at)) and len(texts(world)) == 3
    assert asker.post(f"{at}undo/").headers["Location"] == at and texts(world) == {}
    assert "Choose one file" in shown(asker.post(f"{ROOM}import/"), 422)


KILLED = """
import os, signal
import django
django.setup()
from memory import bringing, staging
def end(*args, **words):
    os.kill(os.getpid(), signal.SIGKILL)
{where} = end
while bringing.work():
    pass
"""


@pytest.mark.parametrize("where", ["staging.lay", "staging.Sheet.save", "staging.put", "staging.audit.write", "bringing._step"])
def test_a_worker_that_is_killed_leaves_nothing_half_done_and_the_next_one_ends_it_once(
    world: World, large: None, where: str
) -> None:
    imported(world.mei, **FIRST)
    before, done = rows(world), audited(world)
    at = import_of(agree(world, send(world, files(SECOND))))
    ended = subprocess.run([sys.executable, "-c", KILLED.format(where=where)], env=os.environ, check=False)
    assert ended.returncode == -9
    assert rows(world) == before and audited(world) == done
    tasks.bring()
    assert texts(world) == AFTER and audited(world) == [*done, "imported", "imported"]
    assert tasks.bring() == 0 and "1 updated" in shown(client(world.mei).get(at, headers=PART))


def test_what_fails_again_and_again_is_given_up_and_holds_up_nobody(
    world: World, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = import_of(agree(world, send(world, {"bad.md": "# A\n\none\n"})))
    good = import_of(agree(world, send(world, {"good.md": "# B\n\ntwo\n"})))
    assert "waits for it" in shown(client(world.mei).get(good, headers=PART))
    whole = staging.put

    def broken(reader: Reader, row: Import) -> None:
        if row.sheets.filter(name="bad.md").exists():
            raise RuntimeError
        whole(reader, row)

    monkeypatch.setattr(staging, "put", broken)
    for _ in range(policy.IMPORT_ATTEMPTS + 1):
        tasks.bring()
    assert "Could not be imported" in shown(client(world.mei).get(bad, headers=PART))
    assert "1 added" in shown(client(world.mei).get(good, headers=PART)) and texts(world) == {"B": "two"}
    with scoped(world.mei):
        assert not Sheet.objects.exclude(text="").exists(), "what ended is kept as a record alone"


def test_much_is_read_by_the_worker_and_shown_file_by_file(world: World, large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "IMPORT_READ_AT_ONCE", 0)
    monkeypatch.setattr(policy, "IMPORT_SHOWN_AT_ONCE", 0)
    asker = client(world.mei)
    page = send(world, files(FIRST))
    at = import_of(page)
    assert "Read: 0 of 2 files" in page and "every 1s" in page
    assert tasks.bring() == 3
    page = shown(asker.get(at, headers=PART))
    assert re.search(r"added\s*: 3", page) and "Sixty a year" not in page and "every 1s" not in page
    sheet = next(one for one in re.findall(r"/staff/knowledge/imports/[\w-]+/sheets/[\w-]+/", page))
    for headers in (PART, {}):
        page = shown(asker.get(sheet, headers=headers))
        assert "Sixty a year" in page and "At five" not in page and texts(world) == {}
    agree(world, page)
    tasks.bring()
    assert len(texts(world)) == 4 and asker.get(sheet).status_code == 404


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_what_the_worker_finds_wrong_is_said_in_the_language_of_who_asked(
    world: World, large: None, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(policy, "IMPORT_READ_AT_ONCE", 0)
    with override(language):  # what a request chooses would outlast it here
        asker = Client(HTTP_HOST="127.0.0.1", HTTP_ACCEPT_LANGUAGE=language)
        asker.force_login(User.objects.get(id=world.mei.person), "django.contrib.auth.backends.ModelBackend")
        sent = [SimpleUploadedFile(name, b"{") for name in ("a.json", "b.json")]
        at = import_of(shown(asker.post(f"{ROOM}import/", {"files": sent}, headers=PART)))
    tasks.bring()
    page = shown(client(world.mei).get(at, headers=PART))
    assert all({"en": f"{name} is no JSON", "zh-hans": f"{name} 不是 JSON"}[language] in page for name in ("a.json", "b.json"))
    assert "Import all of it" not in page and state(world) == ImportState.FAILED


def test_two_imports_of_one_file_are_done_in_turn_and_the_second_is_looked_at_again(world: World, large: None) -> None:
    first = import_of(agree(world, send(world, {"x.md": "# A\n\none\n"})))
    second = import_of(agree(world, send(world, {"x.md": "# A\n\ntwo\n"})))
    tasks.bring()
    assert texts(world) == {"A": "one"} and "1 added" in shown(client(world.mei).get(first, headers=PART))
    page = shown(client(world.mei).get(second, headers=PART))
    assert "changed since" in page and "two" in page and "updated" in page
    agree(world, page)
    tasks.bring()
    assert texts(world) == {"A": "two"}


def test_one_that_is_cancelled_does_nothing(world: World, large: None) -> None:
    at = import_of(agree(world, send(world, files(FIRST))))
    with scoped(world.mei):
        wanted = Import.objects.get().id
    bringing.go_on(world.mei, wanted)
    assert "Cancelled" in post(world.mei, f"{at}cancel/")
    assert tasks.bring() == 0 and texts(world) == {}
    with scoped(world.mei):
        assert not Swap.objects.exists() and not Sheet.objects.exclude(text="").exists()
    assert "too late" in post(world.mei, f"{at}cancel/", 409)
    assert agree(world, f"{at}") and texts(world) == {}, "what is cancelled can't be agreed to"


def test_the_room_lists_the_newest_ten(world: World) -> None:
    made = [str(imported(world.mei, **{f"n{number}": f"# {number}\n\nwords\n"})) for number in range(11)]
    page = shown(client(world.mei).get(ROOM))
    assert [one for one in made if f"imports/{one}/" in page] == made[1:]
    more = page.partition("?imports=")[2].partition('"')[0]
    page = shown(client(world.mei).get(f"{ROOM}?imports={more}"))
    assert [one for one in made if f"imports/{one}/" in page] == made[:1]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_its_page_is_in_the_language_of_who_reads_it(world: World, large: None, language: str) -> None:
    at = import_of(agree(world, send(world, files(FIRST))))
    with override(language):  # what a request chooses would outlast it here
        page = shown(client(world.mei).get(at, headers={"accept-language": language}))
    assert {"en": "Ready: 0 of 2 files", "zh-hans": "2 个文件中的 0 个"}[language] in page


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("stands", ImportState)
def test_its_page_is_accessible_wherever_it_stands(world: World, language: str, stands: str) -> None:
    imported(world.mei, **FIRST)
    act(world, passage(world, "Tea"), title="Tea", text="by hand")
    at = import_of(send(world, files(SECOND)))
    with scoped(world.mei):
        row = Import.objects.latest("asked_at")
        row.state, row.queued_at, row.left, row.changed = stands, timezone.now(), 2, True
        row.save()
    with override(language):
        page, room = (shown(client(world.mei).get(path, headers={"accept-language": language})) for path in (at, ROOM))
    assert faults(page, language=language) == [] and faults(room, language=language) == []


def test_another_community_and_another_space_see_nothing_of_it(world: World) -> None:
    space = Space.objects.using("owner").create(community_id=world.alice.community, slug="lab", name="Lab")
    with scoped(world.mei):
        inside = Membership.objects.get(id=world.mei.member)
    inside.spaces.through.objects.using("owner").create(membership_id=inside.id, space_id=space.id)
    at = import_of(agree(world, send(world, files(FIRST), space="lab")))
    assert "lab/guide.md" in shown(client(world.mei).get(at))
    outside = client(colleague(world, Role.MODERATOR))
    assert outside.get(at).status_code == 404 and at not in shown(outside.get(ROOM))
    assert outside.post(f"{at}undo/").status_code == 404
    for reader in (world.charlie, world.alice):
        with scoped(reader):
            assert not (Import.objects.exists() or Sheet.objects.exists() or Swap.objects.exists())


@pytest.mark.parametrize("role", [Role.MEMBER, Role.AUDITOR])
def test_who_may_not_any_more_brings_nothing(world: World, large: None, role: str) -> None:
    agree(world, send(world, files(FIRST)))
    Membership.objects.using("owner").filter(id=world.mei.member).update(role=role)
    assert tasks.bring() == 0
    with scoped(colleague(world, Role.ADMIN)):
        assert Import.objects.get().state == ImportState.CANCELLED and not Passage.objects.exists()


def test_an_erasure_leaves_the_record_and_no_name(world: World) -> None:
    imported(world.mei, **FIRST)
    act(world, passage(world, "Tea"), "verify/", right="1")
    brought = imported(world.mei, **SECOND)
    waits = import_of(send(world, {"w.md": "# W\n\nwaits\n"}))
    name = User.objects.get(id=world.mei.person).username
    with scoped(world.mei):
        assert Swap.objects.filter(verified_by=name).count() == 1
    other = colleague(world, Role.MODERATOR)
    assert order.run(requested(world.mei).id).state == "done"
    with scoped(other):
        assert Import.objects.get(id=brought).asked_by is None and not Swap.objects.filter(verified_by=name).exists()
        assert Passage.objects.count() == 4
    page = shown(client(other).get(ROOM))
    assert "a former moderator" in page and name not in page
    seen = plan_of(shown(client(other).get(waits)))
    assert "1 added" in shown(client(other).post(f"{waits}agree/", seen, headers=PART)), "what was looked at is anybody's to decide"
    with scoped(other):
        assert Import.objects.latest("asked_at").asked_by_id == other.person, "and done in their name"


def run(*args: str) -> str:
    said = StringIO()
    call_command("import_knowledge", *args, stdout=StringIO(), stderr=said)
    return said.getvalue()


def test_a_command_that_fails_imports_nothing_and_says_so_in_its_record(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.md").write_text("# A\n\none\n")

    def broken(reader: Reader, row: Import) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(staging, "put", broken)
    with pytest.raises(KeyboardInterrupt):
        run(str(tmp_path / "x.md"), "--community", world.mei.slug)
    assert state(world) == ImportState.FAILED and texts(world) == {}
    with scoped(world.mei):
        assert not Swap.objects.exists()


def test_no_more_files_than_can_be_looked_through(world: World) -> None:
    assert "At most 20 files" in send(world, {f"{number}.md": "# A\n\none\n" for number in range(21)}, 422)
    with scoped(world.mei):
        assert not Import.objects.exists()


def test_who_has_seen_one_plan_agrees_to_no_other(world: World, large: None) -> None:
    imported(world.mei, x="# A\n\none\n")
    seen = send(world, {"x.md": "# A\n\ntwo\n"})
    act(world, passage(world, "A"), title="A", text="by hand")
    agree(world, seen)
    tasks.bring()
    page = shown(client(world.mei).get(import_of(seen), headers=PART))
    assert "changed since" in page and "in conflict" in page
    agree(world, seen, 409, take=str(passage(world, "A").id))
    tasks.bring()
    assert texts(world) == {"A": "by hand"}
