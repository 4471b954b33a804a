"""One form for equal words: width, case, script, endings; and a same-length shadow to match against."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any, Literal

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(f"[{HAN}]+|[^\\W_{HAN}]+")
_ARTICLES = frozenset({"a", "an", "the", "some", "my", "to"})
_QUOTES = str.maketrans({"’": "'", "‘": "'", "＇": "'"})


class _Kept(dict[int, int | None]):
    """Code point → itself, or None for spaces, punctuation and what is not seen; as they are met."""

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.category(chr(code))[0] in "ZPC" else code
        if code <= 0xFFFF:  # the others are many, and rare
            self[code] = kept
        return kept


_KEPT = _Kept()


def normal(text: str) -> str:
    """Width, case and script folded, spaces and punctuation gone: equal texts compare equal."""
    return simplified(unicodedata.normalize("NFKC", text).casefold()).translate(_KEPT)


def key(text: str) -> str:
    """As `normal`, with English words stemmed and articles left out: "the cats" and "a cat" are one."""
    return "".join(words(text)) or normal(text)


def words(text: str) -> list[str]:
    """The words of `key`; Chinese characters in a row are one."""
    folded = simplified(unicodedata.normalize("NFKC", text).casefold()).replace("'s ", " ")
    found = _WORD.findall(folded)
    kept = [word for word in found if word not in _ARTICLES] or found
    return [word if is_han(word) else stem(word) for word in kept]


def simplified(text: str) -> str:
    """Traditional Chinese in simplified characters; anything else as it is."""
    if not _HAN.search(text):
        return text
    converted: str = _converter().convert(text)
    return converted


def shadow(text: str) -> str:
    """The text as patterns see it: half-width, simplified, straight quotes, each mark in its old place."""
    folded = [unicodedata.normalize("NFKC", mark) for mark in text.translate(_QUOTES)]
    even = "".join(new if len(new) == 1 else old for new, old in zip(folded, text, strict=True))
    plain = simplified(even)
    return plain if len(plain) == len(even) else "".join(_one(mark) for mark in even)


def language(text: str) -> Literal["zh", "en"]:
    """The language in which most of the words are written."""
    han = len(_HAN.findall(text))
    return "zh" if han * 2 >= len(re.findall(r"[A-Za-z]+", text)) and han else "en"


def is_han(text: str) -> bool:
    """Whether there is a Chinese character in it."""
    return bool(_HAN.search(text))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of one lower-case English word; words with digits stay whole."""
    return str(_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


def _one(mark: str) -> str:
    plain = simplified(mark)
    return plain if len(plain) == 1 else mark


@cache
def _converter() -> Any:
    from opencc import OpenCC  # 0.1 s and some megabytes: only when Chinese is met

    return OpenCC("t2s")


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
