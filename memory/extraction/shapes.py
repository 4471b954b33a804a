"""What a shape of clause states: attribute by attribute, how it weighs and how it is said in either language."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.terms import Category, Kind


@dataclass(frozen=True, slots=True)
class Shape:
    """A clause that fits `words` from end to end states what its named groups hold; `ends` takes it back instead."""

    words: re.Pattern[str]
    ends: bool = False
    confidence: float = 0.9


@dataclass(frozen=True, slots=True)
class Meaning:
    """How an attribute is kept and said; `{}` is the value."""

    zh: str
    en: str
    category: Category = Category.FACT
    kind: Kind = Kind.SEMANTIC
    importance: float = 0.6
    profile: str = ""


MEANINGS: dict[str, Meaning] = {
    "name": Meaning("姓名是{}", "Name is {}", importance=0.9, profile="name"),
    "occupation": Meaning("职业是{}", "Works as {}", importance=0.7),
    "employer": Meaning("在{}工作", "Works at {}", importance=0.7),
    "workplace": Meaning("在{}上班", "Works in {}"),
    "residence": Meaning("住在{}", "Lives in {}", importance=0.7),
    "origin": Meaning("来自{}", "Comes from {}"),
    "age": Meaning("年龄是{}岁", "Is {} years old"),
    "birthday": Meaning("生日是{}", "Birthday is {}"),
    "tool": Meaning("使用{}", "Uses {}"),
    "likes": Meaning("喜欢{}", "Likes {}", Category.PREFERENCE, importance=0.5, profile="interests"),
    "dislikes": Meaning("不喜欢{}", "Does not like {}", Category.PREFERENCE, profile="preferences"),
    "prefers": Meaning("偏好{}", "Prefers {}", Category.PREFERENCE, importance=0.7, profile="preferences"),
    "language": Meaning("语言是{}", "Language is {}", Category.PREFERENCE, importance=0.7, profile="language"),
    "interest": Meaning("对{}感兴趣", "Interested in {}", Category.PREFERENCE, importance=0.5, profile="interests"),
    "expertise": Meaning("{}", "{}", importance=0.6, profile="expertise"),
    "has": Meaning("有{}", "Has {}", importance=0.5),
    "habit": Meaning("{}", "{}", importance=0.5),
    "event": Meaning("{}", "{}", Category.EVENT, Kind.EPISODIC, 0.5),
    "relation": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "led_by": Meaning("{}", "{}", Category.RELATION, importance=0.6),
    "needs": Meaning("{}", "{}", Category.RELATION, importance=0.6),
    "depends_on": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "part_of": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "uses": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "works_at": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "lives_in": Meaning("{}", "{}", Category.RELATION, importance=0.5),
    "kin": Meaning("{}", "{}", Category.RELATION, importance=0.6),
    "state": Meaning("{}", "{}", Category.TASK, importance=0.6),
    "decision": Meaning("{}", "{}", Category.TASK, importance=0.7),
    "duty": Meaning("负责{}", "In charge of {}", Category.TASK, importance=0.6),
    "note": Meaning("{}", "{}", importance=0.8),
}
LISTED = frozenset({"likes", "dislikes", "interest", "tool"})
"""Attributes whose value may be a list, one claim an item."""

Check = Callable[[str], bool]
