"""Whether a message says anything worth keeping, what it is about, and how much its writer knows."""

import re

from memory import follow_up
from memory.extraction import keywords
from memory.wording import HAN, is_han, shadow

_EMPTY = re.compile(
    r"(?:嗯+|哦+|噢|喔|啊+|呃|额|唔|好+|行|可以|没问题|没事|收到|明白了?|懂了|知道了?|了解了?|清楚了?|是的?"
    r"|对的?|不是|不用了?|算了|谢+|多谢|感谢|非常感谢|太感谢了?"
    r"|谢谢你们?|谢谢啦|辛苦了?|你好|您好|大家好|早|早上好|晚上好|下午好|中午好|早安|晚安|再见|拜拜|在吗"
    r"|在不在|哈+|呵+|嘿+|嘻+|笑死|牛+|厉害|太棒了|真棒|不错|赞"
    r"|太好了|太强了|继续|下一个|然后呢|还有吗|再来一个|再说一遍|换一个|好吧|好的呢?|好哒|好滴|没有了?"
    r"|有的?|原来如此|这样啊|真的吗|ok+ay|ok+|k+|kk|got it|i see|gotcha|understood"
    r"|roger|thanks?(?: you)?(?: so much| very much| a lot| again| a bunch| a million)?|thx|ty|tysm|cheers"
    r"|cool|nice|great|awesome|perfect|wonderful|excellent|amazing|brilliant|lovely|fine"
    r"|good|very good|sure|yes|yeah|yep|yup|no|nope|nah|right|alright|all right|exactly|of course|hi+"
    r"|hello+|hey+|yo|hi there|hello there|good (?:morning|evening|afternoon|night)|bye+"
    r"|goodbye|see (?:you|ya)(?: later| soon| tomorrow)?|later|lol+|lmao|rofl|haha\w*|hehe\w*|wow|oh|ah"
    r"|hmm+|hm+|um+|uh+|never ?mind|no problem|no worries|you'?re welcome|welcome|sounds good"
    r"|makes sense|that helps|that'?s (?:great|perfect|it|all|fine|ok|okay|good)|go on|continue|again|next"
    r"|more|please|done|wait|sorry|my bad|much appreciated|appreciate it|that works|works for me"
    r"|test|测试|真|呀|了|吧|啦|呢|哒|的|你|你们|太|so much|for (?:your|the) help|你?的?(?:帮助|帮忙|回答"
    r"|解答|建议)|for that|for everything|everyone|all|guys|there|very much|man|mate|then|and)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$|吗\s*[。!！]?$|呢$|什么|怎么|为什么|多少|哪[里个些儿家]|是不是|能不能|有没有|可不可以"
    r"|^\s*(?:what|who|where|when|why|how|which|whose|is|are|do|does|did|can|could|would|should|will|has|have)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"[我咱俺]|(?<![A-Za-z])(?:I|I'm|I've|my|we|our|me)(?![A-Za-z])")
_ORDER = re.compile(
    r"\s*(?:请|麻烦|帮我?|给我|能否|能不能|劳驾|翻译|总结|写一|解释|介绍|推荐|please|can you|could you"
    r"|would you|translate|summari[sz]e"
    r"|write|explain|describe|recommend|help|give|show|list|tell|find|fix)",
    re.IGNORECASE,
)
_HOW = re.compile(r"怎么(?!样)|怎样|如何|\bhow (?:do|can|should) (?:i|we)\b|\bhow to\b", re.IGNORECASE)
_YEARS = (
    r"(?:\d{1,2}|[一二三四五六七八九十两]{1,3}|several|many|few|two|three|four|five|six|seven|eight|nine"
    r"|ten|twelve|fifteen|twenty)"
)
_LONG = (
    r"(?:[1-9]\d|[6-9]|十[一-九]?|[二三四]十[一-九]?|[六七八九]|six|seven|eight|nine|ten|eleven|twelve"
    r"|fifteen|twenty|thirty|many)"
)
_BEGINNER = re.compile(
    r"我(?:还|只|就|真的|完全|目前|现在|算|也)*(?:是|算)(?:个|一个|一名|一枚)?(?:[^，。,.不]{0,12}?)(?:新手"
    r"|小白|初学者|菜鸟|萌新|门外汉|入门者)|我(?:才|刚|刚刚|刚开始|开始)(?:刚)?(?:学|入门|接触|上手)"
    r"|我(?:是)?零基础|我没(?:有)?(?:什么|任何)?基础"
    r"|\bI(?:'m| am) (?:still |just |only |really |very |quite |totally |completely |pretty "
    r"|kind of )*(?:an? )?(?:absolute |complete |total )?(?:(?:\w+ ){0,2}(?:beginner|newbie|novice|noob"
    r"|newcomer)\b|new to (?!town|the (?:city|area|team|group|community|forum|channel))"
    r"|just starting (?:out|to learn)|a beginner)"
    r"|\bI(?:'ve| have) just started (?:learning|with|to learn)|\bI(?:'ve| have) (?:never"
    r"|no experience)\b.{0,20}(?:programmed|coded|coding|programming)\b",
    re.IGNORECASE,
)
_EXPERT = re.compile(
    rf"我(?:已经|从事|一共)*(?:做|写|搞|干|从事|用|教|研究)(?:了|过)?[^，。,.\s不]{{0,10}}?{_LONG}多?年"
    rf"|我有{_LONG}多?年(?:的)?[^，。,.\s]{{0,12}}经验"
    r"|我(?:是|算)(?:个|一名|一个|位)?[^，。,.不]{0,12}(?:专家|资深\S{1,10}|老手|老司机|大牛|高手)|我精通"
    rf"|\bI(?:'ve| have) (?:been )?(?:\w+ing|worked|programmed|coded|taught)\b.{{0,40}}\bfor (?:over "
    rf"|more than |about |almost |the (?:last|past) )?{_LONG}\+? years|\bI have (?:over "
    rf"|more than )?{_LONG}\+? years (?:of )?.{{0,30}}experience"
    r"|\bI(?:'m| am) (?:an? )?(?:expert\b|(?:\w+ ){0,2}expert\b|very experienced|highly experienced"
    r"|(?:seasoned|veteran|senior|principal|staff) \w+)",
    re.IGNORECASE,
)
_MIDDLE = re.compile(
    r"我(?:算)?(?:是)?(?:有(?:一些|一点|一定的?)(?:[^，。,.\s]{0,6})(?:基础|经验)|中级|中等水平)|我(?:做|写"
    r"|用|学)(?:了|过)?(?=[^，。]*(?:年\s*[^了，。\s]|[^了过\s]\s*[两三四五2-5]年|[A-Za-z]))[^，。,.\s不]{0,10}?[两三四五2-5]年"
    r"|\bI(?:'m| am) (?:an? )?(?:intermediate|somewhat experienced|fairly familiar with|comfortable with)"
    r"|\bI have some experience"
    r"|\bI(?:'ve| have) been \w+ing\b.{0,40}\bfor (?:about |almost )?(?:[2-5]|two|three|four|five) years",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"不是|并非|不算|如果|假如|要是|别人|朋友|同事|\bif\b|\bnot\b|n't\b|\bmy (?:friend|sister|brother|boss"
    r"|colleague)",
    re.I,
)


def asks(text: str) -> bool:
    """Whether it has the form of a question, with a mark at its end or without."""
    return bool(_QUESTION.search(text))


def worth_remembering(question: str) -> bool:
    """Whether a message states something, rather than greets, thanks, agrees, or only asks."""
    text = re.sub(r"\s+", " ", shadow(question)).strip()
    words = _words(text)
    if _says_nothing(words) or follow_up.matches(words):
        return False
    sentences = [part for part in re.findall(r"[^。！!；;？?\n]+[。！!；;？?]?", text) if part.strip()]
    return any(_states(part.strip()) for part in sentences)


def only_polite(text: str) -> bool:
    """Whether a message greets, thanks or agrees, and nothing else."""
    return _says_nothing(_words(re.sub(r"\s+", " ", shadow(text))))


def orders(text: str) -> bool:
    """Whether a message asks for something to be done, or how to do it."""
    return bool(_ORDER.match(shadow(text)) or _HOW.search(shadow(text)))


def topics(text: str, limit: int = 3) -> tuple[str, ...]:
    """Up to `limit` keywords of what is spoken about, in order, as written."""
    return keywords.of(text)[:limit]


def expertise(text: str) -> str | None:
    """beginner, intermediate or expert, only where it is plainly said of the speaker."""
    for clause in re.split(r"[。！!？?；;，,\n]|\.\s", shadow(text)):
        if _STOP.search(clause) or clause.rstrip().endswith("吗"):
            continue
        for level, pattern in (("beginner", _BEGINNER), ("expert", _EXPERT), ("intermediate", _MIDDLE)):
            if pattern.search(clause):
                return level
    return None


def _words(text: str) -> str:
    return re.sub(rf"[^\w{HAN}' ]+", " ", text).strip()


def _says_nothing(words: str) -> bool:
    return not re.search(r"\w{2}", words) or _all_empty(words)


def _all_empty(words: str) -> bool:
    """Whether nothing is left once polite and empty words are taken away, whole ones only."""
    rest = words
    while rest:
        match = _EMPTY.match(rest)
        following = rest[match.end() :][:1] if match else ""
        if not match or (following.isascii() and following.isalnum()):
            return False
        rest = rest[match.end() :].strip()
    return True


def _states(sentence: str) -> bool:
    """Whether a sentence holds a clause that is neither a question, nor an order, nor empty."""
    for clause in re.split(r"[，,]\s*", sentence):
        words = re.sub(rf"[^\w{HAN}' ]+", " ", clause).strip()
        if not words or _all_empty(words) or follow_up.matches(words) or _QUESTION.search(clause):
            continue
        order = _ORDER.match(clause)
        if order and not re.search(r"我(?:的|在|是|叫|住)|\b(?:I|I'm|my)\b", clause[order.end() :]):
            continue
        if _SELF.search(clause) or len(words) >= (6 if is_han(words) else 16):
            return True
    return False
