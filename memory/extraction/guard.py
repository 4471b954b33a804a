"""What must not be kept: secrets, text that gives orders to the assistant, delicate matters, hidden marks."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.cn import ric

from memory.wording import HAN, shadow

MASK = "█"
_LABEL = r"[\"']?\s*(?:(?:是|为|改成|改为|换成|设成|=|:|is(?: now)?|was|to)\s*){1,2}"
_PASSWORD = re.compile(
    r"(?:(?<![A-Za-z])(?:password|passwd|passcode|pass ?phrase|pwd|psw)(?![A-Za-z])|(?<!忘记)(?:密码|口令|通行码)"
    r"|(?<![A-Za-z])PIN(?: code)?(?![A-Za-z]))"
    rf"(?:\s+(?:for|of)\s+[\w@.' -]{{1,30}}?)?{_LABEL}[\"'“「]?(?P<secret>[^\s,，。;；\"'”」{HAN}]{{4,64}})",
    re.IGNORECASE,
)
_PASSWORD_BESIDE = re.compile(  # by its looks as well: "Boarding pass: gate B12", "the password field_name" are none
    r"(?:(?:密码|口令|(?<![A-Za-z])(?:password|passwd|pwd))\s+|(?<![A-Za-z])pass\s*[:=]\s*[\"']?)"
    rf"(?P<secret>(?!\d{{4}}[-/.]\d\d?[-/.]\d)(?=[^\s{HAN}]*[\d!#$%@])[^\s,，。;；:：\"'”」{HAN}]{{6,64}})(?!\s*[年月日])",
    re.IGNORECASE,
)
_KNOWN = (
    ("key", r"sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|[sr]k_live_[0-9a-zA-Z]{16,}"
        r"|LTAI[0-9A-Za-z]{12,24}|AKID[0-9A-Za-z]{32}|SG\.[\w-]{16,}\.[\w-]{16,}"),
    ("token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}"
              r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|hf_[A-Za-z0-9]{20,}"
              r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|do[op]_v1_[a-f0-9]{40,}|shp(?:at|ss)_[a-f0-9]{30,}"
              r"|(?<=Bearer )[\w.~+/=-]{20,}"),
    ("key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KNOWN)
_NAMED = re.compile(
    r"(?P<name>api[ _-]?key|secret|access[ _-]?key|(?<![a-z])key|token|密钥|秘钥|令牌)(?![a-z])(?:\s*[a-z]{0,12})?"
    rf"{_LABEL}[\"'`]?(?P<secret>[A-Za-z0-9+/=_.~-]{{16,}})",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?:key|token|secret|密钥|秘钥|令牌)\s+[\"'`]?(?P<secret>(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{24,})", re.ASCII
)
_DIGITS = re.compile(r"(?<![A-Za-z0-9-])\d(?:[ -]?\d){11,22}[ ]?[Xx]?(?![A-Za-z0-9])")
_RESIDENT = re.compile(  # by province and birthday: a district may be younger than whoever is registered in it
    r"(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])\d{4}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])"
    r"(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")
_CARD_WORD = re.compile(r"卡号|银行卡|信用卡|储蓄卡|card|account number|账号", re.IGNORECASE)
_CARD_START = re.compile(r"4|5[1-5]|2[2-7]|3[47]|6(?:2|0|5|4|[0-9])")
_ORDER_WORD = re.compile(r"订单|单号|运单|流水|快递|时间戳|编号|order|tracking|invoice|ticket|timestamp", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|of\s+)*(?:previous"
    r"|prior|above|earlier|former|system|existing)"
    r"\s*(?:\w+\s+)?(?:instruction|prompt|rule|message|direction|guideline|context|words?|text)"
    r"|(?:忽略|无视|忘记|忘掉|不要理会|抛开)(?:掉)?(?:你|以上|之前|上面|前面|先前|此前|所有|一切|全部|的"
    r"|任何)+(?:指令|指示|提示|提示词|规则|要求|设定|限制|内容|约束)"
    r"|</?\s*(?:memor(?:y|ies)|system|rules?|persona|profile|human|knowledge|instructions?|assistant|user"
    r"|context|conversation|overviews?)\b[^>]*>"
    r"|^\s*#{0,4}\s*[\[<(|*]*\s*(?:system|assistant|developer|系统|助手)\s*(?:prompt|message|提示)?[\]>)|*]*\s*[:：]"
    r"|<\|[\w ]{2,20}\|>|\[/?INST\]|<<SYS>>"
    r"|you are (?:now|no longer) (?:an? |the )?(?:\w+ )?(?:admin|administrator|DAN|system|developer"
    r"|unrestricted|jailbroken|assistant|ai|model|bot)"
    r"|(?:reveal|print|show|repeat|output|leak)\s+(?:me\s+)?(?:your|the)\s+(?:system |hidden "
    r"|initial )?(?:prompt|instructions)"
    r"|(?:从现在起|从现在开始|现在)你(?:就)?(?:是|要扮演|必须|不再)|你现在是(?:管理员|系统|开发者|一个没有限制)"
    r"|(?:输出|泄露|告诉我|打印|重复)你?的?(?:系统提示|提示词|系统指令)"
    r"|(?:always|must) (?:obey|comply)|developer mode|开发者模式|越狱",
    re.IGNORECASE | re.MULTILINE,
)
_SENSITIVE = re.compile(
    r"糖尿病|癌|肿瘤|抑郁|焦虑症|躁郁|双相|自闭|怀孕|流产|艾滋|梅毒|乙肝|高血压|哮喘|癫痫|过敏|确诊|患有"
    r"|得了.{0,4}病|病历|手术|住院|化疗|吃药|服药|心理医生"
    r"|残疾|自杀|自残|戒毒|酗酒|基督徒|基督教|天主教|穆斯林|伊斯兰|佛教徒|信佛|信教|道教|犹太教|法轮|同性恋"
    r"|双性恋|跨性别|出柜|性取向|我是(?:gay|les)"
    r"|共产党|党员|民主党|共和党|国民党|民进党|政治立场|左派|右派|投票给|未成年|我(?:女儿|儿子|孩子|闺女|娃"
    r"|宝宝|家娃)|岁的(?:女儿|儿子|孩子)|幼儿园|小学生"
    r"|\b(?:diabet\w+|cancer|tumou?r|depress(?:ion|ed|ive)|anxiety|bipolar|autis\w+|adhd|pregnan\w+"
    r"|miscarriage|abortion|hiv|aids|hepatitis|asthma"
    r"|epilep\w+|allerg\w+|diagnos\w+|surgery|chemo\w*|antidepressants?|medication|therapist|suicid\w+"
    r"|self-harm|rehab|alcoholic|disabled|disability"
    r"|christian|catholic|protestant|muslim|islam\w*|jewish|judaism|buddhis\w+|hindu\w*|atheist|mormon"
    r"|church|mosque|synagogue"
    r"|gay|lesbian|bisexual|transgender|non-?binary|queer|asexual|sexual orientation"
    r"|democrat|republican|conservative party|labour party|left-wing|right-wing|vot(?:e|ed|ing) for|I (?:always |usually |never )?voted?"
    r"|socialist|communist"
    r"|my (?:\w+[- ])*(?:son|daughter|kids?|child(?:ren)?|toddler|baby|newborn)|underage|teenage daughter"
    r"|kindergarten)\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-"
    "\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e001f\U000e0080-\U000e00ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_TAGS = re.compile("(\U0001f3f4)?[\U000e0020-\U000e007f]+")
_JOINER = re.compile(
    "(?<![\u2190-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])"
)


def secrets(text: str) -> tuple[str, ...]:
    """The kinds of secret in the text, each once: password, key, token, id_number, card_number."""
    return tuple(dict.fromkeys(kind for kind, _, _ in _found(text)))


def redact(text: str) -> str:
    """The text with each secret blacked out."""
    for _, start, end in sorted(_found(text), key=lambda hit: -hit[1]):
        text = text[:start] + MASK + text[end:]
    return text


def is_instruction(text: str) -> bool:
    """Whether it tries to order the assistant about, or to fake a role or a region of the prompt."""
    return bool(_INSTRUCTION.search(shadow(hidden(text))))


def is_sensitive(text: str) -> bool:
    """Health, belief, sexuality, politics, minors: kept only on an explicit "remember"."""
    return bool(_SENSITIVE.search(shadow(text)))


def hidden(text: str) -> str:
    """The text without marks that turn, hide or smuggle words; emoji keep their joiners and variants."""
    shown = _TAGS.sub(lambda run: run.group() if run[1] else "", _HIDDEN.sub("", text))
    return _JOINER.sub("", shown)


def _found(text: str) -> list[tuple[str, int, int]]:
    """Kind, start and end of each secret, without overlaps."""
    plain, places = _plain(text)
    found: list[tuple[str, int, int]] = []
    for kind, start, end in _candidates(plain):
        if not any(start < other[2] and other[1] < end for other in found):
            found.append((kind, start, end))
    return [(kind, places[start], places[end - 1] + 1) for kind, start, end in found]


def _plain(text: str) -> tuple[str, list[int]]:
    """What a reader sees, half-width and without hidden marks, and where each mark stood."""
    marks: list[str] = []
    places: list[int] = []
    for place, mark in enumerate(text):
        for part in unicodedata.normalize("NFKC", mark):
            if not _HIDDEN.match(part) and part != "\u200d":
                marks.append(part)
                places.append(place)
    return "".join(marks).replace("\u00a0", " "), places


def _candidates(plain: str) -> Iterator[tuple[str, int, int]]:
    for kind, pattern in _PATTERNS:
        yield from ((kind, *match.span()) for match in pattern.finditer(plain))
    for match in _NAMED.finditer(plain):
        if _entropy(match["secret"]) >= 3.0 and re.search(r"\d", match["secret"]):
            yield ("token" if match["name"].lower() in {"token", "令牌"} else "key"), *match.span("secret")
    for match in _BESIDE.finditer(plain):
        if _entropy(match["secret"]) >= 3.5:
            yield "key", *match.span("secret")
    for match in (*_PASSWORD.finditer(plain), *_PASSWORD_BESIDE.finditer(plain)):
        if _is_password(match["secret"]):
            yield "password", *match.span("secret")
    for match in _DIGITS.finditer(plain):
        if kind := _number_kind(match.group(), plain[max(0, match.start() - 12) : match.start()]):
            yield kind, *match.span()
    for match in _IBAN.finditer(plain):
        if iban.is_valid(match.group()):
            yield "card_number", *match.span()


def _number_kind(digits: str, before: str) -> str:
    """Whether a run of digits is a resident's number or a card, by its check digit and what stands before it."""
    bare = re.sub(r"[ -]", "", digits).upper()
    if _RESIDENT.fullmatch(bare) and bare[-1] == ric.calc_check_digit(bare):
        return "id_number"
    if not bare.isdigit() or not 13 <= len(bare) <= 19 or not luhn.is_valid(bare) or len(set(bare)) < 2:
        return ""
    if _CARD_WORD.search(before):
        return "card_number"
    likely = _CARD_START.match(bare) and len(bare) in {15, 16, 19} and not _ORDER_WORD.search(before)
    return "card_number" if likely else ""


def _is_password(secret: str) -> bool:
    plain = re.fullmatch(r"[a-z]+", secret)
    common = {"wrong", "weak", "strong", "required", "expired", "invalid", "incorrect", "correct", "reset", "changed",
              "missing", "secure", "safe", "short", "long", "stored", "hashed", "encrypted", "that", "what", "your",
              "they", "this", "something", "forgotten", "lost", "empty", "none", "null", "true", "false", "protected",
              "login", "being", "still", "also", "just", "very", "always", "never", "access", "change"}  # fmt: skip
    return not (plain and secret in common)


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
