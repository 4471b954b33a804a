"""Whether the member's own words carry what a model says that they say."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from memory.extraction.clauses import MASK, Clause, clauses
from memory.wording import HAN, is_han, language, normal, shadow, stem

Stretch = tuple[int, int]
"""Start and end of a part of the message."""
SHORTEST = 2
"""Marks of a quote."""
MOST = 20
"""Places of one quote that are looked at."""
_KIN_ZH = (
    r"(?:好|小|大|前|老)?(?:朋友|同事|同学|室友|老板|领导|老师|客户|家人|闺蜜|哥们|邻居|对象|爸爸?|妈妈?|父亲|母亲|父母|哥哥?|姐姐?|弟弟?"
    r"|妹妹?|老公|老婆|丈夫|妻子|男友|女友|男朋友|女朋友|儿子|女儿|孩子|表[哥姐弟妹]|堂[哥姐弟妹]|舅|叔|姑|姨|爷爷?|奶奶?|外[公婆])"
)
_KIN_EN = (
    r"(?:friend|sister|brother|mother|mom|mum|father|dad|parents?|wife|husband|son|daughter|kids?|child(?:ren)?|boss"
    r"|colleague|coworker|co-worker|roommate|flatmate|neighbou?r|partner|girlfriend|boyfriend|cousin|uncle|aunt|manager"
    r"|teacher|client|customer|grandm\w+|grandf\w+|fianc[eé]e?|teammate|buddy|ex)s?"
)
_ME = re.compile(
    rf"(?:我|本人|俺|咱)(?!(?:们)?(?:的|家|那|这)?(?:个|位)?{_KIN_ZH})|\b(?:I|I'm|I've|I'd|I'll|im|ive|me|myself|mine)\b"
    rf"|\bmy\b(?! (?:\w+[ -]){{0,2}}{_KIN_EN}\b)",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\band I\b|[和跟与]我", re.IGNORECASE)
_HEAD = r"^[\s,，]*(?:(?:但是?|而且|不过|另外|还有|因为|所以|and|but|also|because|so|then)[\s,，]*)*"
_OTHER = re.compile(
    rf"{_HEAD}(?:我|我们|咱们?|俺)?(?:的|家|那|这)?(?:个|位)?{_KIN_ZH}|{_HEAD}(?:他们?|她们?|它们?|人家|别人|有人|大家|某人|对方)"
    rf"|{_HEAD}(?:my|our|his|her|their|a|the)\s+(?:[\w-]+\s+){{0,2}}{_KIN_EN}\b|{_HEAD}(?:he|she|they|it|someone|everyone|people)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"{_HEAD}(?!.{{0,3}}[我俺咱])(?!(?:平时|现在|目前|一直|经常|特别|其实|今年|今天|明天|周末|最近|以后|已经|非常|真的|本来|刚刚?|也|还|很|最|不|就|都|只|更|常))"
    rf"[{HAN}·]{{2,4}}?(?:不|也|很|最|都|还)?(?:喜欢|讨厌|住在?|来自|是(?!我)|叫|爱|在|用|有|想)"
    r"|^\s*(?!(?:I|Yes|No|This|That|Prefer|Likes?|Loves?|Works?|Lives?|Uses?|Always|Please)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?"
    r" (?:is|was|has|does|doesn't|isn't|hates?|likes?|loves?|lives?|works?|prefers?|uses?|went|moved|joined|lost|got)\b"
)
_ADDRESSED = frozenset({"prefers", "language"})
"""Said to the assistant, often without a subject."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What was found: the member's exact words, where the value stands, and the clauses that say it."""

    quote: str
    value: str | None
    clauses: tuple[Clause, ...]

    @property
    def said(self) -> str:
        """The clauses' text, for what is judged by more than the quote."""
        return " ".join(clause.text for clause in self.clauses)


class Message:
    """One message, cut once, asked for each fact."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain, self.places = _folded(text)
        self.clauses: list[tuple[Stretch, Clause]] = []
        cursor = 0
        for clause in clauses(text):
            start = text.find(clause.text, cursor)
            if start >= 0:
                cursor = start + len(clause.text)
                self.clauses.append(((start, cursor), clause))

    def find(self, words: str) -> Iterator[Stretch]:
        """Every place where the words stand, whatever their width, blanks and hidden marks."""
        wanted, _ = _folded(words)
        at = self.plain.find(wanted) if wanted else -1
        while at >= 0:
            yield self.places[at], self.places[at + len(wanted) - 1] + 1
            at = self.plain.find(wanted, at + 1)

    def carries(self, *, quote: str, value: str, subject: str, attribute: str) -> Ground | str:
        """The ground of a fact, or why there is none."""
        reason = "the quote is not in the message, word for word"
        if len(normal(quote)) < SHORTEST:
            return reason
        for start, end in islice(self.find(quote), MOST):
            held = [(at, clause) for at, clause in self.clauses if at[0] < end and start < at[1]]
            if not held:
                continue
            inside = (held[0][0][0], held[-1][0][1])
            spot = next((at for at in self.find(value) if inside[0] <= at[0] and at[1] <= inside[1]), None)
            if spot is not None:
                held = [(at, clause) for at, clause in held if at[0] < spot[1] and spot[0] < at[1]]
            reason = self._doubt(held, spot or (start, end), subject, attribute)
            if not reason:
                words = self.text[spot[0] : spot[1]] if spot else None
                return Ground(self.text[start:end].strip(), words, tuple(clause for _, clause in held))
        return reason

    def holds(self, words: str) -> bool:
        """Whether each word stands somewhere in the message, in any order."""
        return normal(words) in normal(self.text) or self.share(words) == 1

    def share(self, words: str) -> float:
        """How much of a text (0..1) is made of the message's words and characters; figures must all be in it."""
        here = shadow(self.text)
        figures = set(re.findall(r"\d+", words)) - set(re.findall(r"\d+", here))
        mine = {stem(word) for word in re.findall(r"[a-z']+", here.lower())} | set(re.findall(f"[{HAN}]", here))
        theirs = shadow(words)
        parts = [stem(word) for word in re.findall(r"[a-z']+", theirs.lower())] + re.findall(f"[{HAN}]", theirs)
        if figures or not parts:
            return 0.0
        return sum(part in mine for part in parts) / len(parts)

    def _doubt(self, held: list[tuple[Stretch, Clause]], spot: Stretch, subject: str, attribute: str) -> str:
        for at, clause in held:
            if not clause.stated:
                return "asked, supposed, doubted or said in jest"
            if MASK in clause.shadow[max(0, spot[0] - at[0]) : spot[1] - at[0]]:
                return "somebody else's words"
        if subject == "me" and not self._of_me(held[0][0][0], attribute):
            return "not said of the speaker"
        return ""

    def _of_me(self, place: int, attribute: str) -> bool:
        """Whether the speaker is spoken of: by the last subject named before or in the clause that begins there.

        A topic put before its own clause without a comma (川菜｜我碰都不碰) belongs to that clause.
        """
        mine: bool | None = None
        for (at, clause), after in zip(self.clauses, [*self.clauses[1:], None], strict=True):
            if at[0] > place:
                break
            own = _speaker(clause)
            if own is None and at[0] == place and after is not None and after[0][0] == at[1]:
                own = _speaker(after[1])
            mine = mine if own is None else own
        return bool(mine) or (mine is None and attribute in _ADDRESSED)


def _speaker(clause: Clause) -> bool | None:
    """Whether a clause names the speaker as its subject; False for somebody else, None for nobody."""
    plain = clause.shadow
    if (_OTHER.search(plain) or _NAMED.search(plain)) and not _BOTH.search(plain):
        return False
    return True if _ME.search(plain) or _BOTH.search(plain) else None


def same_language(text: str, message: str) -> bool:
    """Whether a sentence is in the message's language; figures and names alone fit any."""
    return not re.search(r"\w", text) or (language(text) == language(message) and (is_han(text) or not is_han(message)))


def _folded(text: str) -> tuple[str, list[int]]:
    """NFKC mark by mark, without blanks and marks that nobody sees; and the place of each mark in the text."""
    marks: list[str] = []
    places: list[int] = []
    for place, mark in enumerate(text):
        for part in unicodedata.normalize("NFKC", mark):
            if not part.isspace() and unicodedata.category(part) not in {"Cf", "Cc"}:
                marks.append(part)
                places.append(place)
    return "".join(marks), places
