"""Words to find things by: Chinese and English index terms, and how well a text answers a question."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import rjieba

from memory import stops
from memory.wording import HAN, is_han, normal, simplified, stem

__all__ = ["bm25", "coverage", "normal", "query_terms", "runs", "terms"]

K1, B = 1.2, 0.75
"""Saturation and length weight of BM25, as in Robertson's papers."""
_LETTER = "a-z0-9_\u00c0-\u024f"
_PART = re.compile(f"[{HAN}]+|[{_LETTER}]+(?:[./:#@+'&-]+[{_LETTER}]+)*[+#]*|[^\\W{HAN}]+")
_INNER = re.compile(r"[a-z]+|\d+|[^\W\d_a-z]+")


def terms(text: str) -> list[str]:
    """Index terms with repeats: stems, whole ids with their parts, Chinese words, pairs and single characters."""
    return [term for part in runs(text) for term in (_han(part) if is_han(part) else _latin(part))]


def query_terms(text: str) -> list[str]:
    """The terms of a question, each once, without the words that say nothing; single characters only alone."""
    found = [term for part in runs(text) for term in (_han_query(part) if is_han(part) else _latin(part))]
    return [term for term in dict.fromkeys(found) if term not in stops.EN and term not in _stop_stems()]


def bm25(
    query: Sequence[str],
    documents: Sequence[Sequence[str]],
    *,
    total: int | None = None,
    df: Mapping[str, int] | None = None,
    average: float | None = None,
) -> list[float]:
    """One weight >= 0 a document; `total`, `df`, `average` describe the collection where these are only a part."""
    size = max(total or 0, len(documents), 1)
    mean = average or sum(len(document) for document in documents) / max(len(documents), 1) or 1.0
    weights = [0.0] * len(documents)
    for term in dict.fromkeys(query):
        counts = [document.count(term) for document in documents]
        holding = df.get(term, 0) if df is not None else sum(map(bool, counts))
        rarity = math.log(1 + max(0.0, size - holding + 0.5) / (holding + 0.5))
        for place, often in enumerate(counts):
            if often:
                length = 1 - B + B * len(documents[place]) / mean
                weights[place] += rarity * often * (K1 + 1) / (often + K1 * length)
    return weights


def coverage(query: Sequence[str], document: Iterable[str]) -> float:
    """The share, 0..1, of the question's terms that the document holds."""
    wanted = set(query)
    return len(wanted & set(document)) / len(wanted) if wanted else 0.0


def runs(text: str) -> list[str]:
    """A text as it is cut first, folded: each run of Han characters, each word or id of other letters."""
    folded = simplified(unicodedata.normalize("NFKC", text).casefold()).replace("’", "'")
    return _PART.findall(folded)


def _latin(part: str) -> list[str]:
    """A word's stem; of "tools/fx.py" or "v2.3.1" the whole, its file name, and its parts."""
    word = part.removesuffix("'s")
    inner = _INNER.findall(word)
    if len(inner) < 2 or "'" in word:
        return [stem(word.split("'")[0])]
    tail = re.split(r"[/:@]", word)[-1]
    named = [tail] if tail != word and re.search(r"[.#+-]", tail) else []
    return [word, *named, *(stem(piece) for piece in inner if len(piece) > 1)]


def _han(run: str) -> list[str]:
    words = [word for word in rjieba.cut_for_search(run) if len(word) > 1]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return words + [pair for pair in pairs if pair not in words] + list(run)


def _han_query(run: str) -> list[str]:
    """The words that mean something, and the pairs across them; one character only where it stands alone."""
    found: list[str] = []
    stretch = ""
    for word in [*rjieba.cut(run), ""]:
        if word and word not in stops.ZH:
            stretch += word
            found += [piece for piece in rjieba.cut_for_search(word) if len(piece) > 1]
            continue
        found += [stretch[place : place + 2] for place in range(len(stretch) - 1)] or [stretch] * bool(stretch)
        stretch = ""
    return found


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in stops.EN)
