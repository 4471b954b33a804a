"""What each sentence shape states, Chinese and English; the first shape that fits a clause wins."""

import re
from dataclasses import dataclass
from typing import Any

from memory.extraction.claims import Claim
from memory.terms import Category, Kind

END = r"(?=[，,。.!！;；\n]|$)"
_JOB_ZH = r"(?:工程师|设计师|老师|教师|医生|护士|律师|经理|程序员|学生|会计|作家|记者|司机|厨师|研究员|产品|运营|编辑|翻译|摄影师|顾问|店主)"
_JOB_EN = (
    r"(?:[\w-]+ ){0,3}(?:engineer|designer|teacher|doctor|nurse|lawyer|manager|developer|programmer|student|accountant"
    r"|writer|journalist|driver|cook|chef|researcher|editor|translator|photographer|consultant|analyst|scientist|architect)"
)
_NO_NAME = r"(?!(?:Sorry|Fine|Happy|Sad|Tired|Sure|Not|Here|Back|Chinese|English|Ready|Glad|Afraid|OK|Okay|Good|New)\b)"
_ME = r"(?:^|[\s，,])我(?:现在|一直|也|还|真的|特别|非常|最|很|超|比较|更)*"
_I = r"\bi(?: really| also| still| just| now| absolutely| do)*"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One shape: its words (with a `value`), what it states, and how it is said in either language."""

    words: re.Pattern[str]
    attribute: str
    zh: str
    en: str
    category: Category = Category.FACT
    kind: Kind = Kind.SEMANTIC
    importance: float = 0.6
    profile: str = ""


def _shape(words: str, attribute: str, zh: str, en: str, flags: int = re.I, **more: Any) -> Pattern:
    return Pattern(re.compile(words, flags), attribute, zh, en, **more)


_NAME: dict[str, Any] = {"importance": 0.9, "profile": "name"}
_TASTE: dict[str, Any] = {"category": Category.PREFERENCE, "profile": "preferences"}
_EVENT: dict[str, Any] = {"category": Category.EVENT, "kind": Kind.EPISODIC, "importance": 0.7}
_LIKE_ZH, _LIKE_EN = ("喜欢{}", "Likes {}")
_HATE_ZH, _HATE_EN = ("不喜欢{}", "Does not like {}")

PATTERNS: tuple[Pattern, ...] = (
    _shape(r"(?:我叫|我的名字是|我的名字叫|叫我)\s*(?P<value>[^\s，,。.!！的了吗呢]{1,16}?)吧?" + END, "name", "姓名是{}", "Name is {}", **_NAME),
    _shape(r"\b(?:[Mm]y name is|[Mm]y name's|[Cc]all me)\s+(?P<value>[^\s,.!?;]+(?: [A-Z]\w+)?)", "name", "姓名是{}",
           "Name is {}", 0, **_NAME),
    _shape(rf"\b(?:I'm|I am|This is)\s+{_NO_NAME}(?P<value>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?=[\s,.!]|$)(?! (?:in|at|from)\b)",
           "name", "姓名是{}", "Name is {}", 0, **_NAME),
    _shape(rf"我(?:现在)?(?:是|当|做)(?:一?[名个位])?(?P<value>[^\s，,。]{{0,10}}{_JOB_ZH})" + END, "occupation", "职业是{}", "Works as {}"),
    _shape(rf"\b(?:i'm|i am|i work as)\s+(?:an?\s+|the\s+)?(?P<value>{_JOB_EN})\b", "occupation", "职业是{}", "Works as {}"),
    _shape(r"我(?:现在)?在(?P<value>[^\s，,。]{2,16}?)(?:工作|上班)" + END, "employer", "在{}工作", "Works at {}"),
    _shape(r"\bi(?: now)? work (?:at|for)\s+(?P<value>[^,.!?;]{2,40}?)(?: now)?" + END, "employer", "在{}工作", "Works at {}"),
    _shape(r"我(?:现在)?(?:住在?|搬到了?|搬去了?)(?P<value>[^\s，,。了]{2,12})了?" + END, "residence", "住在{}", "Lives in {}"),
    _shape(r"\bi(?: now)? (?:live in|moved to|have moved to)\s+(?P<value>[^,.!?;]{2,40}?)(?: now)?" + END, "residence",
           "住在{}", "Lives in {}"),
    _shape(r"我(?:已经)?(?P<value>取消了?[^，,。]{0,20}报名)" + END, "event", "{}", "{}", **_EVENT),
    _shape(r"我(?:已经)?(?P<value>(?:报名|参加)了[^，,。]{2,30})" + END, "event", "{}", "{}", **_EVENT),
    _shape(r"我(?P<value>(?:昨天|前天|今天|上周|上个月|这周|刚)[^，,。]{0,6}去了[^，,。]{2,20})" + END, "event", "{}", "{}", **_EVENT),
    _shape(r"\bi (?P<value>(?:went|flew|travelled) to\s+[^,.!?;]{3,60})" + END, "event", "{}", "{}", **_EVENT),
    _shape(r"\bi(?:'ve| have)? (?:already )?(?P<value>(?:signed up for|registered for|attended|cancelled)\s+[^,.!?;]{3,60})" + END,
           "event", "{}", "{}", **_EVENT),
    _shape(_ME + r"(?:不(?:太|怎么|再)?(?:喜欢|爱)(?:吃|喝|用)?|讨厌(?:吃|喝|用)?|受不了)(?P<value>[^，,。!！了]{1,20})了?" + END, "dislikes",
           _HATE_ZH, _HATE_EN, **_TASTE),
    _shape(_ME + r"(?:喜欢|爱)(?:吃|喝|用)?(?P<value>[^，,。!！了]{1,20})了?" + END, "likes", _LIKE_ZH, _LIKE_EN, **_TASTE),
    _shape(r"^\s*(?P<value>[^我你他她\s，,。]{1,12})是我(?:的)?最爱" + END, "likes", _LIKE_ZH, _LIKE_EN, **_TASTE),
    _shape(_ME + r"(?:偏好|偏爱|更喜欢|习惯用)(?P<value>[^，,。!！]{1,20})" + END, "prefers", "偏好{}", "Prefers {}", **_TASTE),
    _shape(_I + r" (?:don't like|do not like|dislike|hate|can't stand)\s+(?P<value>[^,.!?;]{2,40})" + END, "dislikes", _HATE_ZH,
           _HATE_EN, **_TASTE),
    _shape(_I + r" prefer\s+(?P<value>[^,.!?;]{2,40})" + END, "prefers", "偏好{}", "Prefers {}", **_TASTE),
    _shape(_I + r" (?:like|love|enjoy|adore)\s+(?P<value>[^,.!?;]{2,40})" + END, "likes", _LIKE_ZH, _LIKE_EN, **_TASTE),
    _shape(r"\bi(?:'m| am) a (?:big |huge )?fan of\s+(?P<value>[^,.!?;]{2,40})" + END, "likes", _LIKE_ZH, _LIKE_EN, **_TASTE),
    _shape(r"^\s*(?P<value>[A-Z][^,.!?;]{1,30}?) is my (?:absolute )?favou?rite" + END, "likes", _LIKE_ZH, _LIKE_EN, **_TASTE),
    _shape(r"我(?:平时|一般|主要|不再)?(?:在)?用(?P<value>[A-Za-z][\w.+#-]{1,20})(?:\s*了)?" + END, "tool", "使用 {}", "Uses {}"),
    _shape(r"\bi(?: mostly| mainly| no longer)? use\s+(?P<value>[A-Z][\w.+#-]{1,20})(?: for [^,.]+)?" + END, "tool", "使用 {}", "Uses {}"),
)  # fmt: skip


def claim_of(pattern: Pattern, value: str, quote: str, language: str) -> Claim:
    """The claim that a shape states; the value stays as it was written."""
    value = value.strip()
    said = value[:1].upper() + value[1:] if pattern.attribute == "event" else value
    return Claim(
        kind=pattern.kind, category=pattern.category, subject="me", attribute=pattern.attribute, value=value,
        text=(pattern.zh if language == "zh" else pattern.en).format(said), quote=quote, language=language,
        importance=pattern.importance, confidence=0.9, profile=pattern.profile,
    )  # fmt: skip
