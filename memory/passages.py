"""Texts and question–answer lists → passages that can be cited: cut at headings, paragraphs and sentences."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory import policy

TITLE = 200
"""Code points of a title."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_SENTENCE = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)(?=\s)")
_QUESTION = ("question", "q", "问题", "问", "title", "标题")
_ANSWER = ("answer", "a", "答案", "答", "回答", "text", "正文")


class Unreadable(Exception):
    """Not a file of the shape that its name says; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage to be."""

    title: str
    text: str


def pieces(name: str, text: str) -> list[Piece]:
    """The passages of a file, by the ending of its name; raises `Unreadable`."""
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    stem = name.rsplit(".", 1)[0]
    if ending in ("json", "csv"):
        found = list(_answers(_json(name, text) if ending == "json" else _csv(name, text)))
    else:
        found = list(_sections(stem, text, marked=ending in ("md", "markdown")))
    if not found:
        raise Unreadable(f"{name} holds nothing to keep.")
    return found


def _sections(stem: str, text: str, *, marked: bool) -> Iterator[Piece]:
    path: list[tuple[int, str]] = []
    body: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(marked and _FENCE.match(line))
        heading = _HEADING.match(line) if marked and not fenced else None
        if heading is None:
            body.append(line)
            continue
        yield from _cut(_title(path) or stem, "\n".join(body))
        body = []
        path = [*((depth, words) for depth, words in path if depth < len(heading[1])), (len(heading[1]), heading[2])]
    yield from _cut(_title(path) or stem, "\n".join(body))


def _title(path: list[tuple[int, str]]) -> str:
    return " › ".join(words for _, words in path)


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


def _answers(pairs: Iterator[tuple[str, str]]) -> Iterator[Piece]:
    for question, answer in pairs:
        whole = answer if len(question) <= TITLE else f"{question}\n{answer}"
        yield from _cut(question, whole)


def _csv(name: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in row)]
    except csv.Error as problem:
        raise Unreadable(f"{name} is no CSV: {problem}.") from problem
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    columns = _column(head, _QUESTION), _column(head, _ANSWER)
    named = None not in columns
    if not named and any(len(row) != 2 for row in rows):
        raise Unreadable(f"{name} needs a column “question” and a column “answer”.")
    asked, said = columns if named else (0, 1)
    for number, row in enumerate(rows[1:] if named else rows, 2 if named else 1):
        yield _pair(name, number, dict(enumerate(row)).get(asked or 0), dict(enumerate(row)).get(said or 0))


def _json(name: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"{name} is no JSON.") from problem
    if isinstance(found, dict) and isinstance(found.get("items"), list):
        found = found["items"]
    if isinstance(found, dict):
        found = [{"question": question, "answer": answer} for question, answer in found.items()]
    if not isinstance(found, list):
        raise Unreadable(f"{name} must be a list of questions with their answers.")
    for number, row in enumerate(found, 1):
        if not isinstance(row, dict):
            raise Unreadable(f"{name}: entry {number} is not a question with its answer.")
        fields = {str(key).strip().lower(): value for key, value in row.items()}
        asked, said = (next((fields[key] for key in keys if key in fields), None) for keys in (_QUESTION, _ANSWER))
        yield _pair(name, number, asked, said)


def _column(head: list[str], names: tuple[str, ...]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _pair(name: str, number: int, question: Any, answer: Any) -> tuple[str, str]:
    if not isinstance(question, str) or not isinstance(answer, str) or not question.strip() or not answer.strip():
        raise Unreadable(f"{name}: entry {number} lacks a question or an answer.")
    return " ".join(question.split()), answer.strip()
