"""Benchmark files → who said what when, and questions with what answers them; known by their shape, not their name."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.wording import language

NAMES = ("locomo", "madial-zh", "madial-en", "memorybank-zh", "pairs", "semeval")
_LONG_AGO = datetime(2023, 1, 1, 12, tzinfo=UTC)
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_SPOKEN = re.compile(r'^<([^>]+)>\s*[:：]\s*["“]?(.*?)["”]?\s*$', re.DOTALL)


class Unreadable(Exception):
    """No data set of a known shape is there; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class Said:
    """One text that may be found: `key` is unique within the set, `talk` the conversation that it stood in."""

    key: str
    owner: str
    talk: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What one owner asks, when, and the keys of what answers it."""

    owner: str
    text: str
    at: datetime
    gold: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """`job` names the weights: `events` of what was said or happened, `asked` of the same question again."""

    name: str
    job: str
    said: tuple[Said, ...]
    questions: tuple[Question, ...]


def read(path: Path, name: str = "") -> DataSet:
    """The data set in a file, or the one of that name (or the only one) in a folder; raises `Unreadable`."""
    files = sorted(path.parent.iterdir() if path.is_file() else path.iterdir() if path.is_dir() else ())
    shapes = {file: _shape(file) for file in files if file.is_file()}
    wanted = name or _only({shape.partition("/")[0] for file, shape in shapes.items() if shape
                            and (path.is_dir() or file == path)})  # fmt: skip
    held = {file: shape.partition("/")[2] for file, shape in shapes.items() if shape.partition("/")[0] == wanted}
    if path.is_file() and path not in held:
        raise Unreadable(f"{path.name} has not the shape of {wanted}.")
    if path.is_file() and held[path] == "":
        held = {path: ""}
    if not held:
        raise Unreadable(f"Nothing there has the shape of {wanted}.")
    found = _READERS[wanted.split("-")[0]](held)
    if not found.questions:
        raise Unreadable(f"No question of {wanted} has an answer in what is there.")
    return DataSet(wanted, found.job, found.said, found.questions)


def _only(names: set[str]) -> str:
    if len(names) != 1:
        which = f"one of {', '.join(sorted(names))}" if names else f"a file of {', '.join(NAMES)}"
        raise Unreadable(f"Name {which}.")
    return names.pop()


def _shape(file: Path) -> str:
    """`set/part` of a file by what is in it; empty for anything else."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    if "<OrgQuestion" in text[:5000]:
        return "semeval/"
    first = text.partition("\n")[0]
    if re.search(r"\t[01]\s*$", first):
        return "pairs/"
    try:
        held = json.loads(text if text[:1] != "{" or "\n{" not in text else first)
    except ValueError:
        return ""
    return _json_shape(held, language(text[:4000]))


def _json_shape(held: Any, spoken: str) -> str:
    one = held[0] if isinstance(held, list) and held else next(iter(held.values()), None) if held else None
    if not isinstance(one, dict):
        return f"madial-{spoken}/dialogue" if isinstance(held, dict) and "relevant-id" in held else ""
    parts = {"qa": "locomo/", "event": f"madial-{spoken}/memory", "history": "memorybank-zh/history",
             "gold": "memorybank-zh/questions"}  # fmt: skip
    return next((shape for key, shape in parts.items() if key in one), "")


def _locomo(files: dict[Path, str]) -> DataSet:
    said: list[Said] = []
    questions: list[Question] = []
    for one in (one for file in files for one in json.loads(file.read_text(encoding="utf-8"))):
        owner, talk = str(one["sample_id"]), one["conversation"]
        sessions = sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
        turns: list[Said] = []
        for session in sessions:
            began = datetime.strptime(talk[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            turns += [
                Said(f"{owner} {turn['dia_id']}", owner, f"{owner} {session}", began + timedelta(seconds=20 * place),
                     f"({began:%d %B %Y}) {turn['speaker']}: {turn.get('text', '')}{_photo(turn)}")
                for place, turn in enumerate(talk[session])
            ]  # fmt: skip
        said += turns
        keys, end = {turn.key for turn in turns}, turns[-1].at + timedelta(days=1)
        for row in (row for row in one["qa"] if row["category"] in _CATEGORIES):
            named = {f"{owner} D{a}:{b}" for a, b in _EVIDENCE.findall(" ".join(row.get("evidence", ())))}
            if gold := frozenset(named & keys):
                questions.append(Question(owner, row["question"], end, gold, _CATEGORIES[row["category"]]))
    return DataSet("locomo", "events", tuple(said), tuple(questions))


_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop"}


def _photo(turn: dict[str, Any]) -> str:
    return f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""


def _madial(files: dict[Path, str]) -> DataSet:
    rows = {part: [json.loads(line) for file, which in files.items() if which == part
                   for line in file.read_text(encoding="utf-8").splitlines() if line]
            for part in ("memory", "dialogue")}  # fmt: skip
    memories = [(key, row) for line in rows["memory"] for key, row in line.items()]
    said = tuple(
        Said(str(key), str(row.get("user-id", 1)), str(key), _day(row["time"]), f"{row['time']} {row['event']}")
        for key, row in memories
    )
    owners = {one.owner for one in said}
    keys = {one.key: one.owner for one in said}
    now = max((one.at for one in said), default=_LONG_AGO) + timedelta(days=1)
    questions = []
    for row in rows["dialogue"]:
        owner = str(row.get("user-id", 1)) if len(owners) > 1 else next(iter(owners), "1")
        gold = frozenset(str(key) for key in row["relevant-id"] if keys.get(str(key)) == owner)
        lines = [_SPOKEN.sub(r"\2", line.strip()) for line in row["dialogue"][: row["test-turn"][0]]]
        if gold:
            text = "\n".join(line for line in lines if line and line != "<BOD>")
            questions.append(Question(owner, text, now, gold, "all"))
    return DataSet("madial", "events", said, tuple(questions))


def _memorybank(files: dict[Path, str]) -> DataSet:
    rows: dict[str, dict[str, Any]] = {"history": {}, "questions": {}}
    for file, part in files.items():
        rows[part] |= json.loads(file.read_text(encoding="utf-8"))
    said = tuple(
        Said(f"{name} {day[5:]}/{place}", name, f"{name} {day}", _day(day) + timedelta(minutes=place),
             f"{day} {one['query']} {one['response']}")
        for name, row in rows["history"].items() for day, some in row["history"].items()
        for place, one in enumerate(some)
    )  # fmt: skip
    keys = {one.key for one in said}
    now = max((one.at for one in said), default=_LONG_AGO) + timedelta(days=1)
    questions = [
        Question(name, text, now, gold, "all")
        for name, row in rows["questions"].items()
        for text, labels in zip(row["questions"], row["gold"], strict=True)
        if (gold := frozenset(f"{name} {label}" for label in labels) & keys)
    ]
    return DataSet("memorybank-zh", "events", said, tuple(questions))


def _pairs(files: dict[Path, str]) -> DataSet:
    said: dict[str, Said] = {}
    same: dict[tuple[str, str], set[str]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            first, second, label = line.split("\t")[-3:]
            key = f"{file.stem} {second}"
            said.setdefault(key, Said(key, file.stem, key, _LONG_AGO + timedelta(minutes=len(said)), second))
            if label.strip() == "1":
                same.setdefault((file.stem, first), set()).add(key)
    now = _LONG_AGO + timedelta(days=365)
    questions = [Question(owner, text, now, frozenset(gold), owner) for (owner, text), gold in same.items()]
    return DataSet("pairs", "asked", tuple(said.values()), tuple(questions))


def _semeval(files: dict[Path, str]) -> DataSet:
    said: dict[str, Said] = {}
    asked: dict[str, tuple[str, set[str]]] = {}
    for file in files:
        for one in ET.parse(file).getroot().iter("OrgQuestion"):  # noqa: S314 a file that the operator names
            text = _joined(one, "OrgQSubject", "OrgQBody")
            _, gold = asked.setdefault(one.get("ORGQ_ID", ""), (text, set()))
            for row in one.iter("RelQuestion"):
                key = row.get("RELQ_ID", "")
                at = datetime.fromisoformat(row.get("RELQ_DATE", "2013-01-01")).replace(tzinfo=UTC)
                said.setdefault(key, Said(key, "forum", key, at, _joined(row, "RelQSubject", "RelQBody")))
                if row.get("RELQ_RELEVANCE2ORGQ") in {"PerfectMatch", "Relevant"}:
                    gold.add(key)
    now = max((one.at for one in said.values()), default=_LONG_AGO) + timedelta(days=1)
    questions = [Question("forum", text, now, frozenset(gold), "all") for text, gold in asked.values() if gold]
    return DataSet("semeval", "asked", tuple(said.values()), tuple(questions))


def _joined(row: ET.Element, *parts: str) -> str:
    return "\n".join(text for part in parts if (text := (row.findtext(part) or "").strip()))


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text[:10], "%Y-%m-%d").replace(hour=12, tzinfo=UTC)
    except ValueError:
        return _LONG_AGO


def talks(said: Iterable[Said]) -> Iterator[list[Said]]:
    """The texts conversation by conversation, each in its order."""
    held: dict[str, list[Said]] = {}
    for one in said:
        held.setdefault(one.talk, []).append(one)
    yield from held.values()


_READERS: dict[str, Callable[[dict[Path, str]], DataSet]] = {
    "locomo": _locomo, "madial": _madial, "memorybank": _memorybank, "pairs": _pairs, "semeval": _semeval,
}  # fmt: skip
