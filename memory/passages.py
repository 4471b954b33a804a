"""Texts and question–answer lists → passages that can be cited: cut at headings, paragraphs and sentences."""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from memory import html_text, policy
from memory.extraction import worth

TITLE = 200
"""Code points of a title."""
_BELOW = " › "
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_SENTENCE = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)(?=\s)")
_QUESTION = ("question", "q", "问题", "问", "title", "标题")
_ANSWER = ("answer", "a", "答案", "答", "回答", "text", "正文")


_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ", b"%PDF")
"""How files begin that would have to be unpacked first: what comes out of one can be of any size."""
_BOTH = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
Row = tuple[int, Any, Any]
"""Its number, a question and an answer, as they were read."""


class Unreadable(Exception):
    """Not a file of the shape that its name says; `problems` are sentences, one for each row that is wrong."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage to be."""

    title: str
    text: str


def text_of(name: str, raw: bytes) -> str:
    """The text of a file; raises `Unreadable`."""
    if raw.startswith(_ARCHIVES):
        raise Unreadable(_("%(name)s is no text; archives are not unpacked.") % {"name": name})
    for encoding in ("utf-16",) if raw.startswith(_BOTH) else ("utf-8-sig", "gb18030"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text
    raise Unreadable(_("%(name)s is not text in UTF-8 or GB 18030.") % {"name": name})


def pieces(name: str, text: str) -> list[Piece]:
    """The passages of a file, by the ending of its name; raises `Unreadable`."""
    stem, _dot, ending = name.rpartition(".")
    stem, ending = stem or name, ending.lower()
    if ending in ("json", "csv"):
        found = _answers(name, _json(name, text) if ending == "json" else _csv(name, text))
    elif ending in ("html", "htm"):
        found = list(_sections(stem, html_text.lines(text)))
    else:
        found = list(_sections(stem, _lines(text, marked=ending in ("md", "markdown"))))
    if not found:
        raise Unreadable(_("%(name)s holds nothing to keep.") % {"name": name})
    return found


def _lines(text: str, *, marked: bool) -> Iterator[tuple[int, str]]:
    """Line by line, with the depth of those that are headings."""
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(marked and _FENCE.match(line))
        heading = _HEADING.match(line) if marked and not fenced else None
        yield (len(heading[1]), heading[2]) if heading else (0, line)


def _sections(stem: str, lines: Iterable[tuple[int, str]]) -> Iterator[Piece]:
    path: list[tuple[int, str]] = []
    body: list[str] = []
    for depth, line in lines:
        if not depth:
            body.append(line)
            continue
        yield from _cut(_title(path) or stem, "\n".join(body))
        body = []
        path = [*((above, words) for above, words in path if above < depth), (depth, line)]
    yield from _cut(_title(path) or stem, "\n".join(body))


def _title(path: list[tuple[int, str]]) -> str:
    return _BELOW.join(words for _, words in path)


def question(title: str) -> str:
    """What a title asks, without the headings above it; "": it asks nothing."""
    asked = title.rpartition(_BELOW)[2]
    return asked if worth.asks(asked) else ""


def _cut(title: str, text: str) -> Iterator[Piece]:
    """Paragraphs joined up to the limit; one that is longer is cut between sentences, a longer sentence anywhere."""
    held = ""
    for part in _parts(text):
        joined = f"{held}\n\n{part}" if held else part
        if len(joined) > policy.PASSAGE_LIMIT:
            yield Piece(title[:TITLE], held)
            joined = part
        held = joined
    if held:
        yield Piece(title[:TITLE], held)


def _parts(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        held = ""
        for sentence in _SENTENCE.split(paragraph.strip("\n").rstrip()):
            for start in range(0, len(sentence), policy.PASSAGE_LIMIT):
                bit = sentence[start : start + policy.PASSAGE_LIMIT]
                if len(held) + len(bit) > policy.PASSAGE_LIMIT:
                    yield held.strip()
                    held = ""
                held += bit
        if held.strip():
            yield held.strip("\n").rstrip()


def _answers(name: str, rows: Iterable[Row]) -> list[Piece]:
    """All of them, or all that is wrong with them."""
    found: list[Piece] = []
    wrong: list[str] = []
    for number, question, answer in rows:
        if all(isinstance(said, str) and said.strip() for said in (question, answer)):
            asked = " ".join(question.split())
            found += _cut(asked, answer.strip() if len(asked) <= TITLE else f"{asked}\n{answer.strip()}")
        else:
            said = {"name": name, "number": number}
            wrong.append(_("%(name)s: entry %(number)d lacks a question or an answer.") % said)
    if wrong:
        raise Unreadable(*wrong)
    return found


def _csv(name: str, text: str) -> Iterator[Row]:
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in row)]
    except csv.Error as problem:
        raise Unreadable(_("%(name)s is no CSV: %(problem)s.") % {"name": name, "problem": problem}) from problem
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    columns = _column(head, _QUESTION), _column(head, _ANSWER)
    named = None not in columns
    if not named and any(len(row) != 2 for row in rows):
        raise Unreadable(_("%(name)s needs a column “question” and a column “answer”.") % {"name": name})
    asked, said = columns if named else (0, 1)
    for number, row in enumerate(rows[1:] if named else rows, 2 if named else 1):
        yield number, dict(enumerate(row)).get(asked or 0), dict(enumerate(row)).get(said or 0)


def _json(name: str, text: str) -> Iterator[Row]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(_("%(name)s is no JSON.") % {"name": name}) from problem
    if isinstance(found, dict) and isinstance(found.get("items"), list):
        found = found["items"]
    if isinstance(found, dict):
        found = [{"question": question, "answer": answer} for question, answer in found.items()]
    if not isinstance(found, list):
        raise Unreadable(_("%(name)s must be a list of questions with their answers.") % {"name": name})
    for number, row in enumerate(found, 1):
        fields = {str(key).strip().lower(): value for key, value in row.items()} if isinstance(row, dict) else {}
        asked, said = (next((fields[key] for key in keys if key in fields), None) for keys in (_QUESTION, _ANSWER))
        yield number, asked, said


def _column(head: list[str], names: tuple[str, ...]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)
