"""The cases as they are written, and how what came of one is judged; pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

SETS = ("first", "second")
"""The first is what rules are improved by, the second is only reported."""
ZONES = {"zh": "Asia/Shanghai", "en": "Europe/London"}
"""Where a member of a case lives that names no zone."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one of them said, and when; `who` is me, second or assistant."""

    at: datetime
    text: str
    who: str = "me"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A memory that must be there: words that its text holds, and, where named, its attribute and local start."""

    holds: str
    attribute: str = ""
    status: str = "active"
    since: str = ""

    def fits(self, one: "Kept") -> bool:
        """Whether a memory is the one that is wanted, as it must stand."""
        return (
            self.holds.casefold() in one.text.casefold()
            and self.attribute in ("", one.attribute)
            and self.status == one.status
            and one.since.startswith(self.since)
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A later question, what its finds must hold, and what none of them may."""

    line: Line
    hears: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """What a member says over several days; `may` is right to remember but not needed, `forbid` is wrong."""

    id: str
    kind: str
    zone: str
    says: tuple[Line, ...]
    remember: tuple[Wanted, ...] = ()
    may: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    asks: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it stood in the end; `since` is its start in the member's zone."""

    text: str
    attribute: str
    status: str
    since: str = ""


@dataclass(slots=True)
class Verdict:
    """What was right, missing and wrong in one case."""

    case: Case
    good: int = 0
    found: int = 0
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not (self.missing or self.wrong)


def read(name: str) -> list[Case]:
    """The cases of one set."""
    raw = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return [_case(one) for one in raw]


def judge(case: Case, kept: Sequence[Kept], heard: Sequence[Sequence[str]]) -> Verdict:
    """`kept` are all memories of the member's, `heard` the texts that each question found.

    A live memory that nobody asked for is wrong, whatever it says; one that must be there and isn't is missing.
    """
    verdict = Verdict(case)
    for wanted in case.remember:
        if any(wanted.fits(one) for one in kept):
            verdict.found += 1
        else:
            verdict.missing.append(
                f"memory: {wanted.holds} ({wanted.attribute or 'any'}, {wanted.status}) {wanted.since}"
            )
    for one in kept:
        if one.status != "active":
            continue
        if any(wanted.fits(one) for wanted in case.remember) and not _says(one.text, case.forbid):
            verdict.good += 1
        elif _says(one.text, case.forbid) or not _says(one.text, case.may):
            verdict.wrong.append(f"memory: {one.text} ({one.attribute})")
    for asked, texts in zip(case.asks, heard, strict=True):
        for words in asked.hears:
            if any(_says(text, [words]) for text in texts):
                verdict.found += 1
                verdict.good += 1
            else:
                verdict.missing.append(f"{asked.line.text} → {words}")
        verdict.wrong += [f"{asked.line.text} → {text}" for text in texts if _says(text, asked.never)]
    return verdict


def figures(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Cases, passed, and the shares of what was kept or heard that is right, and of what must be that is."""
    good, found = sum(one.good for one in verdicts), sum(one.found for one in verdicts)
    wrong, missing = sum(len(one.wrong) for one in verdicts), sum(len(one.missing) for one in verdicts)
    return {
        "cases": len(verdicts), "passed": sum(one.passed for one in verdicts),
        "precision": round(good / (good + wrong), 3) if good + wrong else 1.0,
        "recall": round(found / (found + missing), 3) if found + missing else 1.0,
    }  # fmt: skip


def by_class(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Any]]:
    """`figures` of each class, in the order in which the classes first appear."""
    kinds = dict.fromkeys(one.case.kind for one in verdicts)
    return {kind: figures([one for one in verdicts if one.case.kind == kind]) for kind in kinds}


def _says(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase.casefold() in text.casefold() for phrase in phrases)


def _case(raw: dict[str, Any]) -> Case:
    zone = raw.get("zone") or ZONES[raw["id"][:2]]
    return Case(
        id=raw["id"], kind=raw["class"], zone=zone, says=tuple(_line(one, zone) for one in raw["says"]),
        remember=tuple(
            Wanted(one["holds"], one.get("attribute", ""), one.get("status", "active"), one.get("from", ""))
            for one in raw.get("remember", ())
        ),
        may=tuple(raw.get("may", ())), forbid=tuple(raw.get("forbid", ())),
        asks=tuple(
            Asked(_line(one, zone), tuple(one.get("hears", ())), tuple(one.get("not", ())))
            for one in raw.get("asks", ())
        ),
    )  # fmt: skip


def _line(raw: dict[str, str], zone: str) -> Line:
    return Line(datetime.fromisoformat(raw["at"]).replace(tzinfo=ZoneInfo(zone)), raw["text"], raw.get("who", "me"))
