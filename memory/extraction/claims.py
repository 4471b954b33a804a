"""What can be read from a message: claims, corrections, and what to forget."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.terms import Category, Kind
from memory.wording import key

SINGLE = frozenset(
    {
        "name", "occupation", "employer", "residence", "origin", "workplace", "language", "expertise",
        "birthday", "age", "state", "contact", "led_by", "lives_in", "works_at",
    }
)  # fmt: skip
"""Attributes of which a subject has one at a time."""

_EATING = re.compile(r"^(?:吃|喝|(?:to )?(?:eat|drink)(?:ing)? )(?=.{2})")
_DOING = re.compile(
    r"^(?:(?:打算|准备|计划|决定|要|已经|报名参加|报名|参加|取消|退|买|预约|预订|订|去|飞|到)+[了过]?(?=.{2})"
    r"|(?:signed up for|registered for|enrolled in|cancell?ed|attended|went to|(?:am )?going to"
    r"|planning (?:to|on)|plan to"
    r"|(?:put|sign|count) me (?:down|up|in) for|will|travell?ed to|flew to|visited|booked|attend|visit|rsvp'd (?:for|to)) +)+",
    re.IGNORECASE,
)
_DONE = re.compile(_DOING.pattern + r"|(?<=.{2})的?(?:报名|算(?:上)?我一?个?|我?(?:要|就|也)?(?:报名|参加)了?|我(?:来|去|参加)不了|(?:帮|给)我报个?名)$", re.IGNORECASE)
_TOPICS = (
    ("length", re.compile(r"short|brief|concise|terse|detail|long|thorough|简短|简洁|精简|详细|短|长|啰嗦", re.I)),
    ("format", re.compile(r"bullet|table|markdown|list|code|step|列表|表格|要点|代码|分点|步骤|格式", re.I)),
    ("tone", re.compile(r"formal|casual|friendly|emoji|polite|正式|口语|轻松|表情|幽默|客气", re.I)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that was said about `subject` ("me" is the speaker)."""

    kind: Kind
    category: Category
    subject: str
    attribute: str
    value: str
    text: str
    quote: str
    language: str
    importance: float
    confidence: float
    happened_from: datetime | None = None
    happened_to: datetime | None = None
    explicit: bool = False
    profile: str = ""
    orders: bool = False
    """It reads like an order to the assistant: a moderator looks at it before it may be used."""

    @property
    def is_opinion(self) -> bool:
        """Whether its slot is the very thing that it is about, so that two of one slot differ in words alone."""
        return self.attribute in {"likes", "dislikes", "interest"}

    @property
    def slot(self) -> str:
        """Two claims of one slot speak of the same thing, so that the later one ends the earlier one."""
        who = "me" if self.subject == "me" else key(self.subject)
        if self.attribute in SINGLE:
            return f"{who}|{self.attribute}"
        if self.is_opinion:
            return f"{who}|opinion|{key(_EATING.sub('', self.value.strip().lower()))}"
        if self.attribute == "prefers":
            return f"{who}|prefers|{topic(self.value)}"
        if self.attribute == "event":
            day = (self.happened_from + timedelta(hours=12)).date().isoformat() if self.happened_from else ""
            return f"{who}|event|{key(_DONE.sub('', self.value)) or key(self.value)}|{day}"
        return f"{who}|{self.attribute}|{key(self.value)}"


@dataclass(frozen=True, slots=True)
class Correction:
    """What the member takes back: `denied` words, or, when empty, what was shown last."""

    denied: tuple[str, ...]
    attribute: str
    claim: Claim | None
    quote: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one message says; `endings` end a slot without a new value."""

    claims: tuple[Claim, ...] = ()
    corrections: tuple[Correction, ...] = ()
    forgets: tuple[str, ...] = ()
    endings: tuple[Claim, ...] = ()
    secrets: tuple[str, ...] = ()
    asks_everything: bool = False
    is_question: bool = False


def topic(value: str) -> str:
    """What a preference is about: the length, format or tone of answers, else its own words."""
    return next((name for name, pattern in _TOPICS if pattern.search(value)), key(value))
