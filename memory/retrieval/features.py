"""What speaks for each past exchange that a question may mean, in numbers from 0 to 1; pure.

Words and meaning are taken of the exchange itself, of its window (the turns around it) and, weakly, of its whole
conversation: who said what is often in one turn and what it was about in the turn before. Neighbours are looked up in
the pool itself, so nothing of a window is stored and nothing of it can outlive what was forgotten.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log

import numpy as np
import numpy.typing as npt

from memory import policy
from memory.retrieval.exchange import Exchange, Pool
from memory.retrieval.text import K1, B, query_terms

Rows = npt.NDArray[np.float64]
NAMES = (
    "words", "covered", "window words", "window covered", "talk words", "meaning", "cosine", "window meaning",
    "talk meaning", "before", "after", "answers", "asks", "speaker", "names", "window names", "numbers", "day",
    "when", "length", "first by words", "first by meaning",
)  # fmt: skip
"""The columns, in this order."""
WORDS_ALONE = tuple(name for name in NAMES if "meaning" not in name and name != "cosine")
AROUND = range(-policy.WINDOW_TURNS, policy.WINDOW_TURNS + 1)
_SPEAKER = re.compile(r"(?:\([^)]*\)\s*)?(\S[^:：\n]{0,30})[:：]\s")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|day|week|month|year|time)\b|什么时候|哪天|哪一?年|几月|几号|何时",
    re.IGNORECASE,
)
_SAYS_WHEN = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|since|weekend|week|month|year"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december)\b|昨|今天|明天|上周|下周|上个?月|去年|明年|周末|星期|\d[月日号年]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """As it is looked up: its text, its terms, and the stretches of time [start, end) that it names."""

    text: str
    words: Sequence[str]
    days: Sequence[tuple[datetime, datetime]] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One line an exchange, in the order of `rows`; the columns are `NAMES`."""

    rows: tuple[Exchange, ...]
    values: Rows
    meant: bool
    """Whether there were vectors; without them the columns of meaning are 0."""

    def column(self, name: str) -> list[float]:
        """One feature of every exchange."""
        values: list[float] = self.values[:, NAMES.index(name)].tolist()
        return values


def table(question: Question, pool: Pool) -> Table:
    """The features of every exchange in the pool."""
    if not pool.rows:
        return Table((), np.zeros((0, len(NAMES))), meant=False)
    rows = tuple(sorted(pool.rows, key=lambda row: (row.talk.bytes, row.place)))
    at = _Places(rows)
    words, window, talk = _words(question, pool, rows, at)
    cosines, meant = _cosines(pool, rows)
    meaning = _above(cosines, pool.usual or 0.0)
    both = (words[0] + meaning) / 2 if meant else words[0]
    before, after = at.shifted(both, -1), at.shifted(both, 1)
    asks = np.array([float("?" in row.text[-40:] or "？" in row.text[-40:]) for row in rows])
    names = _names(question, pool, rows)
    around = np.maximum.reduce([at.shifted(names, step) for step in AROUND])
    columns = {
        "words": words[0], "covered": words[1], "window words": window[0], "window covered": window[1],
        "talk words": talk, "meaning": meaning, "cosine": np.clip(cosines / policy.COSINE_OF_SURE, 0, 1),
        "window meaning": _above(at.window(cosines, 1, pool.usual or 0.0), pool.usual or 0.0),
        "talk meaning": at.best_of_talk(meaning), "before": before, "after": after,
        "answers": before * at.shifted(asks, -1), "asks": asks, "speaker": _speaker(question, rows), "names": names,
        "window names": around, "numbers": _numbers(question, pool, rows), "day": _day(question, rows),
        "when": _when(question, rows), "length": np.array([min(1.0, log(1 + row.length) / 5) for row in rows]),
        "first by words": _first(words[0]), "first by meaning": _first(meaning),
    }  # fmt: skip
    return Table(rows, np.stack([columns[name] for name in NAMES], axis=1), meant)


class _Places:
    """Who stands beside whom."""

    def __init__(self, rows: Sequence[Exchange]) -> None:
        known = {row.talk: number for number, row in enumerate(rows)}
        self.talk = np.array([known[row.talk] for row in rows])
        self.place = np.array([row.place for row in rows])

    def shifted(self, column: Rows, step: int, without: float = 0.0) -> Rows:
        """The value `step` turns later; `without` where that turn is not there."""
        found = np.full(len(column), without)
        if abs(step) >= len(column):
            return found
        here = slice(max(0, -step), len(column) - max(0, step))
        there = slice(max(0, step), len(column) - max(0, -step))
        beside = (self.talk[here] == self.talk[there]) & (self.place[there] - self.place[here] == step)
        found[here] = np.where(beside, column[there], without)
        return found

    def window(self, column: Rows, reach: int, without: float = 0.0) -> Rows:
        """The mean over the turns up to `reach` away."""
        steps = range(-reach, reach + 1)
        whole: Rows = sum((self.shifted(column, step, without) for step in steps), np.zeros(len(column)))
        return whole / len(steps)

    def best_of_talk(self, column: Rows) -> Rows:
        """The greatest value of each one's conversation."""
        best = np.zeros(len(column))
        np.maximum.at(best, self.talk, column)
        theirs: Rows = best[self.talk]
        return theirs

    def sum_of_talk(self, column: Rows) -> Rows:
        """The sum over each one's conversation."""
        whole: Rows = np.bincount(self.talk, weights=column)[self.talk]
        return whole


def _words(
    question: Question, pool: Pool, rows: Sequence[Exchange], at: _Places
) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows], Rows]:
    """BM25 (of the best) and the covered share of the question's weight: of each exchange and of its window; and the
    BM25 of its conversation."""
    lengths = np.array([row.length for row in rows], dtype=np.float64)
    usual = max(1.0, pool.length)
    wide: Rows = sum((at.shifted(lengths, step) for step in AROUND), np.zeros(len(rows)))
    wide_usual = max(1.0, float(wide.mean()))
    talk = at.sum_of_talk(lengths)
    talk_usual = max(1.0, float(talk.mean()))
    sums = {name: np.zeros(len(rows)) for name in ("own", "own held", "wide", "wide held", "talk")}
    weight = 0.0
    for word in question.words:
        rarity = _rarity(pool, word)
        weight += rarity
        often = np.array([row.held.count(word) for row in rows], dtype=np.float64)
        if not often.any():
            continue
        near: Rows = sum((at.shifted(often, step) for step in AROUND), np.zeros(len(rows)))
        sums["own"] += rarity * _saturated(often, lengths / usual)
        sums["wide"] += rarity * _saturated(near, wide / wide_usual)
        sums["talk"] += rarity * _saturated(at.sum_of_talk(often), talk / talk_usual)
        sums["own held"] += rarity * (often > 0)
        sums["wide held"] += rarity * (near > 0)
    share = weight or 1.0
    own, window = (_of_best(sums["own"]), sums["own held"] / share), (_of_best(sums["wide"]), sums["wide held"] / share)
    return own, window, _of_best(sums["talk"])


def _rarity(pool: Pool, word: str) -> float:
    holding = pool.often.get(word, 0)
    return log(1 + (max(pool.total, holding) - holding + 0.5) / (holding + 0.5))


def _saturated(often: Rows, length: Rows) -> Rows:
    weight: Rows = often * (K1 + 1) / (often + K1 * (1 - B + B * length))
    return weight


def _cosines(pool: Pool, rows: Sequence[Exchange]) -> tuple[Rows, bool]:
    """What has no vector yet lies as near as the usual one."""
    usual = pool.usual or 0.0
    found = np.array([usual if row.cosine is None else row.cosine for row in rows])
    return found, any(row.cosine is not None for row in rows)


def _above(column: Rows, usual: float) -> Rows:
    """0 at the usual, 1 at the best."""
    best = float(column.max())
    scaled: Rows = np.clip((column - usual) / (best - usual), 0, 1) if best > usual else np.zeros(len(column))
    return scaled


def _of_best(column: Rows) -> Rows:
    scaled: Rows = column / (float(column.max()) or 1.0)
    return scaled


def _first(column: Rows) -> Rows:
    """1 for the greatest, less with each place, 0 for what is 0."""
    places = np.argsort(np.argsort(-column, kind="stable"), kind="stable")
    falling: Rows = np.where(column > 0, 1 / (1 + places / 5), 0.0)
    return falling


def _speaker(question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether who speaks ("Mei: …") is named in the question."""
    asked = question.text.casefold()
    named = [match.group(1).casefold() if (match := _SPEAKER.match(row.text)) else "" for row in rows]
    return np.array([float(bool(name) and name in asked) for name in named])


def _names(question: Question, pool: Pool, rows: Sequence[Exchange]) -> Rows:
    """The share of the names in the question, by their rarity, that the exchange holds."""
    named = set(query_terms(" ".join(_NAME.findall(question.text))))
    return _held(question, pool, rows, [word for word in question.words if word in named])


def _numbers(question: Question, pool: Pool, rows: Sequence[Exchange]) -> Rows:
    return _held(question, pool, rows, [word for word in question.words if any(map(str.isdigit, word))])


def _held(question: Question, pool: Pool, rows: Sequence[Exchange], words: Sequence[str]) -> Rows:
    weights = {word: _rarity(pool, word) for word in words}
    whole = sum(weights.values()) or 1.0
    return np.array([sum(weights[word] for word in set(row.held) & weights.keys()) / whole for row in rows])


def _day(question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether it was said in a stretch of time that the question names."""
    return np.array([float(any(start <= row.at < end for start, end in question.days)) for row in rows])


def _when(question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether it says when, where the question asks for that."""
    if not _ASKS_WHEN.search(question.text):
        return np.zeros(len(rows))
    return np.array([float(bool(_SAYS_WHEN.search(row.text))) for row in rows])
