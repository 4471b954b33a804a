"""The details that decide what a question asks: numbers, dates, names, places, directions, negations, and whether it
asks when or how many; pure.

Two questions that differ in one of these are two questions, however near their vectors lie.
"""

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import chain

import rjieba

from memory import stops
from memory.retrieval.answers import fits
from memory.retrieval.text import runs
from memory.wording import HAN, is_han, simplified, stem

_NAMES_ZH = frozenset({"nr", "ns", "nt", "nz"})
"""Tags of the segmenter: people, places, organisations, other proper names."""
_NO_NAMES = frozenset({"东西"})
"""Which the segmenter takes for one."""
_DIGITS = {mark: str(value) for value, mark in enumerate("零一二三四五六七八九")} | {"两": "2", "〇": "0"}
_WORDS_EN = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
             "ten": "10", "eleven": "11", "twelve": "12"}  # fmt: skip
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*|[零〇一二三四五六七八九两十百]+(?=[年月日号点楼元块个人天周位次岁层期])")
_UNIT = re.compile(r"[年月日号点]")
_WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天末])")
_BESIDE = re.compile(
    r"[上下这本去今明前后昨][个一]?(?:周|星期|礼拜|月|年|天|日)|早上|上午|中午|下午|晚上|[东南北左右](?!西)|(?<!东)西"
)
_EN = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may(?= \d)|(?<=\d )may|june"
    r"|july|august|september|october|november|december|today|tomorrow|yesterday|north|south|east|west|left|right"
    r"|(?:last|this|next) (?=\w+))\b\s*",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z][\w+#]*")
_LATIN = re.compile(r"[A-Za-z][\w+#.-]*")
_NOT_EN = re.compile(r"\b(?:not|never|without|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_EITHER = re.compile(f"([{HAN}])[不没]\\1|有没有|是否|[不没]有?[吗么]?$")
"""Forms of a question, and no negations: 能不能, 有没有."""
_NOT_ZH = re.compile(r"[不没未勿]|无(?!线|锡|法兰)|(?<![特分区级类性派个辨鉴识告])别(?![墅名的处])")


def details(text: str) -> Counter[str]:
    """What decides, with how often it stands there, in one form for equal ones."""
    folded = simplified(unicodedata.normalize("NFKC", text)).replace("’", "'")
    names = _names_zh(folded) if is_han(folded) else _names_en(folded)
    kinds = [kind for kind in ("says when", "says how many") if fits(kind, folded)]
    return Counter([*_numbers(folded), *names, *_negations(folded), *kinds])


def differ(one: str, other: str) -> bool:
    """Whether a detail of one is not the other's."""
    return details(one) != details(other)


def exchanged(one: str, other: str) -> bool:
    """Whether one stands in the other but for a single word that means something, put in place of another or added:
    “where do I park my car / my bike”, “怎么报名 / 怎么取消报名”."""
    mine, theirs = _content(one), _content(other)
    letters = set("".join(mine)), set("".join(theirs))
    while mine and theirs and mine[0] == theirs[0]:
        del mine[0], theirs[0]
    while mine and theirs and mine[-1] == theirs[-1]:
        del mine[-1], theirs[-1]
    if not (mine or theirs) or max(len(mine), len(theirs)) > 1:
        return False
    new = set("".join(mine)) - letters[1] | set("".join(theirs)) - letters[0]
    return bool(new) or not is_han("".join(mine + theirs))  # 停 beside 停车 adds nothing


def _content(text: str) -> list[str]:
    """The words that mean something, in their order."""
    words = (rjieba.cut(run) if is_han(run) else [stem(run.removesuffix("'s"))] for run in runs(text))
    return [word for word in chain.from_iterable(words) if word not in stops.ZH and word not in _light()]


@cache
def _light() -> frozenset[str]:
    return frozenset(map(stem, stops.EN | stops.EN_ASKING)) | stops.EN | stops.ZH_ASKING


def _numbers(text: str) -> list[str]:
    found = [
        _value(match.group()) + (unit.group() if (unit := _UNIT.match(text, match.end())) else "")
        for match in _NUMBER.finditer(text)
    ]  # fmt: skip
    words = re.findall(r"[a-z]+", text.casefold())
    return [*found, *(_WORDS_EN[word] for word in words if word in _WORDS_EN)]


def _value(written: str) -> str:
    """三 → 3, 十二 → 12, 二十 → 20; digits as they stand."""
    if not is_han(written) and written[0] not in _DIGITS:
        return written
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return "".join(_DIGITS.get(mark, mark) for mark in written)
    return f"{_DIGITS.get(tens, tens) or '1'}{_DIGITS.get(ones, ones) or '0'}"


def _names_zh(text: str) -> list[str]:
    tagged = [word for word, tag in rjieba.tag(text) if tag in _NAMES_ZH and is_han(word) and word not in _NO_NAMES]
    days = [match.group(1).replace("天", "日") for match in _WEEKDAY.finditer(text)]
    plain = [word for word in tagged if not any(known.search(word) for known in (_WEEKDAY, _NUMBER, _BESIDE))]
    return [*plain, *days, *_BESIDE.findall(text), *(word.casefold() for word in _LATIN.findall(text))]


def _names_en(text: str) -> list[str]:
    said = [match.group().strip().casefold() for match in _EN.finditer(text)]
    return [*said, *(stem(name.casefold()) for name in _PROPER.findall(text) if name.casefold() not in said)]


def _negations(text: str) -> list[str]:
    return ["not"] * (len(_NOT_EN.findall(text)) + len(_NOT_ZH.findall(_EITHER.sub("", text))))
