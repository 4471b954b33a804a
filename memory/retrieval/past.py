"""Whether a question looks back, and to when: "where did I work in May?", 我以前住哪."""

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.dates import spans

_BACK = re.compile(
    r"以前|之前|过去|曾经|原来|从前|当时|那时候?|早先|上一(?:家|份|个|任)|前一(?:家|份|个)|前东家"
    r"|\buse(?:d)? to\b|\bbefore\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\bback then\b|\bin the past\b"
    r"|\blast (?:job|employer|company)\b|\bold (?:job|employer|company|address|home|flat|name)\b|\bwhat was my\b"
    r"|\bdid i (?:\w+ )?(?:work|live|use|like|love|enjoy|do)\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"现在|目前|如今|\b(?:now|currently|at the moment|these days)\b", re.IGNORECASE)

_TALKED = re.compile(
    r"(?:我们?|咱们?|我跟你|你我).{0,12}(?:说|聊|谈|讲|讨论|问)(?:了|过|的|到)?(?:些|的)?(?:是)?(?:什么|啥|哪)"
    r"|\bwhat did (?:we|i) (?:\w+ )?(?:talk|discuss|say|chat|speak|ask|tell)\b"
    r"|\bwhat (?:have we|were we) (?:\w+ )?(?:talk|discuss)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Back:
    """A look back: to a window, half-open, or (None) to whatever is over."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, since: datetime | None, until: datetime | None) -> bool:
        """Whether something that was true from `since` to `until` (None: still is) is meant."""
        if self.start is None or self.end is None:
            return until is not None
        return (since is None or since < self.end) and (until is None or until > self.start)


def talks(question: str) -> bool:
    """Whether it asks what was spoken earlier."""
    return bool(_TALKED.search(question))


def talk_of(question: str, *, now: datetime, zone: ZoneInfo) -> Back | None:
    """The days of which it asks what was spoken then ("what did we talk about last Wednesday?")."""
    if not talks(question):
        return None
    window = next(iter(spans(question, at=now, zone=zone)), None)
    return Back(window.start, window.end) if window else None


def look_back(question: str, *, now: datetime, zone: ZoneInfo) -> Back | None:
    """None for a question about what is true now."""
    window = next((span for span in spans(question, at=now, zone=zone) if span.end <= now), None)
    if window:
        return Back(window.start, window.end)
    return Back() if _BACK.search(question) and not _NOW.search(question) else None
