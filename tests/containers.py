"""The container files, read as an engine would read them."""

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

from tests.product import ROOT

FILE = ROOT / "docker-compose.yml"
NEEDED = re.compile(r"\$\{(\w+):\?\}")
GIVEN = re.compile(r"\$\{(\w+):-([^}]*)\}")


def services(**given: str) -> dict[str, Any]:
    """The services with these values put in; a needed one that is missing raises `KeyError`."""
    text = GIVEN.sub(lambda found: given.get(found[1], found[2]), NEEDED.sub(lambda found: given[found[1]], FILE.read_text()))
    found: dict[str, Any] = yaml.safe_load(text)
    return dict(found["services"])


def needed() -> set[str]:
    """What has no default."""
    return set(NEEDED.findall(FILE.read_text()))


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of the Dockerfile, stage by stage: word and rest of each."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    found: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, rest = line.split(maxsplit=1)
            if word == "FROM":
                found.append([])
            found[-1].append((word, rest))
    return found


def environment() -> dict[str, str]:
    """What the image sets, apart from its path."""
    pairs = [pair for stage in stages() for word, rest in stage if word == "ENV" for pair in shlex.split(rest)]
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs) if name != "PATH"}


def copied(folder: Path) -> list[Path]:
    """The files that `COPY .` takes into the image, by .dockerignore: nothing but what is named there."""
    kept = [line[1:] for line in (folder / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    return [folder / name for name in kept]
