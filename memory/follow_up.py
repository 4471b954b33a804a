"""Words that only go on with what was just said: "再找找更便宜的", "show me more"."""

import re

from memory.wording import HAN, is_han, shadow

_FOLLOW_UP = re.compile(
    r"(?:再|继续|重新|换|多)(?:找|给|来|说|试|看|推荐|写|讲|列|换|想)\S{0,14}|(?:还有|有)(?:没有)?(?:别的"
    r"|其他的?|更\S{1,6}的)\S{0,4}|(?:便宜|简单|详细|短|长|快)(?:一?点|一?些)(?:的|儿)?"
    r"|(?:(?:find|show|give|try|list|do|make|explain|write|say)\b(?: me| it| us)?\b.{0,6}\b)?"
    r"(?:more|another|again|others?|cheaper|shorter|longer|simpler|better|different)(?: ones?| options?"
    r"| details?| info(?:rmation)?| about (?:it|that|this)| please| that| it)*",
    re.IGNORECASE,
)


_MORE = re.compile(
    r"(?:再|换|来)?(?:一|几|两)?(?:个|款|种|家)?(?:更)?\S{1,4}(?:一?点|一?些|的)(?:儿|的)?(?:有没有|有)?|换(?:一|几)?[个款种家]"
    r"|继续\S{0,3}|(?:something|anything)(?: else)?(?: cheaper| better| shorter| simpler| different)?",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:\s|(?:ok(?:ay)?|please|can you|could you|would you|thanks?|now|and|then|那么?|好的?|请|麻烦|帮我|给我)"
    r"(?![a-z]))+|(?:\s|please|thanks?|吗|么|吧|呢|谢谢)+$",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset(
    "再继续重新换多找给来说试看推荐写讲列想我你一下几两三个款种家些点次更别其他它便宜简单详细短长快慢好大小近远贵早晚高低新的有没还是儿了"
)
"""Characters of a Chinese follow-up; another one means that it says itself what it is about."""


def matches(words: str) -> bool:
    """Whether these words, without their punctuation, look like nothing but a follow-up."""
    return _FOLLOW_UP.fullmatch(words) is not None


def is_follow_up(text: str) -> bool:
    """Whether a whole message only goes on with what was just said, polite words around it apart."""
    words = re.sub(rf"[^\w{HAN}' ]+", " ", shadow(text))
    words = _POLITE.sub("", re.sub(r"\s+", " ", words)).strip()
    if any(is_han(letter) and letter not in _SAYS_NOTHING for letter in words):
        return False
    return matches(words) or _MORE.fullmatch(words) is not None
