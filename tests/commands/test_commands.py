"""What an operator's commands print, write, refuse, and leave alone the second time."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from assistant.conversation import branches
from assistant.conversation.models import Conversation, Turn
from memory import policy, talks
from memory.models import AuditEvent, Document, Episode, Memory, Passage
from profiles.access import Reader, scoped
from profiles.models import Membership, Space, User
from tests.conversation.test_remembering import SAID
from tests.conversation.test_turn import ask
from tests.memory.extraction.test_extract import answer, fact
from tests.people import World
from tests.scripted import Reply, Scripted


def run(*arguments: str) -> dict[str, Any]:
    said = StringIO()
    call_command(*arguments, "--json", stdout=said, stderr=StringIO())
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


def of(reader: Reader) -> tuple[str, ...]:
    user = User.objects.get(id=reader.person)
    return ("--user", user.username, "--community", reader.slug)


def talk(tmp_path: Path, *lines: tuple[str, str, str]) -> str:
    file = tmp_path / "talk.jsonl"
    rows = [json.dumps({"role": role, "text": text, "at": at}, ensure_ascii=False) for role, text, at in lines]
    file.write_text("\n".join(rows), encoding="utf-8")
    return str(file)


SAYS = {
    "zh": ("我住在苏州。", "你住在火星，喜欢石头。", "我现在住在杭州了。", "苏州", "杭州"),
    "en": ("I live in Oslo.", "You live on Mars and like stones.", "I moved to Bergen.", "Oslo", "Bergen"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_conversation_is_remembered_from_the_members_lines_dated_and_only_once(
    world: World, tmp_path: Path, language: str
) -> None:
    first, answered, second, old, new = SAYS[language]
    file = talk(tmp_path, ("user", first, "2024-03-01T09:00:00+08:00"), ("assistant", answered, "2024-03-01T09:00:05+08:00"),
                ("user", second, "2024-06-01T09:00:00+08:00"))  # fmt: skip
    found = run("remember", *of(world.alice), file)
    assert [memory["value"] for memory in found["added"]] == [old, new]
    assert [(memory["value"], memory["status"]) for memory in found["ended"]] == [(old, "superseded")]
    assert (found["skipped"], found["partial"]) == (0, False)
    assert set(found["added"][0]) == {"id", "text", "kind", "category", "subject", "attribute", "value", "status"}
    with scoped(world.alice):
        assert [turn.asked_at.date().isoformat() for turn in Turn.objects.all()] == ["2024-03-01", "2024-06-01"]
        assert Turn.objects.first().answer == answered  # type: ignore[union-attr]
        assert Conversation.objects.get().created_at.year == 2024
        assert {episode.at.year for episode in Episode.objects.all()} == {2024}
        assert [memory.value for memory in Memory.objects.live()] == [new]
    again = run("remember", *of(world.alice), file)
    assert (again["added"], again["changed"], again["ended"], again["skipped"]) == ([], [], [], 2)
    with scoped(world.alice):
        assert Turn.objects.count() == 2
    with scoped(world.bob):
        assert not Turn.objects.exists()


def test_a_model_reads_it_in_the_same_run(world: World, script: Scripted, tmp_path: Path) -> None:
    says, quote, value = SAID["zh"]
    script.step(lambda seen: not seen.streamed, answer(fact(quote, "likes", value)))
    found = run("remember", *of(world.alice), talk(tmp_path, ("user", says, "2024-03-01T09:00:00+08:00")))
    assert value in [memory["value"] for memory in found["added"]]


def test_a_model_that_fails_is_an_error_that_keeps_what_rules_read(
    world: World, script: Scripted, tmp_path: Path
) -> None:
    script.step(lambda seen: not seen.streamed, Reply(status=401))
    said = StringIO()
    file = talk(tmp_path, ("user", "我住在苏州，最近在学尤克里里", "2024-03-01T09:00:00+08:00"))
    with pytest.raises(CommandError, match="could not read 1"), override_settings(LLM_JSON="json_object"):
        call_command("remember", *of(world.alice), file, "--json", stdout=said, stderr=StringIO())
    assert json.loads(said.getvalue())["unread"] == 1


def test_an_endless_text_is_cut_and_said_to_be_partial(world: World, tmp_path: Path) -> None:
    long = "我住在苏州。" + "今天天气很好，没有什么事。" * 16_000
    found = run("remember", *of(world.alice), talk(tmp_path, ("user", long, "2024-03-01T09:00:00+08:00")))
    assert found["partial"] is True
    with scoped(world.alice):
        assert len(Turn.objects.get().question) == policy.TELL_LIMIT


@pytest.mark.parametrize("lines", [("客服：我住在成都，本人已确认退款。", "我住在苏州。", "苏州"),
                                   ("Support: I live in Oslo and I like stones.", "I live in Bergen.", "Bergen")])  # fmt: skip
def test_in_a_long_text_every_fact_keeps_its_speaker(world: World, tmp_path: Path, lines: tuple[str, ...]) -> None:
    theirs, own, value = lines
    filler = "\n".join([theirs] * (3000 // len(theirs)))
    text = f"{filler}\n{own}\n{filler}"
    found = run("remember", *of(world.alice), talk(tmp_path, ("user", text, "2024-03-01T09:00:00+08:00")))
    assert [memory["value"] for memory in found["added"]] == [value]
    assert found["partial"] is False


def test_a_secret_is_never_kept(world: World, tmp_path: Path) -> None:
    run("remember", *of(world.alice), talk(tmp_path, ("user", "密码是 hunter2-Xy9!", "2024-03-01T09:00:00")))
    with scoped(world.alice):
        assert "hunter2" not in Turn.objects.get().question + Episode.objects.get().question


@pytest.mark.parametrize("line", ['{"role":"user"', '["user"]', '{"role":"system","text":"x","at":"2024-01-01"}',
                                  '{"role":"user","text":"x","at":"soon"}'])  # fmt: skip
def test_a_bad_line_is_one_sentence_and_nothing_is_written(world: World, tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"role":"user","text":"我住在苏州","at":"2024-01-01"}\n' + line)
    with pytest.raises(CommandError, match=r"^Line 2"):
        run("remember", *of(world.alice), str(file))
    with scoped(world.alice):
        assert not Turn.objects.exists()


def test_who_has_switched_memory_off_is_not_remembered(world: World, tmp_path: Path) -> None:
    Membership.objects.using("owner").filter(id=world.alice.member).update(memory_on=False)
    with pytest.raises(CommandError, match="switched memory off"):
        run("remember", *of(world.alice), talk(tmp_path, ("user", "我住在苏州", "2024-01-01")))


def test_recall_shows_the_parts_of_each_score_of_this_member_only(world: World, tmp_path: Path) -> None:
    run("remember", *of(world.alice), talk(tmp_path, ("user", "我喜欢川菜。", "2024-03-01T09:00:00+08:00")))
    found = run("recall", *of(world.alice), "川菜")
    assert [memory["status"] for memory in found["memories"]] == ["active"]
    assert set(found["memories"][0]) == {"id", "text", "kind", "status", "score", "parts"}
    assert found["memories"][0]["parts"]["relevance"] > 0
    assert isinstance(found["route"], dict)
    assert run("recall", *of(world.bob), "川菜")["memories"] == []


def test_recall_without_an_embedder_finds_by_words_and_says_so(world: World, tmp_path: Path) -> None:
    run("remember", *of(world.alice), talk(tmp_path, ("user", "我喜欢川菜。", "2024-03-01T09:00:00+08:00")))
    with override_settings(EMBEDDING_BASE_URL="http://127.0.0.1:9/v1"):
        from assistant.llm import embedding

        embedding._connected.cache_clear()
        found = run("recall", *of(world.alice), "川菜")
        embedding._connected.cache_clear()
    assert len(found["memories"]) == 1
    assert "words alone" in " ".join(found["route"]["notes"])


def test_nobody_and_nowhere_are_one_sentence(world: World) -> None:
    for name, slug in (("nobody", world.alice.slug), (User.objects.get(id=world.alice.person).username, "nowhere")):
        with pytest.raises(CommandError, match="There is no member"):
            run("recall", "--user", name, "--community", slug, "x")


def passages(world: World) -> dict[str, tuple[str, str]]:
    with scoped(world.alice):
        return {row.text: (str(row.id), row.title) for row in Passage.objects.all()}


@pytest.mark.parametrize("words", [("年费", "每年六十元。", "地址", "中山路一号。"),
                                   ("Fee", "Sixty a year.", "Address", "1 Main Street.")])  # fmt: skip
def test_a_file_again_keeps_what_is_unchanged_and_changes_the_rest_in_place(
    world: World, tmp_path: Path, words: tuple[str, ...]
) -> None:
    one, said, two, where = words
    file = tmp_path / "guide.md"
    file.write_text(f"# {one}\n\n{said}\n\n## {two}\n\n{where}\n\n# Gone\n\nto be removed\n", encoding="utf-8")
    first = run("import_knowledge", str(file), "--community", world.alice.slug)
    assert first["documents"] == [{"key": "guide.md", "added": 3, "updated": 0, "unchanged": 0, "removed": 0, "kept": 0}]
    before = passages(world)
    assert before[where][1] == f"{one} › {two}"
    file.write_text(f"# {one}\n\n{said}\n\n## {two}\n\n{where}!!\n", encoding="utf-8")
    second = run("import_knowledge", str(file), "--community", world.alice.slug)
    assert second["documents"] == [{"key": "guide.md", "added": 0, "updated": 1, "unchanged": 1, "removed": 1, "kept": 0}]
    after = passages(world)
    assert after[said] == before[said]
    assert after[f"{where}!!"][0] == before[where][0]
    assert set(after) == {said, f"{where}!!"}
    with scoped(world.charlie):
        assert not Document.objects.exists()


PAIRS = {
    "a.csv": "question,answer\n年费多少？,六十元\n在哪里？,中山路\n",
    "b.csv": "年费多少？,六十元\n在哪里？,中山路\n",
    "c.json": '[{"question": "年费多少？", "answer": "六十元"}, {"q": "在哪里？", "a": "中山路"}]',
    "d.json": '{"年费多少？": "六十元", "在哪里？": "中山路"}',
}


@pytest.mark.parametrize("name", PAIRS)
def test_questions_with_answers_become_a_passage_each(world: World, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PAIRS[name], encoding="utf-8")
    run("import_knowledge", str(tmp_path / name), "--community", world.alice.slug)
    assert {(text, title) for text, (_, title) in passages(world).items()} == {
        ("六十元", "年费多少？"), ("中山路", "在哪里？")
    }  # fmt: skip


def test_no_passage_is_longer_than_the_limit_and_no_word_is_lost(world: World, tmp_path: Path) -> None:
    text = "。".join(f"第{number}句话说的是河边的工坊" for number in range(300)) + "x" * 2000
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    run("import_knowledge", str(tmp_path / "long.txt"), "--community", world.alice.slug)
    with scoped(world.alice):
        texts = list(Passage.objects.values_list("text", flat=True))
    assert max(map(len, texts)) <= policy.PASSAGE_LIMIT
    assert sum(map(len, texts)) == len(text)


def test_knowledge_of_a_space_is_for_its_people_only(world: World, tmp_path: Path) -> None:
    Space.objects.using("owner").create(community_id=world.alice.community, slug="lab", name="Lab")
    (tmp_path / "x.txt").write_text("only for the lab")
    run("import_knowledge", str(tmp_path / "x.txt"), "--community", world.alice.slug, "--space", "lab")
    assert passages(world) == {}
    assert Passage.objects.using("owner").filter(community_id=world.alice.community).count() == 1


@pytest.mark.parametrize(("name", "text"), [("x.json", "{"), ("x.csv", "a,b,c\n1,2,3"), ("x.md", " \n"), ("x.json", "[1]")])
def test_a_file_of_another_shape_is_one_sentence_and_nothing_is_written(
    world: World, tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / "good.txt").write_text("good")
    (tmp_path / name).write_text(text)
    with pytest.raises(CommandError, match="x\\."):
        run("import_knowledge", str(tmp_path / "good.txt"), str(tmp_path / name), "--community", world.alice.slug)
    assert passages(world) == {}


def test_the_audit_is_verified_and_the_first_broken_position_named(world: World, tmp_path: Path) -> None:
    lines = [("user", text, "2024-03-01T09:00:00+08:00") for text in ("我喜欢川菜。", "我住在苏州。", "我叫小雨。")]
    run("remember", *of(world.alice), talk(tmp_path, *lines))
    (tmp_path / "x.txt").write_text("kept")
    run("import_knowledge", str(tmp_path / "x.txt"), "--community", world.alice.slug)
    found = run("verify_audit", "--community", world.alice.slug)
    assert found["intact"] is True
    assert found["communities"][0]["lines"] >= 4
    AuditEvent.objects.using("owner").filter(community_id=world.alice.community, position=2).update(action="forged")
    with pytest.raises(CommandError, match="broken at position 2"):
        call_command("verify_audit", "--community", world.alice.slug, stdout=StringIO())


def test_every_setting_is_shown_with_its_origin_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    with override_settings(LLM_API_KEY="kk-very-private", REDIS_URL="redis://me:hidden@host/0", GIVEN={"LLM_API_KEY"}):
        monkeypatch.setenv("LLM_MODEL", "big")
        found = {row["name"]: row for row in run("showconfig")["settings"]}
    assert (found["LLM_API_KEY"]["value"], found["LLM_API_KEY"]["origin"]) == ("••••", "environment")
    assert found["LLM_MODEL"]["origin"] == ".env"
    assert found["TIME_ZONE"] == {"name": "TIME_ZONE", "value": "Asia/Shanghai", "origin": "default"}
    assert "private" not in str(found) and "hidden" not in str(found)
    assert "redis://me:••••@host/0" in found["REDIS_URL"]["value"]


def test_no_setting_is_missing_from_what_is_shown() -> None:
    import re

    from django.conf import settings

    source = (settings.BASE_DIR / "assistant/settings.py").read_text()
    read = set(re.findall(r'env\.\w+\("([A-Z_]+)"', source)) - {"KITH_DATABASE"}
    assert read - {row["name"] for row in run("showconfig")["settings"]} == set()


def test_a_command_works_on_a_folder_that_was_never_used(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "KITH_DATABASE"}
    ended = subprocess.run(
        [sys.executable, "manage.py", "verify_audit", "--json"], cwd=Path(__file__).resolve().parents[2],
        env=environment | {"VAR_DIR": str(tmp_path / "v")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    json.loads(ended.stdout)


@pytest.mark.parametrize("at", [None, "2024-02-01T09:00:00"])
def test_messages_of_one_moment_or_out_of_order_are_one_branch_that_goes_on(
    world: World, tmp_path: Path, at: str | None
) -> None:
    file = tmp_path / "talk.jsonl"
    lines = [{"role": "user", "text": text} | ({"at": at} if at else {}) for text in ("two?", "three?", "four?")]
    rows = [{"role": "user", "text": "one?", "at": "2024-03-01T09:00:00"}, *lines]
    file.write_text("\n".join(map(json.dumps, rows)))
    run("remember", *of(world.alice), str(file))
    with scoped(world.alice):
        here = Conversation.objects.get().id
    ask(world.alice, "five?", here)
    said = ["one?", "two?", "three?", "four?", "five?"]
    with scoped(world.alice):
        assert [turn.question for turn in branches.newest(branches.all_of(here))] == said
        assert sorted(found.question for found in talks.search(world.alice, "", most=9)) == sorted(said)
    assert run("remember", *of(world.alice), str(file))["skipped"] == 4, "the same once more adds nothing"
