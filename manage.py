#!/usr/bin/env python
"""Kith's commands; each starts the embedded services itself if they are needed and not running."""

import os
import sys
from contextlib import nullcontext

WITHOUT_SERVICES = {"help", "makemigrations", "makemessages", "compilemessages", "up", "showconfig"}


def main() -> int:
    """Run one command; a refused folder is one sentence and exit code 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assistant.settings")
    from django.core.management import execute_from_command_line

    from assistant import embedded, settings

    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    needed = settings.SERVICES and command not in WITHOUT_SERVICES and "--help" not in sys.argv
    if command == "verify_receipt" and any(word.startswith("--public-key") for word in sys.argv):
        needed = False  # by a stranger, who has nothing but the receipt and the key
    try:
        with settings.lease() if needed else nullcontext():
            if needed:
                _prepare(command)
            execute_from_command_line(sys.argv)
    except embedded.Refused as refused:
        print(f"Kith: {refused}", file=sys.stderr)
        return 1
    return 0


def _prepare(command: str) -> None:
    """Our own commands find a database that is up to date, on a fresh checkout too."""
    import django
    from django.conf import settings
    from django.core.management import get_commands

    django.setup()
    if get_commands().get(command) == "assistant" and "owner" in settings.DATABASES:
        from assistant import schema

        schema.bring_up_to_date()


if __name__ == "__main__":
    sys.exit(main())
