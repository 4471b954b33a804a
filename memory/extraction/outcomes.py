"""How a task ended that the member told of, and what they say decided it, should change, or is worth keeping."""

import re
from dataclasses import dataclass

from memory.extraction import guard, keywords
from memory.extraction.clauses import MASK, Clause, clauses
from memory.wording import HAN, is_han, shadow

_WORKED = re.compile(
    r"(?<![没未不])(?<!没有)(?<!未能)(?:搞定|修好|修复|解决|跑通|调通|弄好|装好|做成|办成|通过)了?(?=$|了|啦|[,。!~ ])|(?<!不)成功(?:了|啦)|终于(?:好|行|可以|成|能用)了"
    r"|\b(?:(?:it|that|this|everything)(?:'s)?\s+(?:finally\s+|now\s+)?(?:works?|worked|fixed)|finally\s+(?:works?|worked|fixed|solved|sorted|got|managed|passed|running)"
    r"|(?:I|we)(?:'ve)?\s+(?:finally\s+)?(?:fixed|solved|sorted|resolved|got)\s+(?:it|this|that|the\s+[\w -]{2,40}?)(?:\s+(?:working|running|done|out))?\b"
    r"|(?:is|are|got)\s+(?:finally\s+|now\s+)?(?:fixed|solved|sorted|resolved))",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"失败了|没(?:有)?(?:成功|成|搞定|通过|修好|办成|赶上)|搞砸了|黄了|白做了|翻车了"
    r"|\b(?:failed(?!\s+to\s+see)|didn'?t\s+(?:work(?:\s+out)?|pass|make\s+it)|went\s+wrong|fell\s+through|flopped|was\s+rejected|got\s+rejected)\b",
    re.IGNORECASE,
)
_STILL = re.compile(r"还没|还是没|仍然?|还在|又|\b(?:still|again|yet|keeps?)\b", re.IGNORECASE)
_WHY_ZH = r"(?:(?:主要|根本)?原因(?:就|其实)?(?:是|在于)|关键(?:就)?(?:是|在于)|多亏(?:了)?|全靠|靠的是|原来(?:是)?|问题(?:就)?出在|(?:是)?因为|是由于|由于)"
_WHY_EN = (
    r"(?:because|it\s+turned\s+out(?:\s+that)?|turns?\s+out(?:\s+that)?|turned\s+out(?:\s+that)?|thanks\s+to"
    r"|(?:and\s+)?(?:the|what)\s+(?:real\s+|main\s+|root\s+)?(?:reason|cause|problem|culprit|fix|trick|key|solution|issue)\s+(?:was|is)(?:\s+that)?"
    r"|what\s+(?:helped|did\s+it|worked|fixed\s+it)\s+was)"
)
_WHY = re.compile(rf"^\W*(?:{_WHY_ZH}|{_WHY_EN})\s*:?\s*(?P<why>.+)", re.IGNORECASE)
_WITHIN = re.compile(
    rf"(?:换成|换了|改成|改了|加了|删了|重启|升级|回滚|重装|调整|用了).{{2,}}(?:之后|以后|后)|{_WHY_ZH}.{{2,}}"
    r"|\b(?:after|once|when)\s+(?:I|we)\s+\w+.{3,}|\bby\s+\w+ing\b.{3,}|\bbecause\b.{3,}|\bthanks\s+to\b.{3,}",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"^\W*(?P<lead>(?:所以|那么?|看来|教训是?[,:]?)*下(?:一)?次(?:要|得|应该|一定)?|早知道(?:就)?|教训(?:就)?是"
    r"|(?:so\s+)?next\s+time|in\s+(?:the\s+)?future|lesson\s+learn(?:ed|t)|(?:the\s+)?lesson(?:\s+is)?|(?:I|we)\s+should\s+have)[\s,:]*(?P<words>.+)",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"(?:值得(?:保留|坚持|继续)|(?:这个|这种)(?:办法|方法|做法|流程)(?:很|挺)?(?:好用|管用|有效)|以后(?:都|就)这么)"
    r"|\b(?:worth\s+keeping|keep\s+doing|(?:I'll|we'll|will)\s+(?:do|use)\s+(?:it|that|this)\s+again|stick\s+with|works\s+well\s+for)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"^\W*(?:it|that|this|我|这|那)?\W*(?:was|is|的)?\W*(?:me|you|luck|运气好?|so|就是)?\W*$", re.IGNORECASE)
ROLES = ("worked", "failed", "decisive", "change", "keep")
"""What a part of an outcome says: that it worked, or failed; what decided it; what to do otherwise; what to keep."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended, part by part in the member's words: role and words; `teaches`: it says more than that it ended."""

    parts: tuple[tuple[str, str], ...]
    teaches: bool


def read(text: str) -> Outcome | None:
    """How a task ended, where the message says so in earnest and may be kept; None where it does not."""
    plain = shadow(text)
    if not (_WORKED.search(plain) or _FAILED.search(plain)) or not _keepable(text):
        return None
    found: dict[str, str] = {}
    within = False
    for piece in clauses(text):
        role, words = _role(piece)
        if role in ("worked", "failed"):
            if "worked" in found or "failed" in found:
                continue
            within = bool(_WITHIN.search(piece.shadow))
        if role and role not in found:
            found[role] = words
    result = next((role for role in ("worked", "failed") if role in found), "")
    if not result:
        return None
    parts = tuple((role, found[role]) for role in ROLES if role in found)
    more = [words for role, words in parts if role != result]
    return Outcome(parts, within or any(map(says, more)))


def about(text: str) -> frozenset[str]:
    """The words by which a task is known again, in small letters."""
    return frozenset(word.casefold() for word in keywords.of(text))


def tells(text: str) -> bool:
    """Whether a message can be what a task was told in: it names something, and may be kept."""
    return _keepable(text) and bool(keywords.of(text))


def _keepable(text: str) -> bool:
    return not (guard.secrets(text) or guard.is_instruction(text) or guard.is_sensitive(text) or guard.MASK in text)


def _role(piece: Clause) -> tuple[str, str]:
    """What a clause says of an outcome, and the words that say it; nothing behind a guard but for the next time."""
    plain, words = piece.shadow.strip(), piece.text.strip()
    if MASK in plain or len(plain) > 200:
        return "", ""
    if match := _CHANGE.match(plain):
        return "change", words[match.start("words") :]
    if not piece.stated:
        return "", ""
    if match := _WHY.match(plain):
        return "decisive", words[match.start("why") :]
    if _KEEP.search(plain):
        return "keep", words
    if _FAILED.search(plain) and not _STILL.search(plain):
        return "failed", words
    if _WORKED.search(plain) and not _STILL.search(plain):
        return "worked", words
    return ("decisive", words) if _WITHIN.search(plain) else ("", "")


def says(words: str) -> bool:
    """Whether it is more than a mood: a few words, one of them of some thing or doing."""
    long = len(re.findall(f"[{HAN}]", words)) >= 3 if is_han(words) else len(words.split()) >= 2
    return long and not _EMPTY.match(words) and bool(keywords.of(words))
