"""The drill: back up, erase, restore, and nothing of who was erased is back; and what a restore refuses to touch."""

import json
import tarfile
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from assistant import backups, supervisor, tasks
from assistant.erasing import gone, marks, order, plan, sweep
from memory import sealed
from memory.models import Memory
from memory.terms import Status
from profiles.access import Reader, scoped
from profiles.models import User
from tests.caller import Caller
from tests.erasing.test_erasing import lived, only_hers, requested, rows_of
from tests.people import World


@pytest.fixture(autouse=True)
def installation(tmp_path: Path) -> Iterator[Path]:
    """Files of its own: other workers' archive must not be overwritten."""
    var = tmp_path / "var"
    var.mkdir()
    (var / "secret.key").write_text(settings.SECRET_KEY)
    with override_settings(VAR_DIR=var, ARCHIVE_DIR=var / "archive", EXPORT_DIR=var / "exports", EMAIL_FILE_PATH=var / "mail"):
        yield var


def backup(where: Path) -> Path:
    file = where / "kith.tar"
    call_command("backup", "-o", str(file), stdout=StringIO())
    return file


def restore(file: Path, *options: str) -> str:
    said = StringIO()
    call_command("restore", str(file), *options, stdout=said)
    return said.getvalue()


def archived(reader: Reader) -> list[str]:
    """What the archive file of the member says."""
    with scoped(reader):
        rows = Memory.objects.filter(owner_id=reader.member, status=Status.ARCHIVED)
        return sorted(row.text for row in sealed.shown(rows))


def test_back_up_erase_restore_and_nothing_of_hers_is_found(world: World, installation: Path, tmp_path: Path) -> None:
    lived(world.alice)
    lived(world.bob)
    Caller(world.bob)("post", "/exports")
    tasks.export()
    said, before = archived(world.bob), rows_of(world.bob)
    target = plan.Target(world.alice.person, (world.alice.member,), True)
    wanted = marks.Marks(str(world.alice.person), True, (str(world.alice.member), str(world.alice.person)), (), (), (only_hers(world.alice),))
    file = backup(tmp_path)
    assert order.run(requested(world.alice).id).state == "done"
    marked = Path(installation, gone.FILE).read_text()
    assert "1 who had been erased were erased again" in restore(file, "--force")
    assert sweep.look(wanted).traces == {}
    assert rows_of(world.alice) == {part.table: [] for part in plan.parts(target)}
    assert not User.objects.filter(id=world.alice.person).exists() and gone.returned() == []
    assert archived(world.bob) == said != []
    after = rows_of(world.bob)
    assert {table for table in before if before[table] != after[table]} <= {"profiles_export"}, "her files were not in it"
    assert Path(installation, gone.FILE).read_text() == marked
    assert tasks.erase() == 0, "no request is left over"


def test_a_restore_brings_back_what_was_there_and_takes_away_what_came_later(world: World, installation: Path, tmp_path: Path) -> None:
    lived(world.alice)
    before, said = rows_of(world.alice), archived(world.alice)
    file = backup(tmp_path)
    assert oct(file.stat().st_mode)[-3:] == "600" and [path.name for path in tmp_path.glob("kith.tar*")] == ["kith.tar"]
    lived(world.bob)
    Path(installation, "secret.key").unlink()
    for path in Path(installation, "archive").glob(f"{world.alice.member}*"):
        path.unlink()
    assert "0 who had been erased" in restore(file, "--force")
    assert rows_of(world.alice) == before and archived(world.alice) == said
    assert list(Path(installation, "archive").glob(f"{world.bob.member}*")) == []
    assert Path(installation, "secret.key").read_text() == settings.SECRET_KEY
    assert oct(Path(installation, "secret.key").stat().st_mode)[-3:] == "600"
    Caller(world.alice)("get", "/memories")


def test_what_a_backup_does_not_hold(world: World, installation: Path, tmp_path: Path) -> None:
    order.run(requested(world.alice).id)
    with tarfile.open(backup(tmp_path)) as tar:
        names = tar.getnames()
    assert {"manifest.json", "database.dump", "secret.key", "receipts.key"} <= set(names)
    assert [name for name in names if "erased" in name or "mail" in name or "exports" in name] == []
    with pytest.raises(CommandError, match="there already"):
        backup(tmp_path)
    with override_settings(SECRET_KEY="another, set from outside"):
        assert backups.SECRET not in backups.make(tmp_path / "other.tar")["digests"]


def test_it_refuses_a_full_database_and_a_running_product(world: World, tmp_path: Path) -> None:
    lived(world.alice)
    before, file = rows_of(world.alice), backup(tmp_path)
    with pytest.raises(CommandError, match="not empty"):
        restore(file)
    with supervisor.serving(), supervisor.serving(), pytest.raises(CommandError, match="running"):
        restore(file, "--force")
    assert rows_of(world.alice) == before


def test_under_another_key_nobody_could_tell_who_was_erased(world: World, installation: Path, tmp_path: Path) -> None:
    file = backup(tmp_path)
    order.run(requested(world.alice).id)
    with override_settings(SECRET_KEY="a new one"), pytest.raises(CommandError, match="who was erased"):
        restore(file, "--force")
    Path(installation, gone.FILE).unlink()
    with override_settings(SECRET_KEY="a new one"):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(CommandError, match="set that one"):
            patch.setenv("SECRET_KEY", "a new one")
            restore(file, "--force")
        restore(file, "--force")
        assert Path(installation, "secret.key").read_text() == settings.SECRET_KEY, "it goes on with the key of the backup"


def changed(file: Path, change: dict[str, Any], into: Path) -> Path:
    """The same backup, with parts replaced (None: left out)."""
    with tarfile.open(file) as old, tarfile.open(into, "w") as new:
        for entry in old.getmembers():
            content = old.extractfile(entry).read()  # type: ignore[union-attr]
            if entry.name in change:
                if change[entry.name] is None:
                    continue
                content = change[entry.name](content)
            entry.size = len(content)
            new.addfile(entry, BytesIO(content))
    return into


@pytest.mark.parametrize("change", [
    {"database.dump": lambda content: content[:-1] + b"x"}, {"database.dump": lambda content: content[:100]},
    {"secret.key": None}, {"manifest.json": None}, {"manifest.json": lambda content: b"{}"},
    {"manifest.json": lambda content: json.dumps({**json.loads(content), "format": 99}).encode()},
])  # fmt: skip
def test_a_damaged_one_is_refused_and_changes_nothing(world: World, tmp_path: Path, change: dict[str, Any]) -> None:
    lived(world.alice)
    before = rows_of(world.alice)
    file = changed(backup(tmp_path), change, tmp_path / "damaged.tar")
    with pytest.raises(CommandError):
        restore(file, "--force")
    assert rows_of(world.alice) == before


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for name in ("notes.txt", "not-there.tar"):
        with pytest.raises(CommandError, match="can't be read"):
            restore(tmp_path / name)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_where_the_database_cannot_be_filled_what_was_there_is_put_back(
    world: World, installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(world.alice)
    file = backup(tmp_path)
    lived(world.bob)
    before, said = rows_of(world.bob), archived(world.bob)
    program, calls = backups._program, []

    def fails(out: Any, name: str, *arguments: str, **more: Any) -> None:
        if name == "pg_restore" and not calls:
            calls.append(name)
            raise backups.Refused("pg_restore failed: the disk is full")
        program(out, name, *arguments, **more)

    monkeypatch.setattr(backups, "_program", fails)
    with pytest.raises(CommandError, match="disk is full"):
        restore(file, "--force")
    assert rows_of(world.bob) == before and archived(world.bob) == said
    assert sorted(path.name for path in tmp_path.glob("kith.tar*")) == ["kith.tar"]
    Caller(world.bob)("get", "/memories")


def test_the_archive_file_in_a_backup_is_the_one_that_its_database_names(
    world: World, installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(world.alice)
    said, read, replaced = archived(world.alice), backups._read_all, []

    def late(names: Any) -> dict[str, bytes]:
        if not replaced:  # between the snapshot and the reading the night writes a new version
            with scoped(world.alice), sealed._shelf(world.alice.member, world.alice.community):
                replaced.append(True)
        return read(names)

    monkeypatch.setattr(backups, "_read_all", late)
    file = backup(tmp_path)
    for path in Path(installation, "archive").glob("*"):
        path.unlink()
    restore(file, "--force")
    assert replaced and archived(world.alice) == said != []


def test_a_file_that_was_lost_does_not_keep_the_rest_from_being_backed_up(world: World, installation: Path, tmp_path: Path) -> None:
    lived(world.alice)
    for path in Path(installation, "archive").glob(f"{world.alice.member}*"):
        path.unlink()
    with tarfile.open(backup(tmp_path)) as tar:
        assert "database.dump" in tar.getnames()
