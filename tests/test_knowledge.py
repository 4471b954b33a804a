"""The knowledge room: imports are looked at before they are done, and what a moderator corrected is not lost."""

import io
import re
import uuid
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from django.utils.translation import override

from assistant import tasks
from assistant.conversation.suggestions import suggestions
from assistant.erasing import order
from memory import importing, recall
from memory.importing import How
from memory.models import AuditEvent, Document, Import, Passage
from memory.passages import Piece
from profiles.access import Reader, scoped
from profiles.models import Role, User
from tests.accessible import faults
from tests.caller import colleague
from tests.erasing.test_erasing import requested
from tests.people import World
from tests.test_staff import client, shown

ROOM = "/staff/knowledge/"
IMPORT = "/staff/knowledge/import/"
PART = {"HX-Request": "true"}
"""As the page asks for a part of itself."""
GUIDES = {
    "en": ("# Fee\n\nSixty a year.\n\n# Door\n\nThe key hangs left.\n", "Sixty a year.", "Seventy a year.", "fee"),
    "zh": ("# 年费\n\n每年六十元。\n\n# 大门\n\n钥匙挂在左边。\n", "每年六十元。", "每年七十元。", "年费"),
}


def send(world: World, files: dict[str, bytes | str], status: int = 200, **fields: Any) -> str:
    sent = [io.BytesIO(body.encode() if isinstance(body, str) else body) for body in files.values()]
    for file, name in zip(sent, files, strict=True):
        file.name = name
    return shown(client(world.mei).post(IMPORT, {"files": sent, **fields}, headers=PART), status)


def import_of(page: str) -> str:
    """The address of the import that a page is about."""
    found = re.search(r"/staff/knowledge/imports/[\w-]+/", page)
    assert found is not None, page
    return found[0]


def agree(world: World, page: str, status: int = 200, **fields: Any) -> str:
    return shown(client(world.mei).post(f"{import_of(page)}agree/", plan_of(page) | fields, headers=PART), status)


def plan_of(page: str) -> dict[str, str]:
    """What a page shows, as its form names it; nothing where it asks for no decision."""
    found = re.search(r'name="plan" value="(\w+)"', page)
    return {"plan": found[1]} if found else {}


def bring(world: World, files: dict[str, bytes | str], **fields: Any) -> str:
    """Looked at, and then done."""
    return agree(world, send(world, files), **fields)


def texts(world: World) -> dict[str, str]:
    with scoped(world.mei):
        return dict(Passage.objects.values_list("title", "text"))


def passage(world: World, title: str) -> Passage:
    with scoped(world.mei):
        return Passage.objects.get(title=title)


def act(world: World, row: Passage, verb: str = "", status: int = 200, **fields: str) -> str:
    path = f"{ROOM}passages/{row.id}/{verb}"
    return shown(client(world.mei).post(path, {"at": row.updated_at.isoformat(), **fields}), status)


@pytest.mark.parametrize("language", GUIDES)
def test_an_import_is_shown_before_it_is_done_and_found_afterwards(world: World, language: str) -> None:
    guide, words, _other, asked = GUIDES[language]
    page = send(world, {"guide.md": guide})
    assert words in page and texts(world) == {}
    assert "2 added" in agree(world, page)
    found = shown(client(world.mei).get(ROOM, {"q": asked}))
    assert words in found and "not verified by a person" in found
    assert "guide.md" in shown(client(world.mei).get(ROOM))
    with scoped(world.mei):
        assert list(AuditEvent.objects.values_list("action", flat=True)) == ["imported"]


def test_the_room_is_in_chinese_for_who_reads_chinese(world: World) -> None:
    bring(world, {"guide.md": GUIDES["zh"][0]})
    with override("zh-hans"):  # what a request chooses would outlast it here
        page = shown(client(world.mei).get(ROOM, headers={"accept-language": "zh-hans"}))
    assert "导入文件" in page and "Import files" not in page


@pytest.mark.parametrize("language", GUIDES)
def test_a_correction_by_hand_outlives_the_same_file_and_is_a_conflict_with_a_new_one(
    world: World, language: str
) -> None:
    guide, words, other, _ = GUIDES[language]
    bring(world, {"guide.md": guide})
    title = next(title for title, text in texts(world).items() if text == words)
    act(world, passage(world, title), title=title, text="by hand 手改")
    assert "0 updated" in bring(world, {"guide.md": guide}) and texts(world)[title] == "by hand 手改"
    newer = {"guide.md": guide.replace(words, other)}
    page = send(world, newer)
    assert str(passage(world, title).id) in page and 'name="take"' in page and faults(page, whole=False) == []
    assert "1 kept" in bring(world, newer) and texts(world)[title] == "by hand 手改"
    assert 'name="take"' not in send(world, newer), "it was decided"
    newest = {"guide.md": guide.replace(words, other * 2)}
    assert "1 updated" in bring(world, newest, take=str(passage(world, title).id))
    assert texts(world)[title] == other * 2


def test_a_corrected_passage_that_the_file_has_no_more_stays_unless_it_is_ticked(world: World) -> None:
    bring(world, {"guide.md": "# A\n\none\n\n# B\n\ntwo\n"})
    act(world, passage(world, "B"), title="B", text="two, by hand")
    assert "1 kept" in bring(world, {"guide.md": "# A\n\none\n"})
    assert texts(world) == {"A": "one", "B": "two, by hand"}


def test_the_command_keeps_a_correction_and_leaves_it_to_be_decided(world: World, tmp_path: Path) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    act(world, passage(world, "A"), title="A", text="by hand")
    (tmp_path / "x.md").write_text("# A\n\nother\n")
    said = StringIO()
    call_command("import_knowledge", str(tmp_path / "x.md"), "--community", world.mei.slug, stdout=said, stderr=StringIO())
    assert "1 kept" in said.getvalue() and texts(world) == {"A": "by hand"}
    with scoped(world.mei):
        assert [step.how for step in importing.plan(world.mei, "x.md", [Piece("A", "other")])] == [How.CONFLICT]


def test_what_changed_since_it_was_shown_is_shown_again(world: World) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    seen = send(world, {"x.md": "# A\n\ntwo\n"})
    act(world, passage(world, "A"), title="A", text="by hand")
    page = agree(world, seen, 409)
    assert "changed since" in page and "in conflict" in page and texts(world) == {"A": "by hand"}
    assert "1 updated" in agree(world, page, take=str(passage(world, "A").id)) and texts(world) == {"A": "two"}


@pytest.mark.parametrize(("name", "body", "said"), [
    ("x.csv", "question,answer\nfee?,\n,60\nwhere?,here\n", ["entry 2", "entry 3"]),
    ("x.json", '[{"q": "年费？"}, {"q": "哪里？", "a": "这里"}, 3]', ["entry 1", "entry 3"]),
    ("x.zip", b"PK\x03\x04rest", ["only Markdown"]), ("x.txt", b"PK\x03\x04rest", ["archives are not unpacked"]),
    ("x.txt", b"\x1f\x8brest", ["archives are not unpacked"]), ("x.txt", b"\xff\xff\xff", ["not text"]),
    ("x.txt", "字" * 2_000_001, ["longer than"]), ("x.json", "{", ["no JSON"]), ("x.md", " ", ["nothing to keep"]),
])  # fmt: skip
def test_every_fault_is_named_and_nothing_at_all_is_imported(
    world: World, name: str, body: bytes | str, said: list[str]
) -> None:
    page = send(world, {"good.md": "# A\n\none\n", name: body}, 422)
    assert all(words in page for words in said) and "Nothing was imported" in page
    with scoped(world.mei):
        assert not Import.objects.exists()


def test_html_is_read_as_people_see_it(world: World) -> None:
    page = ("<html><head><title>no</title><style>p{}</style></head><body><nav>menu</nav><h1>Fee 年费</h1><p>Sixty <b>a"
            "</b> year&nbsp;&amp; more.</p><script>alert(1)</script><h2>Door</h2><ul><li>left</li><li>right</li></ul>")  # fmt: skip
    bring(world, {"page.html": page})
    assert texts(world) == {"Fee 年费": "Sixty a year & more.", "Fee 年费 › Door": "- left\n- right"}


def test_a_passage_is_verified_by_name_and_not_any_more_once_it_says_something_else(world: World) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    name = User.objects.get(id=world.mei.person).username
    assert f"verified by {name}" in act(world, passage(world, "A"), "verify/", right="1")
    assert f"verified by {name}" in shown(client(world.alice).get(f"/knowledge/{passage(world, 'A').id}/"))
    assert "not verified" in act(world, passage(world, "A"), title="A", text="two")
    act(world, passage(world, "A"), "verify/", right="1")
    assert "not verified" in act(world, passage(world, "A"), "verify/")
    with scoped(world.mei):
        done = list(AuditEvent.objects.order_by("position").values_list("action", flat=True))
    assert done == ["imported", "verified", "edited", "verified", "unverified"]


def test_who_comes_second_sees_what_it_says_now_and_loses_no_word(world: World) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    before = passage(world, "A")
    act(world, before, title="A", text="first")
    page = act(world, before, status=409, title="A", text="second")
    assert "first" in page and "second" in page and texts(world) == {"A": "first"}
    act(world, before, "remove/", status=409)
    assert texts(world) == {"A": "first"}


@pytest.mark.parametrize(("title", "text"), [("", "x"), ("x", " "), ("x" * 201, "x"), ("x", "x" * 20_001)])
def test_a_passage_needs_a_title_and_a_text_within_limits(world: World, title: str, text: str) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    act(world, passage(world, "A"), status=422, title=title, text=text)
    shown(client(world.mei).post(f"{ROOM}passages/", {"title": title, "text": text}), 422)
    assert texts(world) == {"A": "one"}


@pytest.mark.parametrize("words", [("Where is the key?", "On the left."), ("钥匙在哪？", "左边。")])
def test_a_passage_that_is_written_by_hand_is_verified_and_can_be_removed_and_brought_back(
    world: World, words: tuple[str, str]
) -> None:
    title, text = words
    shown(client(world.mei).post(f"{ROOM}passages/", {"title": title, "text": text}))
    row = passage(world, title)
    assert row.verified_by == User.objects.get(id=world.mei.person).username and row.by_hand
    page = act(world, row, "remove/")
    assert "Removed" in page and f"passages/{row.id}/restore/" in page and texts(world) == {}
    assert cited(world.alice, title) == [] and text not in shown(client(world.mei).get(ROOM, {"q": title}))
    assert title in act(world, row, "restore/") and texts(world) == {title: text}
    assert cited(world.alice, title) == [row.id]
    act(world, row, "restore/", 404)


def test_what_was_removed_goes_for_good_with_its_document_once_it_can_not_be_brought_back(world: World) -> None:
    bring(world, {"x.md": "# A\n\none\n\n# B\n\ntwo\n"})
    for title in ("A", "B"):
        act(world, passage(world, title), "remove/")
    assert tasks.let_go() == 0
    for title, left in (("A", True), ("B", False)):
        with scoped(world.mei):
            Passage.everything.filter(title=title).update(removed_at=timezone.now() - timedelta(days=31))
        assert tasks.let_go() == 1
        with scoped(world.mei):
            assert Document.objects.exists() == left


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize(("since", "until", "holds"), [(-9, -1, False), (1, 9, False), (0, 0, True), (-1, None, True), (None, 0, True)])
def test_a_passage_is_cited_from_its_first_to_its_last_day(
    world: World, language: str, since: int | None, until: int | None, holds: bool
) -> None:
    title = {"en": "Where is the key?", "zh-hans": "钥匙在哪？"}[language]
    shown(client(world.mei).post(f"{ROOM}passages/", {"title": title, "text": "左边 left"}))
    row, today = passage(world, title), world.alice.today
    since_day, until_day = ("" if days is None else str(today + timedelta(days)) for days in (since, until))
    page = act(world, row, title=title, text="左边 left", valid_from=since_day, valid_to=until_day)
    assert since_day in page and until_day in page and ("not valid today" not in page) == holds
    assert cited(world.alice, title) == ([row.id] if holds else [])
    with override(language):
        read = shown(client(world.alice).get(f"/knowledge/{row.id}/", headers={"accept-language": language}))
    away = {"en": "not valid today", "zh-hans": "今天不在有效期内"}[language]
    assert (away not in read) == holds
    with scoped(world.alice):
        offered = suggestions(world.alice, "zh" if language == "zh-hans" else "en")
    assert (title in offered) == holds


def test_a_moderator_looks_after_a_passage_and_an_erasure_leaves_nobody(world: World) -> None:
    bring(world, {"x.md": "# A\n\none\n"})
    other = colleague(world, Role.MODERATOR)
    name = User.objects.get(id=other.person).username
    said = {"title": "A", "text": "one"}
    assert f"looked after by {name}" in act(world, passage(world, "A"), **said, kept_by=name)
    member = User.objects.get(id=world.alice.person).username
    assert "Only moderators" in act(world, passage(world, "A"), status=422, **said, kept_by=member)
    assert "before the first" in act(world, passage(world, "A"), status=422, **said, kept_by=name, valid_from="2026-05-02",
                                     valid_to="2026-05-01")  # fmt: skip
    order.run(requested(other).id)
    assert passage(world, "A").kept_by == order.ANONYMOUS


def test_what_is_sent_shows_how_far_it_is(world: World) -> None:
    page = shown(client(world.mei).get(ROOM))
    assert "<progress" in page and faults(page, language="en") == []


def cited(reader: Reader, question: str) -> list[uuid.UUID]:
    with scoped(reader):
        return [hit.id for hit in recall.recall(reader, question).knowledge]


def test_an_auditor_reads_and_writes_nothing_and_a_stranger_finds_nothing(world: World) -> None:
    bring(world, {"x.md": "# A\n\nsecret words\n"})
    auditor = client(colleague(world, Role.AUDITOR))
    page = shown(auditor.get(ROOM, {"q": "secret"}))
    assert "secret words" in page and "Import files" not in page and "Verify" not in page
    row = passage(world, "A")
    assert auditor.post(f"{ROOM}passages/{row.id}/", {"title": "A", "text": "x"}).status_code == 403
    with scoped(world.charlie):
        assert not Passage.objects.exists()
