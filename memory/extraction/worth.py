"""Whether an exchange is worth remembering, and what it was about."""

import re

import rjieba

from memory.wording import HAN, simplified

_SMALL_TALK = re.compile(
    r"^(?:嗯+|哦+|好的?|行|可以|谢谢\w*|多谢|你好|您好|嗨|再见|早上好|晚安|哈+|收到|明白了?|ok(?:ay)?|thanks?(?: you)?|thx|hi|hello|hey"
    r"|bye|good (?:morning|night)|lol|ha(?:ha)+|yes|no|sure|got it|great|cool|nice|\W+)[\s\W]*$",
    re.I,
)
_QUESTION = re.compile(r"[?？]\s*$|(?:吗|呢|么)\s*$|^(?:who|what|when|where|why|how|can|could|do|does|is|are)\b", re.I)
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[A-Za-z][A-Za-z-]{3,}")
_NO_TOPIC = frozenset(
    """
    what when where which about there their would could should please thanks have with from that this your mine they
    know tell want need like time last does need sign make help some many much will been hello remember name
    怎么 什么 如何 可以 我们 你们 他们 这个 那个 上次 一下 现在 知道 告诉 时候 怎样 为什么 哪里 请问 没有 一个 还有 自己 就是 今天 明天
    """.split()  # noqa: SIM905 - a list of words reads as words
)
_LEVELS = (
    ("beginner", re.compile(r"我是(?:个)?(?:新手|小白|初学者)|刚(?:开始学|入门)|i'?m (?:new to|a (?:complete )?beginner)", re.I)),
    ("expert", re.compile(r"我(?:做|干|写)了(?:\d{2,}|十几?|二十)年|i(?:'ve| have) been \w+ing .{0,30}?(?:\d{2,}|ten|twenty) years", re.I)),
)  # fmt: skip


def worth_remembering(question: str) -> bool:
    """False for greetings, thanks, acknowledgements, bare questions and the like."""
    text = question.strip()
    return len(text) > 3 and not _SMALL_TALK.match(text) and not _QUESTION.search(text)


def topics(text: str, limit: int = 3) -> tuple[str, ...]:
    """What is spoken of: the longest content words, in the order of their first mention."""
    plain = simplified(text)
    words = [word for word in rjieba.cut(plain) if len(word) > 1 and _HAN.search(word)]
    words += [word.casefold() for word in _WORD.findall(plain)]
    kept = dict.fromkeys(word for word in words if word not in _NO_TOPIC)
    return tuple(kept)[:limit]


def expertise(text: str) -> str | None:
    """beginner or expert, only where it is plainly said."""
    return next((level for level, pattern in _LEVELS if pattern.search(text)), None)
