"""The sentence of a memory that is made of others: what they said, in their words and their language. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memory import policy

REST = {"en": "several things", "zh": "各种问题"}
"""What a summary is about that holds what no topic of its month does."""

_ROLES = {
    "en": {"worked": "worked", "failed": "failed", "decisive": "decisive", "change": "next time", "keep": "to keep"},
    "zh": {"worked": "成了", "failed": "没成", "decisive": "关键", "change": "下次", "keep": "值得保留"},
}


@dataclass(frozen=True, slots=True)
class Line:
    """What one part says, and its day on the member's calendar."""

    on: date
    text: str


def repeated(parts: Sequence[Line], language: str) -> str:
    """What happened several times."""
    first, last = parts[0].on, parts[-1].on
    if len(parts) == 1:
        return f"{first}：{_cut(parts[0].text)}" if language == "zh" else f"{first}: {_cut(parts[0].text)}"
    if language == "zh":
        return f"{first} 至 {last} 共 {len(parts)} 次：{'；'.join(_named(parts))}"
    return f"{len(parts)} times from {first} to {last}: {'; '.join(_named(parts))}"


def month(parts: Sequence[Line], language: str, topic: str) -> str:
    """What was asked in one month about one topic."""
    when = parts[0].on
    if language == "zh":
        about = topic if topic == REST["zh"] else f"「{topic}」"
        return f"{when.year}年{when.month}月问过{about}，共 {len(parts)} 次：{'；'.join(_named(parts, dated=True))}"
    times = "once" if len(parts) == 1 else f"{len(parts)} times"
    return f"In {when:%B %Y} asked about {topic}, {times}: {'; '.join(_named(parts, dated=True))}"


def of_month(when: date, language: str) -> str:
    """What stands before a summary that is not a list."""
    return f"{when.year}年{when.month}月：" if language == "zh" else f"{when:%B %Y}: "


def request(parts: Sequence[Line], language: str) -> str:
    """A task that was asked for again and again, in its newest words."""
    days = list(dict.fromkeys(f"{part.on}" for part in parts))[-policy.NAMED_PARTS :]
    if language == "zh":
        return f"反复要做的事：{_cut(parts[-1].text)}（{'、'.join(days)}）"
    return f"A task that comes back: {_cut(parts[-1].text)} ({', '.join(days)})"


def lesson(parts: Sequence[tuple[str, str]], language: str) -> str:
    """How a task ended: each part behind the word for what it says."""
    labels = _ROLES["zh" if language == "zh" else "en"]
    between, after = ("；", "：") if language == "zh" else ("; ", ": ")
    return between.join(f"{labels[role]}{after}{_short(words, policy.LESSON_CHARACTERS)}" for role, words in parts)


def experience(parts: Sequence[Line], language: str) -> str:
    """The task, in the words in which it was told, and how it ended; the last part is that."""
    last, before = parts[-1], [_short(part.text, policy.LESSON_CHARACTERS) for part in parts[:-1]]
    told = [f"{last.on}", *before[-1:]]
    return ("，".join(told) + "：" if language == "zh" else ", ".join(told) + ": ") + last.text


def _named(parts: Sequence[Line], *, dated: bool = False) -> list[str]:
    """The newest of them, each wording once, oldest first."""
    newest = {part.text: part for part in parts}
    kept = sorted(newest.values(), key=lambda part: part.on)[-policy.NAMED_PARTS :]
    return [f"{_cut(part.text)} ({part.on:%m-%d})" if dated else _cut(part.text) for part in kept]


def _cut(text: str) -> str:
    return _short(text, policy.PART_CHARACTERS)


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split()).rstrip("。.;；")
    return plain if len(plain) <= most else plain[: most - 1] + "…"
