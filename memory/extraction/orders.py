"""What a member orders: remember this, forget that, tell me everything."""

import re
from dataclasses import dataclass

from memory.extraction.clauses import asks
from memory.wording import HAN, shadow

MOST = 40
"""Orders that one message may hold."""


@dataclass(frozen=True, slots=True)
class Note:
    """Words to remember, and the words that asked for it."""

    words: str
    quote: str


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of one message."""

    notes: tuple[Note, ...] = ()
    forgets: tuple[str, ...] = ()
    asks_everything: bool = False


_START = r"(?:^|(?<=[。!?;\n.,]))[ \t]*"
_REMEMBER = re.compile(
    rf"{_START}(?:(?:另外|还有|对了|好的?|那|嗯|也)[, ]*)?(?:请|你|麻烦你?|帮我|给我|要|一定要?|务必|也"
    r"|拜托|帮忙|劳驾)*"
    r"(?:(?:记住|记下来?|记一下|记录一下|备忘|备注(?:一下)?|别忘了|不要忘记?|不要忘了|牢记|存一下)(?!没|吗"
    r"|我叫什么|我说的)|记得(?=我|:|,))"
    r"(?:一下|这个|这点|一点|这一点|这件事|哦|啊|哈)*(?P<colon>[:, ]*\n?)(?P<zh>[^\n]+)"
    rf"|{_START}(?:(?:please|hey|also|and|ok|okay|so|just|kindly|btw|oh|can you|could you|make sure (?:you"
    r"|to)|i want you to|i'd like you to|you should)[, ]+)*"
    r"(?:remember|note to self|note|keep in mind|bear in mind|make a note|take note|don't forget|do not forget"
    r"|memori[sz]e|save this|write this down)"
    r"(?:\s+(?:this|down|for later|for me|for next time|also))*"
    r"(?:(?P<colon_en>\s*:\s*)|(?<=to self)\s*[,-]\s*|\s+that\s+|,?\s+(?=(?:I|I'm|I've|my|we|our|I'd)\b)|\s+(?=(?:the"
    r"|a)\s+[\w' -]{2,40}?\s(?:is|are|was|will|has)\b))(?P<en>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
_FORGET = re.compile(
    rf"{_START}(?P<asked>(?:请|你|麻烦|可以|帮我|能不能)*)(?:忘记|忘掉|忘了|删掉|删除|清除|抹掉"
    r"|不要再?记[得住]?|别再?记[得住]?)(?:掉|一下)?(?P<about>关于|有关)?(?P<zh>[^。!?;\n,]+)"
    rf"|{_START}(?:请|麻烦|帮我|你)*把(?P<ba>[^。!?;\n,]+?)(?:从(?:你的)?记忆(?:里|中))?(?:给)?(?:忘了|忘掉"
    r"|忘记|删掉|删除|删了|清除|抹掉)(?:吧|掉)?"
    r"|(?:^|(?<=[。!?;\n.,]))[ \t]*(?=[^。!?;\n]*(?:[你请吧]|麻烦|帮我|给我))(?P<topic>[^。!?;\n,]{2,24}?)(?:这|那)(?:条|件事|个|一条|段)(?:记忆|记录|信息)?,?"
    r"(?:请|麻烦|可以|你|都|就|也|帮我|给我|先)*(?:删(?:掉|了|除)?|忘(?:掉|了|记)|清(?:掉|除)|抹掉)(?:吧|了|掉)*(?=$|[。!;\n,])"
    rf"|{_START}(?:(?:please|can you|could you|would you|you can|you should|ok|okay|actually|just|now|and"
    r"|also)[, ]+)*(?:forget|delete|erase|remove|stop remembering|don't remember|do not remember|wipe)\s+"
    r"(?P<that>(?:that|about|the fact that|what (?:I|you) (?:said|know|told you) about"
    r"|everything (?:you know )?about|the (?:thing|stuff|bit|part|one|info\w*|entry) (?:about|on|where)|the memory (?:of|that|about)|my memory (?:of|that|about)"
    r"|the note (?:that|about))\s+)*(?P<en>[^.!?;\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
_EVERYTHING = re.compile(
    r"你(?:现在|目前|都|还|到底|究竟)*(?:记得|知道|记住了?|了解|记了|保存了|存了)(?:些)?(?:关于)?(?:我"
    r"|我的)(?:的)?(?:什么|哪些|多少|啥|一切|所有)"
    r"|你(?:现在|目前|都|还)*(?:记得|知道|记住了?|了解|记了|保存了|存了)(?:些)?(?:什么|哪些|多少|啥)(?:关于"
    r"|有关)?我?的?(?:事|信息|东西|记忆)?[?？。!\s]*$"
    r"|关于我你?(?:都|还)*(?:记得|知道|记住了?|了解|存了)(?:些)?(?:什么|哪些|多少|啥)|(?:列出|告诉我|显示"
    r"|展示|看看|说说)(?:一下)?(?:你)?(?:所有|全部|一切)?(?:关于我的|记得的|我的)(?:所有|全部)?(?:记忆|一切"
    r"|信息)|你对我(?:都|有)?(?:什么)?(?:了解|知道|印象)(?:多少|什么|些什么|哪些)?"
    r"|what(?:'s| is| do| did| have| all do| else do| exactly do)?\s*(?:you|u)?\s*(?:all |actually "
    r"|already |currently )?(?:know|remember|remembered|stored|learned|saved|got|have)\s+(?:stored |saved "
    r"|on file )?(?:about|on) me\b"
    r"|(?:show|tell|list|give)\s+(?:me\s+)?(?:everything|all|what)\s+(?:that\s+)?(?:you(?:'ve)?\s+)?(?:know"
    r"|remember|remembered|stored|have|memories|the memories)?\s*(?:stored\s+)?(?:about|on|of) me\b|(?:list"
    r"|show)(?: me)?(?: all)?(?: of)? my memories|what are my memories",
    re.IGNORECASE,
)
_TRIFLE = re.compile(
    r"^(?:吧|了吧?|它|这个?|那个?|这件事|算了|带|it|this|that|me|to|you|about it|him|her"
    r"|them)?[\s。.!~吧了]*$|^(?:to|带|拿|买|关|吃|密码|怎么)(?![A-Za-z])",
    re.IGNORECASE,
)
_END_FORGET = re.compile(
    r"(?:的?(?:这件事情?|这条|那条|这一?点|事情?|记忆|信息|记录))?(?:吧|了|哦|好吗)*[\s。.!~]*$"
    r"|\s+(?:please|thanks|now|anymore)$",
    re.IGNORECASE,
)
_POLITELY = re.compile(r"\b(?:can|could|would) you\b", re.IGNORECASE)
_WHAT_OF_ME = re.compile(r"(?:where|what|who|how old|when|which \w+) (?:I|my)\b", re.IGNORECASE)
_MINE = re.compile(r"我|\b(?:I|I'm|I've|my|me|mine)\b", re.IGNORECASE)


def read(text: str) -> tuple[Orders, str]:
    """The orders, and the text without them, of the same length."""
    plain = shadow(text)
    notes: list[Note] = []
    forgets: list[str] = []
    rest = text
    for match in _REMEMBER.finditer(plain):
        group = "zh" if match["zh"] else "en"
        start, end = match.start(group), _note_end(plain, match, group)
        words = text[start:end].strip().strip("。.!！;；?？ ")
        if len(words) < 2 or _asks(plain[match.start() : end]) or len(notes) >= MOST:
            continue
        notes.append(Note(words, text[match.start() : end].strip()))
        rest = rest[: match.start()] + "\n" * (end - match.start()) + rest[end:]
    for match in _FORGET.finditer(shadow(rest)):
        words = _forgotten(match, text)
        if words and len(forgets) < MOST:
            forgets.append(words)
            rest = rest[: match.start()] + "\n" * (match.end() - match.start()) + rest[match.end() :]
    return Orders(tuple(notes), tuple(forgets), bool(_EVERYTHING.search(plain))), rest


def _note_end(plain: str, match: re.Match[str], group: str) -> int:
    """To the end of the sentence; after a colon to the end of the message."""
    if ":" in (match["colon"] or "") or ":" in (match["colon_en"] or ""):
        return len(plain)
    stop = re.compile(r"[。!?;\n]|\.(?=\s|$)").search(plain, match.start(group))
    return stop.end() if stop else len(plain)


def _asks(words: str) -> bool:
    """Whether it is a question after all: "remember what I said?"."""
    first = re.split(r"[。!;\n]", words.strip(), maxsplit=1)[0]
    polite = re.match(r"\W*(?:can|could) you (?:please )?(?:remember|note|make) (?:that|:|I|my)", first, re.IGNORECASE)
    return not polite and ":" not in first and asks(first)


def _forgotten(match: re.Match[str], text: str) -> str:
    group = next(name for name in ("zh", "ba", "topic", "en") if match[name])
    start = match.start("that") if (match["that"] or "").lower().startswith("everything") else match.start(group)
    words = text[start : match.end(group)].strip()
    words = _END_FORGET.sub("", words).strip(" ，,：:")
    sure = _MINE.search(words) or match["that"] or match["about"] or match["topic"] or (match["asked"] and re.search(f"[{HAN}]", words))
    ordered = _POLITELY.search(match.group()) or _WHAT_OF_ME.match(words)
    if not sure or _TRIFLE.match(words) or (asks(match.group()) and not ordered):
        return ""
    return words
