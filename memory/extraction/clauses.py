"""A message cut into clauses, each with what keeps it from being the speaker's own statement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.wording import HAN, shadow

MASK = "\x00"
_HEADS = (
    r"本人[^\s:]{0,6}|姓名|名字|昵称|网名|坐标|职业|城市|爱好|老家|家乡|生日|[^\s:]{0,6}(?:介绍|报到|通知|消息)|记住|请记住|记一下|帮我记一下|备注|更正|纠正|补充|另外|还有|对了|顺便|说明|提醒|注意|自我介绍"
    r"|介绍一下|关于我|背景|总之|首先|其次|最后|第[一二三]|我[^\s]*"
    r"|ps|p\.s\.|btw|fyi|notes?|remember|reminder|please remember|don't forget|update|edit|about me"
    r"|background|context|(?:(?:one|small|quick|just|a|last|good|bad)\s+)*(?:thing|news|request)|name|location|city|job|occupation|hobbies|birthday|hometown"
    r"|important|also|hi|hello|me|i\b[^:]*|my\b[^:]*"
)
_SPEAKER = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]+)?(?:\[?\d{{1,2}}:\d\d(?::\d\d)?\]?[ \t]*)?(?!(?:{_HEADS})[ \t]*:)"
    rf"(?P<who>[{HAN}\w·.@-]{{1,12}}|[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){{1,2}})[ \t]*(?:\([^)\n]{{0,24}}\))?"
    r"[ \t]*:(?!//|\d\d\b)[ \t]*\S[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_OWN_LINE = re.compile(r"^[ \t]*(?:我|me|I)[ \t]*:[ \t]*", re.MULTILINE | re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[ \t]*>[^\n]*|```[\s\S]*?(?:```|\Z)|^\|[^\n]*\|[ \t]*$", re.MULTILINE)
_QUOTES = re.compile(r"「([^」]*)」|『([^』]*)』|“([^”]*)”|\"([^\"\n]*)\"")
_FIRST_PERSON = re.compile(r"我|(?<![A-Za-z])(?:I|I'm|my|me)(?![A-Za-z])")
_KIN = (
    r"(?:的)?(?:朋友|同事|同学|室友|老板|领导|老师|客户|家人|爸|妈|父|母|哥|姐|弟|妹|老公|老婆|丈夫|妻子"
    r"|男友|女友|男朋友|女朋友|对象|儿子|女儿"
    r"|孩子|邻居|表|堂|舅|叔|姑|姨|爷|奶|外)"
)
_SAYS_ZH = re.compile(
    rf"(?:^|(?<=[,。!?;\n、 ]))(?!我(?!们?{_KIN})|请|以后|麻烦|你?都?用)[^,。!?;:\n]{{0,16}}?"
    r"(?:(?<!小)(?<!话)(?<!如)(?<!是)(?<!来)(?<!实)(?<!传)(?<!再)(?<!要)(?<!以)说(?!实|明|话|起|法|白了|一?声|一下|[一个两几]?句|个事|一嘴"
    r"|不定|服|到|真)"
    r"|告诉我|跟我讲|表示|写道|声称|认为|觉得|回复(?:我|说)(?=[:,说])|问我|听说|据说)[:,]?"
)
_SAYS_EN = re.compile(
    r"(?<![A-Za-z'])(?!I\b)[A-Za-z]+ (?:says?|said|told (?:me|us|him|her|them)|tells? me|claims?|claimed"
    r"|thinks?|thought|wrote"
    r"|writes|replied|asked(?: me)?|believes?|insists?|mentioned)\b[:,]?(?: that)?",
    re.IGNORECASE,
)
_SHORT = "".join(rf"|(?<=\b{word})" for word in ("Dr", "St", "Mr", "Ms", "Mrs", "vs", "Jr", r"e\.g", r"i\.e"))[1:]
_SENTENCE = re.compile(rf"(?:[^。!?;\n….]|\.(?=[A-Za-z0-9])|(?:{_SHORT})\.)+[。!?;\n….]*")
_NO_ITEM = (
    r"(?!(?:I|I'm|my|we|he|she|they|it|but|so|please|thanks|not|also|work|live|am|have|use|love|hate"
    r"|prefer)\b)"
)
_ITEM = rf"{_NO_ITEM}[\w+#.'-]+"
_LIST = re.compile(
    rf"(?<=[A-Za-z+#]),(?=(?: {_ITEM}(?: [\w+#.'-]+)?,){{0,6}}(?: {_ITEM}(?: [\w+#.'-]+)?,?)? (?:and|or) {_ITEM}"
    r"(?: [\w+#.'-]+){0,2}\s*(?:[.!;\n]|$))",
    re.IGNORECASE,
)
_VERBS_ZH = r"(?:叫|住|在|是|喜欢|爱|不喜欢|讨厌|来自|用|做|也|还|现在|目前|今年|平时|最|更|从|擅长|对|每|习惯|养|有)"
_VERBS_EN = (
    r"(?:live|work|love|like|enjoy|hate|prefer|use|speak|come|am|have|don't|moved|joined|grew|went|signed"
    r"|study|usually|also)"
)
_NOT_AFTER = "".join(
    rf"(?<!\b{word})"
    for word in [
        "and",
        "but",
        "that",
        "if",
        "when",
        "do",
        "did",
        "because",
        "where",
        "what",
        "how",
        "know",
        "why",
        "so",
    ]
)
_CLAUSE = re.compile(
    r",\s*|(?<=[^\s,])\s+(?=(?:而)?不是)|(?<=[^\s,])(?=而不是)|\s+[-–—]+\s+|[()]|、(?=我(?!们))"
    rf"|(?<=[{HAN}\w])\s+(?=我{_VERBS_ZH})"
    rf"|(?<=[{HAN}])\s+(?=(?:住在|喜欢|来自|在[{HAN}]{{2,10}}(?:工作|上班)|不喜欢|讨厌|擅长|爱|是|叫|平时))"
    rf"|(?<=[{HAN}])(?<![和跟给对找让帮是的问请诉陪叫教比送把被使与同向由到了])(?=我{_VERBS_ZH})"
    rf"|(?<=了)(?=我{_VERBS_ZH})"
    r"|(?=(?:而且|但是|不过|所以|并且|然后|另外|因为)[我也还现])|(?<=[^\s])(?=但(?:是)?我)"
    r"|\s+(?=(?:and|but|so|because|though|although|plus|while|which|where|who)\s+(?:I|I'm|I've|im|ive|my|we"
    r"|also|not)\b)"
    rf"|\s+(?=(?:and|but) {_VERBS_EN}\b)|\s+(?=because\b)|{_NOT_AFTER}\s+(?=(?:i {_VERBS_EN}\b|i'm |im "
    r"|my name is ))",
    re.IGNORECASE,
)
_LEAD = r"^(?:(?:so|and|or|but|hey|hi|ok|well)[, ]+)*"
_AUX = r"(?:who|what|when|where|why|how|which|whose|do|does|did|is|are|am|was|were|can|could|would|should|will)(?!'t (?!you|i\b|we|they|he|she|it\b))"
_ASKS = re.compile(
    r"吗\s*$|呢\s*$|什么|[怎咋][么样]|多少|哪(?!怕)|谁|为何|是不是|能不能|有没有|可不可以|要不要|会不会"
    r"|是否|几[点个岁号天年月]"
    rf"|{_LEAD}(?:{_AUX}|what's|whats|where's|isn't|don't (?:you|i|we|they)|shall|have you|has|had|may|must)\b"
    r"|\b(?:do|did) you (?:know|remember)\b|\bwonder(?:ing)?\b|\b(?:tell|ask) me (?:if|whether|what|where"
    r"|who|when|how)\b"
    r"|你(?:还)?(?:记得|知道|猜)",
    re.IGNORECASE,
)
_ASKS_ON = re.compile(rf"{_LEAD}{_AUX}\b", re.IGNORECASE)
_TAG = re.compile(
    r"^(?:对吗|对吧|是吗|是吧|对不对|是不是|没错吧|right|correct|isn't it|don't i|aren't i|am i right|yes"
    r"|no|huh)\W*$",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"如果|要是|假如|想象(?:一下|你|我|自己)|设想|假设|假若|倘若|万一|比如|例如|譬如|除非|就好了|的话$"
    r"|\bif\b|\bunless\b|\bwould\b(?! prefer)|\bsuppos\w+|\bimagine\b"
    r"|\bassum\w+|\blet's say\b|\bfor example\b|\bfor instance\b|\be\.g\.|\bhypothetical",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"可能|也许|或许|大概|说不定|希望(?!你)|想象|梦见|梦到|差点|以为|没(?:有)?说|不是说|不知道|没跟"
    r"|\bnever said\b|\b(?:didn't|don't|did not) (?:say|know|think|remember)\b|\bnot that\b|本来想|以前"
    r"|曾经|过去|\bmaybe\b|\bperhaps\b|\bprobably\b|\bmight\b"
    r"|\bcould\b|\bshould\b|\bwish\b|\bhope\b|\bused to\b|\bdream\w*\b|\balmost\b|\bwanna\b|\bwant to\b",
    re.IGNORECASE,
)
_PLAYS = re.compile(
    r"假装|扮演|你来当|编一?个故事|写一?[个篇段封首]|翻译(?=[:一成这下]|$)|改写|润色|造句|小说里|故事里"
    r"|台词|歌词|歌里|别记|不要记|不用记|\bpretend\b"
    r"|\brole-?play\b|\bact as\b|\btranslate\b|\brephrase\b|\bproofread\b|\bwrite (?:me )?(?:a|an|the)\b"
    r"|\blyrics?\b|\bsentence:"
    r"|\bin (?:the|my|a) (?:story|novel|game|movie|song|dream)\b|\bmy character\b|\bsay:"
    r"|\bdon't (?:remember|save|store|keep)\b",
    re.IGNORECASE,
)
_JOKES = re.compile(
    r"打钱|[vV]我\d|开玩笑|逗你|骗你|\bjust kidding\b|\bjk\b|\bkidding\b|\bjust joking\b|(?<=\s)/s\b"
    r"|\bas a joke\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:如果|要是)(?:你)?(?:可以|方便|不介意|愿意)(?:的话)?|if (?:possible|you (?:don't mind|like|can|want"
    r"|prefer|could|please)|that's ok\w*)",
    re.IGNORECASE,
)
_STOP = re.compile(r"[。!?;\n]|\.(?=\s|$)|\Z")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as written, its shadow of the same length, and its sentence; `stated` is false behind a guard."""

    text: str
    shadow: str
    sentence: str
    number: int
    stated: bool


def clauses(text: str) -> list[Clause]:
    """Every clause in order; pasted and reported words are blotted out, questions and suppositions not `stated`."""
    plain = _masked(shadow(text))
    joke = bool(_JOKES.search(plain))
    played = _PLAYS.search(plain)
    found = []
    for number, sentence in enumerate(_SENTENCE.finditer(plain)):
        start, body = sentence.start(), sentence.group()
        whole = text[start : sentence.end()].strip()
        for at, end, stated in _cut(body):
            serious = stated and not joke and not (played and played.start() < start + end)
            piece = slice(start + at, start + end)
            found.append(Clause(text[piece], plain[piece], whole, number, serious))
    return found


def asks(text: str) -> bool:
    """Whether a message asks something, also without its mark."""
    plain = _masked(shadow(text))
    return any(
        sentence.rstrip().endswith("?") or any(_ASKS.search(sentence[at:end].strip()) for at, end, _ in _cut(sentence))
        for sentence in _SENTENCE.findall(plain)
    )


def speaker_lines(text: str) -> list[tuple[str, str]]:
    """Who said what, in the lines of a pasted dialogue."""
    found = []
    for line in _SPEAKER.finditer(shadow(text)):
        words = text[line.end("who") : line.end()]
        found.append((text[line.start("who") : line.end("who")], re.sub(r"^[^:：]*[:：]\s*", "", words).strip()))
    return found


def _masked(plain: str) -> str:
    """The shadow with everything blotted out that somebody else said."""
    for pattern in (_QUOTED_LINE, _SPEAKER):
        plain = pattern.sub(lambda found: MASK * len(found.group()), plain)
    plain = _OWN_LINE.sub(lambda found: " " * len(found.group()), plain)
    plain = _QUOTES.sub(_quote, plain)
    plain = _LIST.sub("、", plain)
    for says in (_SAYS_ZH, _SAYS_EN):
        plain = _reported(plain, says)
    return plain


def _quote(found: re.Match[str]) -> str:
    """A quoted name or title stays; quoted speech goes."""
    inner = next(part for part in found.groups() if part is not None)
    speech = len(inner) > 24 or _FIRST_PERSON.search(inner) or re.search(r"[,。!?]", inner)
    return MASK * len(found.group()) if speech else found.group()


def _reported(plain: str, says: re.Pattern[str]) -> str:
    """From "somebody says" on, the rest of the sentence is gone."""
    for found in says.finditer(plain):
        end = _STOP.search(plain, found.end())
        stop = end.start() if end else len(plain)
        plain = plain[: found.start()] + MASK * (stop - found.start()) + plain[stop:]
    return plain


def _cut(sentence: str) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each clause of a sentence, and whether it is stated."""
    body = _POLITE.sub(lambda found: MASK * len(found.group()), sentence)
    ends = re.search(r"[。!?;\n….\s]*$", body)
    last = ends.start() if ends else len(body)
    marked = "?" in body[last:]
    pieces = list(_pieces(body[:last]))
    tagged = any(_TAG.match(body[at:end]) for at, end in pieces[1:])
    supposed = asked = drawn = False
    for place, (at, end) in enumerate(pieces):
        piece = body[at:end].strip()
        supposed = supposed or bool(_SUPPOSES.search(piece))
        asked = asked or bool(_ASKS_ON.search(piece))
        question = asked or tagged or bool(_ASKS.search(piece)) or (marked and place == len(pieces) - 1)
        joined = place > 0 and not body[pieces[place - 1][1] : at].strip() and drawn
        drawn = bool(question or joined or _DOUBTS.search(piece))
        yield at, end, not (supposed or drawn)


def _pieces(body: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in _CLAUSE.finditer(body):
        if cut.start() > start:
            yield start, cut.start()
        start = cut.end()
    if start < len(body):
        yield start, len(body)
