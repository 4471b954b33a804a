"""The steps of the Dockerfile, in a folder instead of an engine: `python -m tests.image`.

Each path of the image becomes one below the folder. Packages of the system are only looked up, accounts are not made; all
else is done as it is written. At the end the image's own Python runs the product's checks from the image's own code.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.containers import copied, environment, stages
from tests.product import ROOT

PATHS = re.compile(r"(?<![\w.])/(?=(?:build|opt/kith|app|var/lib/kith|run/kith)\b)")
CHECKS = (["manage.py", "check", "--deploy", "--fail-level", "WARNING"], ["manage.py", "serve", "--help"],
          ["-m", "assistant.embedder", "--help"])  # fmt: skip


def build(folder: Path) -> None:
    """All stages, one after the other, in the same folder; raises `CalledProcessError` where a step fails."""
    for stage in stages():
        for word, rest in stage:
            if word == "RUN":
                for step in (part.strip() for part in rest.split("&&")):
                    _run(step, folder)
            elif word == "COPY" and "--from" not in rest:
                _copy(*shlex.split(rest), folder)


def check(folder: Path) -> None:
    """The product's own checks, by the image's Python, code and settings."""
    python = folder / "opt/kith/bin/python"
    given = {name: _here(value, folder) for name, value in environment().items()}
    given |= {"DATABASE_URL": "postgres://kith_app@db/kith", "REDIS_URL": "redis://valkey", "EMBEDDER_SOCKET": "/socket"}
    given |= {"PATH": "/usr/bin:/bin", "SECRET_KEY": "0123456789abcdefghij" * 3, "ALLOWED_ORIGINS": "https://kith.example.org"}
    for arguments in CHECKS:
        print("==", *arguments, flush=True)
        subprocess.run([str(python), *arguments], cwd=folder / "app", env=given, check=True, stdout=subprocess.DEVNULL)


def _run(step: str, folder: Path) -> None:
    print("RUN", step, flush=True)
    words = shlex.split(_here(step, folder))
    if words[0] in ("useradd", "rm") or words[:2] == ["apt-get", "update"]:
        return
    if words[0] == "apt-get":
        names = [word for word in words[2:] if not word.startswith("-")]
        subprocess.run(["apt-cache", "show", *names], check=True, stdout=subprocess.DEVNULL)
    elif words[0] == "install":
        for place in (word for word in words if word.startswith(str(folder))):
            Path(place).mkdir(mode=0o700, parents=True)
    else:
        python = [sys.executable] if words[0] == "python" else []
        subprocess.run([*python, *words[len(python) :]], check=True, cwd=folder, env=os.environ)


def _copy(source: str, target: str, folder: Path) -> None:
    print("COPY", source, target, flush=True)
    to = Path(_here(target, folder))
    if source != ".":
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, to)
        return
    to.mkdir(parents=True)
    for path in copied(ROOT):
        if path.is_dir():
            shutil.copytree(path, to / path.name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(path, to / path.name)


def _here(text: str, folder: Path) -> str:
    return PATHS.sub(f"{folder}/", text)


def main() -> None:
    """Build and check; the folder is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="kith-image-") as place:
        build(Path(place))
        check(Path(place))
    print("the image can be built")


if __name__ == "__main__":
    main()
