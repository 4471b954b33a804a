"""Working memory that has grown too long: its oldest rounds become a short summary, and what must keep its wording
stands beside it. By rules at once, where it is needed; by a model in the background."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from assistant.conversation.regions import tokens
from memory import policy
from memory.extraction import exact
from memory.extraction.clauses import asks, clauses
from memory.wording import is_han, language

LABELS = {"zh": "谈过：", "en": "Talked about: "}
_PAUSE = {"zh": "；", "en": "; "}


@dataclass(frozen=True, slots=True)
class Round:
    """One ended turn, as working memory holds it."""

    turn: str
    question: str
    answer: str
    at: datetime

    @property
    def tokens(self) -> int:
        return tokens(self.question) + tokens(self.answer)


@dataclass(frozen=True, slots=True)
class Folded:
    """What is left of the rounds before: a summary, and sentences in their own words, oldest first."""

    text: str = ""
    exact: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.exact)


def due(rounds: Sequence[Round], *, late: int = 0) -> int:
    """How many of the oldest rounds are to be folded: none while all are within the limits. `late`: rounds over
    `WINDOW_ROUNDS` that may wait, so that a stored summary is not written anew after each."""
    foldable = max(0, len(rounds) - policy.VERBATIM_ROUNDS)
    over = len(rounds) - policy.WINDOW_ROUNDS
    count = over if over > late else 0
    if not foldable or sum(len(one.question) + len(one.answer) for one in rounds) < policy.FOLD_AT * _at_least():
        return max(0, min(count, foldable))
    sizes = [one.tokens for one in rounds]
    if sum(sizes[count:]) > policy.FOLD_AT * policy.WORKING_TOKENS:
        while count < foldable and sum(sizes[count:]) > policy.FOLD_TO * policy.WORKING_TOKENS:
            count += 1
    return min(count, foldable)


def fold(before: Folded, rounds: Sequence[Round], zone: ZoneInfo) -> Folded:
    """By rules: what was asked, in short, the oldest left out first; and the sentences that keep their wording."""
    if not rounds:
        return before
    spoken = language(" ".join(one.question for one in rounds)) or "en"
    old = [part for part in _said(before.text) if part]
    gists = list(dict.fromkeys([*old, *filter(None, (gist(one.question) for one in rounds))]))
    while words(_PAUSE[spoken].join(gists)) > policy.SUMMARY_WORDS:
        gists.pop(0)
    text = LABELS[spoken] + _PAUSE[spoken].join(gists) if gists else ""
    return Folded(text, kept(before.exact, rounds, zone))


def kept(before: Sequence[str], rounds: Sequence[Round], zone: ZoneInfo) -> tuple[str, ...]:
    """The sentences with numbers, prices, dates, links and names, each once, the newest that fit."""
    found = dict.fromkeys(before)
    for one in rounds:
        for who, text in (("member", one.question), ("assistant", one.answer)):
            for sentence in exact.sentences(text, at=one.at, zone=zone):
                found[f"{who}: {sentence}"] = found.pop(f"{who}: {sentence}", None)  # said again: the newest
    left, fitting = policy.EXACT_TOKENS, list[str]()
    for sentence in reversed(found):
        left -= tokens(sentence)
        if left < 0:
            break
        fitting.insert(0, sentence)
    return tuple(fitting)


def gist(question: str) -> str:
    """The first thing that is asked, or said, in few characters."""
    sentences = list(dict.fromkeys(clause.sentence.strip() for clause in clauses(question)))
    said = next((one for one in sentences if asks(one)), sentences[0] if sentences else "")
    said = " ".join(said.split()).rstrip("。.！!；;")
    return said if len(said) <= policy.GIST_CHARACTERS else f"{said[: policy.GIST_CHARACTERS - 1].rstrip()}…"


def words(text: str) -> int:
    """Words of a text; two Chinese characters count as one."""
    han = sum(map(is_han, text))
    return (han + 1) // 2 + len("".join(" " if is_han(letter) else letter for letter in text).split())


def _said(text: str) -> list[str]:
    """The parts of a summary by rules; one that a model wrote is a part as a whole."""
    for spoken, label in LABELS.items():
        if text.startswith(label):
            return text.removeprefix(label).split(_PAUSE[spoken])
    return [text]


def _at_least() -> float:
    """Code points below which so many tokens can't be reached: no character costs more than one and its head-room."""
    return policy.WORKING_TOKENS / 1.15
