"""The file of an export: one zip, for each community a JSON file for machines and a Markdown one for people."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.translation import gettext as _

from assistant.exporting.parts import PARTS, Rows
from profiles.access import Reader, scoped

FORMAT = 1
"""Of the JSON file; a higher one has other names."""
Gathered = dict[str, Rows]
SKIPPED = ("id", "conversation_id", "member", "target")
"""Columns that only tie rows together."""


def gather(reader: Reader, tell: Callable[[int], None] = lambda done: None) -> Gathered:
    """Each part in a unit of work of its own, so that an erasure need not wait; `tell` hears of per cents."""
    found = {}
    for number, (name, read) in enumerate(PARTS.items(), 1):
        with scoped(reader):
            found[name] = read(reader)
        tell(100 * number // len(PARTS))
    return found


def write(path: Path, gathered: dict[str, Gathered]) -> None:
    """Community → what was gathered; only its owner on the machine can read it. In the language of the moment."""
    with (
        os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as handle,
        zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for community, found in gathered.items():
            whole = {"format": FORMAT, "community": community, **found}
            said = json.dumps(whole, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
            packed.writestr(f"{community}/data.json", said)
            packed.writestr(f"{community}/export.md", "\n".join(_markdown(community, found)) + "\n")


def _markdown(community: str, found: Gathered) -> Iterator[str]:
    yield f"# {_('What is kept about you')}: {community}"
    yield ""
    yield _("The file data.json beside this one holds the same, and more, for programs.")
    yield from _listed(_("Account and profile"), found["account"] + found["addresses"] + found["profile"])
    yield from _listed(_("Changes of the profile"), found["profile_changes"])
    yield from _memories(found["memories"])
    yield from _talks(found)
    titles = {
        "summaries": _("Summaries"), "overviews": _("Overviews"), "episodes": _("Past exchanges that can be found"),
        "notes": _("The assistant's notes"), "notes_before": _("Earlier notes"), "entities": _("Things you named"),
        "feedback": _("Feedback"), "deletion_requests": _("Deletion requests"),
        "audit": _("What was done with your data, and who looked at it"),
    }  # fmt: skip
    for name, title in titles.items():
        yield from _listed(title, found[name])


def _listed(title: str, rows: Rows) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    for row in rows:
        said = (f"{name}: {_line(value)}" for name, value in row.items() if name not in SKIPPED and _says(value))
        yield f"- {' · '.join(said)}"
    if not rows:
        yield _("Nothing.")


def _memories(rows: Rows) -> Iterator[str]:
    yield from ("", f"## {_('Memories')}", "")
    for row in rows:
        if "text" not in row:
            yield f"- {_('Forgotten')}: {row['left_at']:%Y-%m-%d}"
            continue
        yield f"- {_line(row['text'])} ({row['status']}, {row['created_at']:%Y-%m-%d})"
        yield from (f"  - “{_line(one['quote'])}” ({one['at']:%Y-%m-%d})" for one in row["sources"] if one["quote"])
        earlier = [one for one in row["versions"] if one["text"] and one["text"] != row["text"]]
        yield from (f"  - {_('Before')}: {_line(one['text'])} ({one['at']:%Y-%m-%d})" for one in earlier)
    if not rows:
        yield _("Nothing.")


def _talks(found: Gathered) -> Iterator[str]:
    yield from ("", f"## {_('Conversations')}")
    for talk in found["conversations"]:
        yield from ("", f"### {_line(talk['title'])}", "")
        for turn in found["turns"]:
            if turn["conversation_id"] == talk["id"]:
                yield from (f"**{turn['asked_at']:%Y-%m-%d %H:%M}** {turn['question']}", "", turn["answer"], "")


def _says(value: Any) -> bool:
    return value not in (None, "", [], {})


def _line(value: Any) -> str:
    return " ".join(str(value).split())
