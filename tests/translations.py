"""The catalogue of the Chinese interface: what must be translated, and what the committed files hold.

`python -m tests.translations` brings the catalogue up to date with the sources (new texts come in empty, unused ones
go) and compiles it; no gettext is needed.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import polib
from babel.messages.extract import DEFAULT_KEYWORDS, extract_python
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
PO = ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
MO = PO.with_suffix(".mo")
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None, "gettext_noop": None, "ngettext_lazy": (1, 2), "pgettext_lazy": ((1, "c"), 2),
}  # fmt: skip
ELSEWHERE: dict[str, str] = dict.fromkeys((
    "Email",
    "Email address",
    "Email (optional)",
    "Password (again)",
    "The username and/or password you specified are not correct.",
    "The email address and/or password you specified are not correct.",
    "Too many failed login attempts. Try again later.",
    "Forgotten your password? Enter your email address below, and we'll send you an email allowing you to reset it.",
    "Please contact us if you have any trouble resetting your password.",
    "Email Addresses",
    "Add Email Address",
    "Add Email",
    "The following email addresses are associated with your account:",
    "You currently do not have any email address set up. You should really add an email address so you can receive "
    "notifications, reset your password, etc.",
), "") | {
    "This password is too short. It must contain at least %d character.":
        "This password is too short. It must contain at least %d characters.",
}  # fmt: skip
"""Texts of installed packages (and their plurals) that lack a translation or that we say in words of our own."""
_PLACE = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
Key = tuple[str, str, str]
"""Context, singular, plural ("" where there is none)."""


def wanted() -> dict[Key, list[str]]:
    """Every text that the sources mark, with the files that it stands in."""
    found: dict[Key, list[str]] = {("", text, plural): ["tests/translations.py"] for text, plural in ELSEWHERE.items()}
    for path in _sources():
        name = path.relative_to(ROOT).as_posix()
        for key in _texts(path):
            found.setdefault(key, [])
            if name not in found[key]:
                found[key].append(name)
    return found


def held() -> dict[Key, polib.POEntry]:
    """Every entry of the committed catalogue, without those that are commented out."""
    return {_key(entry): entry for entry in polib.pofile(str(PO)) if not entry.obsolete}


def compiled(path: Path) -> dict[Key, tuple[str, ...]]:
    """What the entries of a .po or .mo file say."""
    entries = polib.mofile(str(path)) if path.suffix == ".mo" else polib.pofile(str(path)).translated_entries()
    return {_key(entry): _said(entry) for entry in entries}


def places(text: str) -> list[str]:
    """The placeholders of a text, sorted."""
    return sorted(_PLACE.findall(text))


def update() -> int:
    """Write the catalogue anew from the sources, keep what was translated, compile; returns how many are missing."""
    old = held() if PO.exists() else {}
    catalogue = polib.POFile(wrapwidth=110)
    catalogue.metadata = {
        "Project-Id-Version": "Kith", "Language": "zh_Hans", "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=1; plural=0;",
    }  # fmt: skip
    for key, files in sorted(wanted().items(), key=lambda item: (item[1][0], item[0])):
        context, text, plural = key
        entry = polib.POEntry(msgid=text, msgctxt=context or None, occurrences=[(name, "") for name in files])
        if plural:
            entry.msgid_plural = plural
            entry.msgstr_plural = dict(old[key].msgstr_plural) if key in old else {0: ""}
        else:
            entry.msgstr = old[key].msgstr if key in old else ""
        if "%(" in text:
            entry.flags.append("python-format")
        catalogue.append(entry)
    PO.parent.mkdir(parents=True, exist_ok=True)
    catalogue.save(str(PO))
    catalogue.save_as_mofile(str(MO))
    return len(catalogue.untranslated_entries())


def _sources() -> Iterator[Path]:
    yield from sorted((ROOT / "templates").rglob("*.html"))
    for room in ("assistant", "memory", "profiles"):
        yield from sorted(path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


def _texts(path: Path) -> Iterator[Key]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        source = templatize(source, origin=str(path))
    for _, function, text, _ in extract_python(io.BytesIO(source.encode()), list(KEYWORDS), [], {"encoding": "utf-8"}):
        parts = [text] if isinstance(text, str) else [part for part in text if part is not None]
        if not parts or not parts[0]:
            continue
        context = parts.pop(0) if function and "pgettext" in function else ""
        yield context, parts[0], parts[1] if function and function.startswith("n") and len(parts) > 1 else ""


def _key(entry: polib.POEntry | polib.MOEntry) -> Key:
    return entry.msgctxt or "", entry.msgid, entry.msgid_plural or ""


def _said(entry: polib.POEntry | polib.MOEntry) -> tuple[str, ...]:
    return tuple(entry.msgstr_plural.values()) if entry.msgid_plural else (entry.msgstr,)


if __name__ == "__main__":
    missing = update()
    print(f"{missing} texts have no translation yet" if missing else "everything is translated")
    sys.exit(1 if missing else 0)
