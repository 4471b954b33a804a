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
from memory.retrieval import answers
from memory.retrieval.exchange import Exchange, Pool
from memory.retrieval.text import K1, B, query_terms
from memory.wording import is_han

Rows = npt.NDArray[np.float64]
NAMES = (
    "words", "covered", "window words", "window covered", "meaning", "cosine", "window meaning", "talk meaning",
    "answers", "asks", "speaker", "names", "window names", "numbers", "day", "length",
    "words after", "meaning before", "talk best", "late", "says when", "says how many", "says who",
)  # fmt: skip
"""The columns, in this order."""
WORDS_ALONE = tuple(name for name in NAMES if "meaning" not in name and name not in ("cosine", "talk best"))
AROUND = range(-policy.WINDOW_TURNS, policy.WINDOW_TURNS + 1)
_SPEAKER = re.compile(r"(?:\([^)]*\)\s*)?(\w{1,20}(?: \w{1,20})?)(?::\s|：)")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
LATE = 20
"""Turns of a conversation after which one is no longer near its beginning, where people greet each other."""
BEST = 3
"""Exchanges of one conversation whose mean says how near all of it lies."""


@dataclass(frozen=True, slots=True)
class Question:
    """As it is looked up: its text, its terms, and the stretches of time [start, end) that it names."""

    text: str
    words: Sequence[str]
    days: Sequence[tuple[datetime, datetime]] = ()
    also: Sequence[str] = ()
    """Terms of other wordings: what they find counts, what they miss does not."""


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
    (words, covered), (window, around_covered), after = _words(question, pool, rows, at)
    cosines, meant = _cosines(pool, rows)
    usual = pool.usual or 0.0
    meaning = _above(cosines, usual)
    both = (words + meaning) / 2 if meant else words
    asks = np.array([float("?" in row.text[-40:] or "？" in row.text[-40:]) for row in rows])
    names = _names(question, pool, rows)
    around = np.maximum.reduce([at.shifted(names, step) for step in AROUND])
    columns = {
        "words": words, "covered": covered, "window words": window, "window covered": around_covered,
        "meaning": meaning, "cosine": np.clip(cosines / policy.COSINE_OF_SURE, 0, 1),
        "window meaning": _above(at.window(cosines, 1, usual), usual), "talk meaning": at.best_of_talk(meaning),
        "answers": at.shifted(both * asks, -1), "asks": asks, "speaker": _speaker(question, rows),
        "names": names, "window names": around, "numbers": _numbers(question, pool, rows), "day": _day(question, rows),
        "length": np.array([min(1.0, log(1 + row.length) / 5) for row in rows]), "words after": after,
        "meaning before": at.shifted(meaning, -1), "talk best": at.mean_of_best(meaning),
        "late": np.minimum(1.0, at.place / LATE), **{kind: _says(kind, question, rows) for kind in answers.KINDS},
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

    def mean_of_best(self, column: Rows) -> Rows:
        """The mean of the `BEST` greatest values of each one's conversation; one that is not there counts as 0."""
        order = np.lexsort((-column, self.talk))
        begins = np.searchsorted(self.talk[order], self.talk[order])
        first = np.arange(len(order)) - begins < BEST
        whole = np.bincount(self.talk[order][first], column[order][first], minlength=int(self.talk.max()) + 1)
        theirs: Rows = whole[self.talk] / BEST
        return theirs


def _words(
    question: Question, pool: Pool, rows: Sequence[Exchange], at: _Places
) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows], Rows]:
    """BM25 (of the best) and the covered share of the question's weight: of each exchange, and of its window; and BM25
    of each with the turn after it."""
    lengths = np.array([row.length for row in rows], dtype=np.float64)
    wide, two = at.window(lengths, policy.WINDOW_TURNS), lengths + at.shifted(lengths, 1)
    own, own_held, window, window_held, after = (np.zeros(len(rows)) for _ in range(5))
    weight = 0.0
    for word in (*question.words, *question.also):
        rarity = _rarity(pool, word)
        own_word = word in question.words
        weight += rarity * own_word
        often = np.array([row.held.count(word) for row in rows], dtype=np.float64)
        if not often.any():
            continue
        near = at.window(often, policy.WINDOW_TURNS) * len(AROUND)
        own += rarity * _saturated(often, lengths / max(1.0, pool.length))
        window += rarity * _saturated(near, wide / max(1e-9, float(wide.mean())))
        after += rarity * _saturated(often + at.shifted(often, 1), two / max(1.0, float(two.mean())))
        own_held += rarity * own_word * (often > 0)
        window_held += rarity * own_word * (near > 0)
    share = weight or 1.0
    return (_of_best(own), own_held / share), (_of_best(window), window_held / share), _of_best(after)


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


def _speaker(question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether who speaks ("Mei: …") is named in the question, as a word of its own where words are parted."""
    asked = question.text.casefold()
    apart = set(re.findall(r"\w+", asked))
    names = [match.group(1).casefold() if (match := _SPEAKER.match(row.text)) else "" for row in rows]
    return np.array([
        float(bool(name) and (name in asked if is_han(name) else apart.issuperset(name.split()))) for name in names
    ])  # fmt: skip


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


def _says(kind: str, question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether it has an answer of the kind that is asked for; what stands before who speaks is not said."""
    fits = answers.fits(kind, question.text)
    if fits is None:
        return np.zeros(len(rows))
    said = (row.text[match.end() :] if (match := _SPEAKER.match(row.text)) else row.text for row in rows)
    return np.array([float(fits(text)) for text in said])


def _day(question: Question, rows: Sequence[Exchange]) -> Rows:
    """Whether it was said in a stretch of time that the question names."""
    return np.array([float(any(start <= row.at < end for start, end in question.days)) for row in rows])
