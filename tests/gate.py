"""Every check and every test, in one run: what `make test` calls."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent


def main() -> int:
    """Run all, even after one has failed; the exit code is non-zero if any has."""
    if not shutil.which("chromium"):
        print("The browser tests need Chromium: install Debian's package `chromium`, then run this again.")
        return 1
    with tempfile.TemporaryDirectory(prefix="kith-") as var:
        environment = os.environ | {"VAR_DIR": var, "DEBUG": "1", "KITH_TESTING": "1"}
        deploy = environment | {
            "DEBUG": "0", "SECRET_KEY": "x" * 30 + "0123456789" * 4, "ALLOWED_ORIGINS": "https://kith.example.org",
        }  # fmt: skip
        checks = {
            "ruff": ([str(BIN / "ruff"), "check", "."], environment),
            "import-linter": ([str(BIN / "lint-imports")], environment),
            "mypy": ([str(BIN / "mypy"), "assistant", "memory", "profiles"], environment),
            "djlint": ([str(BIN / "djlint"), "--profile=django", "--lint", "--ignore=H006,H030,H031,D018", "--quiet",
                        "templates"], environment),
            "migrations": ([PYTHON, "manage.py", "makemigrations", "--check", "--dry-run", "-v0"], environment),
            "deploy": ([PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"], deploy),
            "pytest": ([PYTHON, "-m", "pytest", "-n", "2", "tests", "--ignore", "tests/journeys"], environment),
            # apart: the browser driver keeps an event loop in its process, where the ORM refuses to work
            "journeys": ([PYTHON, "-m", "pytest", "tests/journeys"], environment),
        }  # fmt: skip
        failed = [name for name, (command, where) in checks.items() if not passes(name, command, where)]
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def passes(name: str, command: list[str], environment: dict[str, str]) -> bool:
    """Run one check and say how it went."""
    print(f"== {name}", flush=True)
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
