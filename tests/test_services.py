"""The embedded services: what is refused in one sentence with nothing damaged, and who stops them."""

import os
import shutil
import socket
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from assistant import embedded
from assistant.embedded import Place, Refused

ROOT = Path(__file__).resolve().parents[1]
NONE: frozenset[str] = frozenset()


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(Refused, match="not Kith's"):
        embedded.prepare(Place(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("marker", ['{"format": 99}', "{}", "not json", '{"format": null}'])
def test_a_folder_of_another_layout_is_refused(tmp_path: Path, marker: str) -> None:
    (tmp_path / "kith.json").write_text(marker)
    with pytest.raises(Refused):
        embedded.prepare(Place(tmp_path))
    assert (tmp_path / "kith.json").read_text() == marker


def test_a_data_folder_of_another_postgresql_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    place = Place(tmp_path)
    embedded.prepare(place)
    place.data.mkdir(parents=True)
    (place.data / "PG_VERSION").write_text("16\n")
    with pytest.raises(Refused, match=r"PostgreSQL 16.*18"):
        embedded.prepare(place)
    assert (place.data / "PG_VERSION").read_text() == "16\n"


def test_a_path_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path / ("x" * 120))
    with pytest.raises(Refused, match="too long"):
        embedded.prepare(place)
    assert not place.var.exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("")
    with pytest.raises(Refused, match="not a folder"):
        embedded.prepare(Place(tmp_path / "var"))


def test_a_full_disk_is_refused_before_anything_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**12, 10**12, 1024))
    with pytest.raises(Refused, match="full"), embedded.lease(Place(tmp_path / "var")):
        raise AssertionError("nothing may run")
    assert not (tmp_path / "var" / "postgres").exists()


def test_the_last_one_to_leave_stops_the_services(tmp_path: Path) -> None:
    place = Place(tmp_path / "v")
    wanted = frozenset({embedded.VALKEY, embedded.EMBEDDER})
    with embedded.lease(place, services=wanted):
        with embedded.lease(place, services=wanted):
            assert embedded.valkey_ready(place)
        assert embedded.valkey_ready(place), "somebody still needs it"
        assert embedded.service.ready(place.var)
    assert not embedded.valkey_ready(place)
    assert not embedded.service.ready(place.var)


def test_a_taken_port_is_one_sentence_and_a_non_zero_exit(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        environment = os.environ | {"PORT": str(taken.getsockname()[1]), "VAR_DIR": str(tmp_path / "v")}
        ended = subprocess.run(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    assert ended.returncode == 1
    assert "is taken" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize("command", [["migrate", "--check"], ["up"]])
def test_every_command_refuses_a_foreign_folder_in_one_sentence(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    environment = os.environ | {"VAR_DIR": str(tmp_path), "PORT": "0"}
    ended = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "not Kith's" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
