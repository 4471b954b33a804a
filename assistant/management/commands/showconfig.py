"""Every setting with its value and where it comes from; secrets are masked."""

import json
import os
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

EXAMPLE = Path(settings.BASE_DIR) / ".env.example"
ELSEWHERE = {"DEBUG": "DEMO", "ALLOWED_ORIGINS": "ORIGINS"}
"""Settings whose name in the environment is another one."""
MASK = "••••"
_SECRET = re.compile(r"SECRET|KEY|PASSWORD|TOKEN")
_LOGIN = re.compile(r"(?<=://)([^/@:]*):[^/@]*@")
_QUERY = re.compile(r"\?.*")


class Command(BaseCommand):
    help = "Show the value and the origin (environment, .env or default) of every setting; secrets are masked."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"settings": [{"name", "value", "origin"}]}`."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """The names are those of `.env.example`, which lists all of them."""
        rows = [{"name": name, "value": shown(name), "origin": origin(name)} for name in names()]
        if options["json"]:
            self.stdout.write(json.dumps({"settings": rows}, ensure_ascii=False))
            return
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            self.stdout.write(f"{row['name']:<{width}}  {row['origin']:<11}  {row['value']}")


def names() -> list[str]:
    """Every setting, in the order of `.env.example`."""
    return re.findall(r"^#?([A-Z][A-Z_]+)=", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE)


def origin(name: str) -> str:
    """`environment`, `.env` or `default`."""
    return "environment" if name in settings.GIVEN else ".env" if name in os.environ else "default"


def shown(name: str) -> str:
    """What holds, as one line; of a secret only that there is one."""
    value = getattr(settings, ELSEWHERE.get(name, name), None)
    if value is None:
        value = os.environ.get(name, "")
    if _SECRET.search(name):
        return MASK if value else ""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return _QUERY.sub(f"?{MASK}", _LOGIN.sub(rf"\1:{MASK}@", text)) if "://" in text else text
