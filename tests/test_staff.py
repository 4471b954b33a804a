"""Staff find members and memories, open one member's with a reason, and change them in place."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from memory import audit, finding, labels, ledger
from memory.figures import figures
from memory.models import AuditEvent, Memory
from memory.terms import Origin, Status
from memory.visible import difference
from profiles.access import Reader, scoped
from profiles.models import Role, User
from tests.caller import Caller, colleague
from tests.people import World, likes, said

REASON = {"reason": "she asked"}


def remember(reader: Reader, value: str, attribute: str = "likes") -> Memory:
    with scoped(reader):
        change = ledger.add(reader, likes(value, attribute=attribute), said(), origin=Origin.TOLD, actor="member")
    assert change is not None
    return change.memory


def client(reader: Reader) -> Client:
    return Caller(reader).client


def shown(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content.decode()[:2000]
    return str(answer.content.decode())


def text_of(reader: Reader, memory: Memory) -> str:
    with scoped(reader):
        return Memory.objects.get(id=memory.id).text


def address(world: World, memory: Memory, verb: str) -> str:
    return f"/staff/members/{world.alice.member}/memories/{memory.id}/{verb}/"


def looks(reader: Reader) -> list[str]:
    with scoped(reader):
        return [look.reason for look in audit.looks()]


def queries(asker: Client, path: str) -> int:
    asker.get(path)
    with CaptureQueriesContext(connection) as taken:
        shown(asker.get(path))
    return len(taken)


@pytest.mark.parametrize(("value", "words"), [("green tea", "green tea"), ("龙井茶", "龙井")])
def test_words_are_found_with_a_reason_and_the_member_sees_it(world: World, value: str, words: str) -> None:
    remember(world.alice, value)
    remember(world.bob, "coffee")
    page = shown(client(world.mei).get("/staff/", {"find": "1", "q": words, **REASON}))
    assert f"likes {value}" in page and "likes coffee" not in page and "Found: 1" in page
    assert looks(world.alice) == ["she asked"] and looks(world.bob) == []


def test_without_a_reason_nobody_s_words_are_shown_or_searched(world: World) -> None:
    remember(world.alice, "green tea")
    remember(world.bob, "coffee")
    page = shown(client(world.mei).get("/staff/", {"find": "1", "q": "coffee"}))
    assert "green tea" not in page and "likes coffee" not in page
    assert "Found: 2" in page and "only with a reason" in page
    assert looks(world.alice) == []


@pytest.mark.parametrize(("asked", "count"), [
    ({"status": "active"}, 1), ({"status": "under_review"}, 1), ({"status": "archived"}, 0), ({"kind": "semantic"}, 2),
    ({"category": "event"}, 0), ({"scope": "personal"}, 2), ({"origin": "told"}, 2), ({"origin": "inferred"}, 0),
    ({"since": "2000-01-01"}, 2), ({"until": "2000-01-01"}, 0), ({"used": "week"}, 0), ({}, 2),
])  # fmt: skip
def test_each_filter_counts_what_it_lists(world: World, asked: dict[str, str], count: int) -> None:
    doubted = remember(world.alice, "tea")
    remember(world.bob, "coffee")
    with scoped(world.alice):
        ledger.flag(world.alice, doubted, None, actor=ledger.UPKEEP)
    page = shown(client(world.mei).get("/staff/", {"find": "1", **REASON, **asked}))
    assert f"Found: {count}" in page
    assert page.count('<td class="words">') == count


def test_what_was_used_lately_is_found_as_such(world: World) -> None:
    used = remember(world.alice, "tea")
    remember(world.alice, "coffee")
    with scoped(world.alice):
        ledger.recalled(world.alice, [used.id])
    page = shown(client(world.mei).get("/staff/", {"find": "1", "used": "week", **REASON}))
    assert "likes tea" in page and "likes coffee" not in page


def test_finds_are_read_page_by_page_and_none_is_missed_or_doubled(world: World) -> None:
    wanted = {f"likes tea{number:03}" for number in range(60)}
    for text in wanted:
        remember(world.alice, text.removeprefix("likes "))
    mei, seen, path = client(world.mei), [], "/staff/?find=1&reason=she+asked"
    while path:
        page = shown(mei.get(path))
        assert "Found: 60" in page
        seen += re.findall(r'<td class="words">(.*?)</td>', page)
        more = re.search(r'href="(\?[^"]*before=[^"]*)"', page)
        path = f"/staff/{more[1]}".replace("&amp;", "&") if more else ""
    assert sorted(seen) == sorted(wanted)


def test_a_member_finds_nothing_even_where_the_code_forgets_to_ask(world: World) -> None:
    remember(world.bob, "tea")
    for reader, count in ((world.alice, 0), (world.bob, 0), (world.charlie, 0), (world.mei, 1)):
        with scoped(reader):
            assert finding.memories(finding.Wanted({}), words=True)[1] == count
    assert finding.memories(finding.Wanted({}), words=True) == ([], 0), "nor does anybody outside of a unit of work"


def test_another_community_s_memories_are_not_found(world: World) -> None:
    remember(world.charlie, "tea")
    assert "Found: 0" in shown(client(world.mei).get("/staff/", {"find": "1", **REASON}))


def test_pages_ask_the_database_no_more_for_many_than_for_few(world: World) -> None:
    mei = client(world.mei)
    paths = ["/staff/?find=1&reason=why", f"/staff/members/{world.alice.member}/?reason=why", "/staff/audit/"]
    for reader in (world.alice, world.bob):
        remember(reader, "tea")
    few = [queries(mei, path) for path in paths] + [queries(client(world.alice), "/me/memory/")]
    for number in range(25):
        remember((world.alice, world.bob)[number % 2], f"tea {number}")
    many = [queries(mei, path) for path in paths] + [queries(client(world.alice), "/me/memory/")]
    assert many == few


def test_a_correction_in_place_is_a_version_in_the_audit_with_its_reason(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    form = shown(mei.get(address(world, memory, "edit"), REASON))
    assert "Where it was said" in form and 'name="version" value="1"' in form
    page = shown(mei.post(address(world, memory, "edit"), {"text": "我喜欢绿茶", "version": "1", **REASON}))
    assert "我喜欢绿茶" in page and "<del>" in page and text_of(world.alice, memory) == "我喜欢绿茶"
    trail = shown(mei.get("/staff/audit/", {"target": str(memory.id)}))
    assert "she asked" in trail and "changed by hand" in trail and "我喜欢绿茶" not in trail


def test_validity_dates_are_days_on_the_reader_s_calendar(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    sent = {"text": "likes tea", "version": "1", "valid_from": "2026-03-02", "valid_to": "2026-04-01", **REASON}
    shown(mei.post(address(world, memory, "edit"), sent))
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
    assert row.valid_from is not None and row.valid_to is not None
    assert row.valid_from.isoformat() == "2026-03-01T16:00:00+00:00"
    assert row.valid_to.isoformat() == "2026-03-31T16:00:00+00:00"
    wrong = {"text": "likes tea", "version": "2", "valid_to": "2025-01-01", **REASON}
    assert "before it begins" in shown(mei.post(address(world, memory, "edit"), wrong), 422)


@pytest.mark.parametrize(("first", "second"), [("I like tea", "I like coffee"), ("我喜欢茶", "我喜欢咖啡")])
def test_who_was_slower_sees_the_newer_text_and_loses_nothing(world: World, first: str, second: str) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    shown(client(world.alice).post(f"/me/memory/{memory.id}/edit/", {"text": first, "version": "1"}))
    page = shown(mei.post(address(world, memory, "edit"), {"text": second, "version": "1", **REASON}), 409)
    assert first in page and f">{second}</textarea>" in page and 'name="version" value="2"' in page
    assert text_of(world.alice, memory) == first
    shown(mei.post(address(world, memory, "edit"), {"text": second, "version": "2", **REASON}))
    assert text_of(world.alice, memory) == second


def test_forgetting_shows_its_reach_first_and_is_undone(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    assert "0 answers had it" in shown(mei.get(address(world, memory, "forget"), REASON))
    assert text_of(world.alice, memory) == "likes tea", "looking changes nothing"
    page = shown(mei.post(address(world, memory, "forget"), REASON))
    assert text_of(world.alice, memory) == ""
    change = re.search(r'"change": "([^"]+)"', page)
    assert change is not None
    shown(mei.post(f"/staff/members/{world.alice.member}/undo/", {"change": change[1], **REASON}))
    assert text_of(world.alice, memory) == "likes tea"


def test_pin_doubt_settle_and_restore(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    assert "pinned" in shown(mei.post(address(world, memory, "pin"), REASON))
    shown(mei.post(address(world, memory, "edit"), {"text": "likes coffee", "version": "2", **REASON}))
    shown(mei.post(address(world, memory, "wrong"), REASON))
    shown(mei.post(address(world, memory, "settle"), {"verb": "approve", **REASON}))
    shown(mei.post(address(world, memory, "restore"), {"to": "1", **REASON}))
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
    assert (row.text, row.pinned, row.status) == ("likes tea", False, Status.ACTIVE)


def test_a_change_without_a_reason_is_refused(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    assert mei.post(address(world, memory, "pin")).status_code == 403
    assert mei.get(address(world, memory, "edit")).status_code == 403
    assert looks(world.alice) == []


@pytest.mark.parametrize("verb", ["edit", "pin", "forget", "wrong", "settle", "restore"])
def test_an_auditor_sees_and_changes_nothing(world: World, verb: str) -> None:
    memory, audra = remember(world.alice, "tea"), client(colleague(world, Role.AUDITOR))
    page = shown(audra.get(f"/staff/members/{world.alice.member}/", REASON))
    assert "likes tea" in page and "hx-post" not in page.split('class="memories"')[1]
    sent = {"text": "x", "version": "1", "verb": "approve", "to": "1", **REASON}
    assert audra.post(address(world, memory, verb), sent).status_code == 403
    assert text_of(world.alice, memory) == "likes tea"


def test_nobody_reaches_another_member_s_memory_through_one_they_opened(world: World) -> None:
    foreign, mei = remember(world.bob, "tea"), client(world.mei)
    assert mei.get(address(world, foreign, "edit"), REASON).status_code == 404
    assert mei.post(address(world, foreign, "pin"), REASON).status_code == 404
    assert client(world.bob).get(address(world, foreign, "card"), REASON).status_code == 403


def test_the_audit_says_who_did_what_when_and_why_and_the_chain_is_whole(world: World) -> None:
    memory, mei = remember(world.alice, "tea"), client(world.mei)
    shown(mei.post(address(world, memory, "pin"), REASON))
    page = shown(client(colleague(world, Role.AUDITOR)).get("/staff/audit/?check=1"))
    name = account(world.mei)
    assert name in page and "she asked" in page and "the chain is whole" in page
    assert "likes tea" not in page
    for asked, there in (({"action": "revised"}, True), ({"action": "forgotten"}, False), ({"actor": name}, True),
                         ({"actor": "nobody"}, False), ({"about": str(world.alice.member)}, True),
                         ({"about": str(world.bob.member)}, False), ({"since": "2000-01-01"}, True),
                         ({"until": "2000-01-01"}, False), ({"target": "x"}, False)):  # fmt: skip
        assert ("changed by hand</td>" in shown(mei.get("/staff/audit/", asked))) is there, asked


def account(reader: Reader) -> str:
    return User.objects.get(id=reader.person).username


def test_a_chain_that_was_changed_is_said_to_be_broken(world: World) -> None:
    remember(world.alice, "tea")
    line = AuditEvent.objects.using("owner").filter(community_id=world.alice.community).earliest("position")
    AuditEvent.objects.using("owner").filter(id=line.id).update(action="flagged")
    assert "broken at line 1" in shown(client(world.mei).get("/staff/audit/?check=1"))


@pytest.mark.parametrize("reason", ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "＝1＋1"])
def test_an_export_holds_every_line_and_no_formula(world: World, reason: str) -> None:
    memory, mei = remember(world.alice, "茶"), client(world.mei)
    shown(mei.post(address(world, memory, "pin"), {"reason": reason}))
    table = shown(mei.get("/staff/audit/export/?as=csv"))
    assert f"'{reason}" in table and f",{reason}" not in table and f',"{reason}' not in table
    assert len(table.splitlines()) == 1 + len(shown(mei.get("/staff/audit/export/?as=jsonl&until=")).splitlines()) - 1
    assert "exported" in shown(mei.get("/staff/audit/")), "an export is in the audit"
    assert mei.get("/staff/audit/export/?as=exe").status_code == 404


def test_a_member_corrects_pins_doubts_and_undoes_on_their_own_page(world: World) -> None:
    memory, alice = remember(world.alice, "tea"), client(world.alice)
    base = f"/me/memory/{memory.id}/"
    page = shown(alice.get("/me/memory/"))
    assert all(f'="{base}{verb}/"' in page for verb in ("edit", "pin", "forget", "wrong"))
    shown(alice.post(f"{base}edit/", {"text": "我喜欢绿茶", "version": "1"}))
    page = shown(alice.post(f"{base}pin/"))
    change = re.search(r'"change": "([^"]+)"', page)
    assert change is not None and "pinned" in page
    shown(alice.post("/me/memory/undo/", {"change": change[1]}))
    shown(alice.post(f"{base}wrong/"))
    assert "Not sure: is it so?" in shown(alice.get("/me/memory/"))
    shown(alice.post(f"{base}settle/", {"verb": "approve"}))
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
    assert (row.text, row.pinned, row.status) == ("我喜欢绿茶", False, Status.ACTIVE)
    assert client(world.bob).post(f"{base}pin/").status_code == 404


def test_of_many_who_edit_one_memory_at_once_one_wins_and_the_others_see_it(world: World) -> None:
    memory = remember(world.alice, "tea")
    people, all_have_it = 50, Barrier(50)

    def edit(number: int) -> tuple[int, str]:
        try:
            sent = {"text": f"I like tea number {number}", "version": "1"}
            alice = client(world.alice)
            connection.close()  # there are fewer of them than people
            all_have_it.wait(60)
            answer = alice.post(f"/me/memory/{memory.id}/edit/", sent)
            return answer.status_code, answer.content.decode()
        finally:
            connection.close()

    with ThreadPoolExecutor(people) as pool:
        answers = list(pool.map(edit, range(people)))
    assert sorted(code for code, _ in answers) == [200] + [409] * (people - 1)
    kept = text_of(world.alice, memory)
    for number, (code, page) in enumerate(answers):
        assert kept in page and (code == 200 or f"I like tea number {number}</textarea>" in page)
    with scoped(world.alice):
        assert Memory.objects.get(id=memory.id).version == 2, "nobody wrote over another"


@pytest.mark.parametrize(("old", "new", "changed"), [
    ("I live in Oslo", "I live in Bergen", [("Oslo", "removed"), ("Bergen", "added")]),
    ("我住在杭州", "我住在苏州", [("杭", "removed"), ("苏", "added")]),
    ("a\u200bb", "ab", [("a", "removed"), ("U+200B", "removed"), ("b", "removed"), ("ab", "added")]),
    ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧", []),
])  # fmt: skip
def test_a_difference_is_told_by_the_word_and_spells_out_what_is_hidden(
    old: str, new: str, changed: list[tuple[str, str]]
) -> None:
    found = difference(old, new)
    assert [(piece.text, piece.how) for piece in found if piece.how != "same"] == changed
    assert "".join(piece.text for piece in found if piece.how != "removed") == new


@pytest.mark.parametrize(("language", "said"), [("en", "one of 2 that contradict each other"), ("zh-hans", "相互矛盾的 2 条之一")])
def test_a_machine_s_reason_is_in_the_reader_s_language(language: str, said: str) -> None:
    with override(language):
        assert labels.reason("one of 2 that contradict each other") == said
        assert labels.reason("她说的 one of 2") == "她说的 one of 2"


def test_the_figures_count_what_was_done_on_the_reader_s_own_days(world: World) -> None:
    memory = remember(world.alice, "tea")
    remember(world.bob, "茶")
    shown(client(world.mei).post(address(world, memory, "pin"), REASON))
    with scoped(world.mei):
        found = figures(world.mei)
        assert found.totals == {"noted": 2, "repeated": 0, "corrected": 1, "decided": 0, "forgotten": 0, "looked": 1}
        assert sum(found.counts["noted"][:-1]) == 0 and len(found.days) == 28
        later = figures(world.mei, timezone.now() + timedelta(days=28))
        assert set(later.totals.values()) == {0}
    table = shown(client(world.mei).get("/staff/insights/?as=csv")).splitlines()
    assert table[0] == "day,noted,repeated,corrected,decided,forgotten,looked" and table[-1].endswith(",2,0,1,0,0,1")
    with override("zh-hans"):  # what a request chooses would outlast it here
        page = shown(client(world.mei).get("/staff/insights/", headers={"accept-language": "zh-hans"}))
    assert "每日" in page and 'aria-label="已记下：共 2，一天最多 2"' in page
