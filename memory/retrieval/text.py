"""Words to search by, Chinese and English, and their BM25 weight."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import rjieba

from memory.wording import HAN, simplified, stem

_TOKEN = re.compile(f"[{HAN}]+|[A-Za-z0-9_]+(?:[./\\-:@#+][A-Za-z0-9_]+)*|[^\\W{HAN}]+")
_HAN_RUN = re.compile(f"[{HAN}]+")
_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_STOP = frozenset(
    """
    a an the is are was were be been am i me my you your we our it its of to in on at for and
    or but with from as by that this these those do does did how what when where who whom
    which why can could would should will shall may there here so if then than not no yes
    please about have has had s t m re ve ll d 的 了 在 是 我 你 您 他 她 它 们 我们 你们 有 和 就 不 也 都 一个 上 很
    到 说 要 去 会 着 没有 看 好 吗 呢 吧 啊 呀 么 怎么 什么 怎样 如何 哪 哪里 哪儿 谁 多少 几 为什么 请 请问 可以 能 能不能 这 那 这个 那个 一下 还
    再 把 被 让 给 跟 与 及 或
    """.split()  # noqa: SIM905 - a list of words reads as words
)


def terms(text: str) -> list[str]:
    """Index terms of a text, with repeats: stems, whole ids and their parts, words and bigrams of Chinese."""
    found: list[str] = []
    for token in _TOKEN.findall(_folded(text)):
        found += _han(token) if _HAN_RUN.fullmatch(token) else _latin(token)
    return found


def query_terms(text: str) -> list[str]:
    """The same for a question, each once, without stop words; one Chinese character alone is kept."""
    folded = _folded(text)
    kept = dict.fromkeys(term for term in terms(folded) if term not in _STOP and not _filler(term))
    return list(kept) or [term for term in dict.fromkeys(terms(folded)) if len(folded.strip()) <= 2]


def bm25(
    query: Sequence[str], documents: Sequence[Sequence[str]], *, total: int | None = None,
    df: Mapping[str, int] | None = None, average: float | None = None, k1: float = 1.2, b: float = 0.75,
) -> list[float]:  # fmt: skip
    """Okapi BM25 of each document; collection figures come from the documents themselves unless given."""
    counts = [Counter(document) for document in documents]
    total = total or len(documents) or 1
    mean = average or (sum(len(document) for document in documents) / (len(documents) or 1)) or 1.0
    seen = df or Counter(term for count in counts for term in count)
    weight = {term: math.log(1 + (total - seen.get(term, 0) + 0.5) / (seen.get(term, 0) + 0.5)) for term in query}
    return [
        sum(
            weight[term] * count[term] * (k1 + 1) / (count[term] + k1 * (1 - b + b * len(document) / mean))
            for term in query
            if term in count
        )
        for count, document in zip(counts, documents, strict=True)
    ]


def coverage(query: Sequence[str], document: Iterable[str]) -> float:
    """Share (0..1) of the question's terms that the document holds."""
    held = set(document)
    return sum(term in held for term in query) / len(query) if query else 0.0


def _folded(text: str) -> str:
    return simplified(unicodedata.normalize("NFKC", text).casefold())


def _han(run: str) -> list[str]:
    words = [word for word in rjieba.cut(run) if len(word) > 1]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return words + [pair for pair in pairs if pair not in words] + (list(run) if len(run) == 1 else [])


def _latin(token: str) -> list[str]:
    if token.isalpha():
        return [stem(token)]
    parts = [stem(part) for part in _PART.findall(token)]
    return [token, *(part for part in parts if part != token)]


def _filler(term: str) -> bool:
    """A bigram made of stop characters only ("怎么", "了吗")."""
    return bool(_HAN_RUN.fullmatch(term)) and len(term) == 2 and all(letter in _STOP for letter in term)
