"""Whether what a shape caught can be what the shape says it is, and the part of it that is."""

import re
import unicodedata
from collections.abc import Callable

from memory.extraction.lexicon import is_job, is_name, is_surely_name
from memory.extraction.places import is_place
from memory.wording import HAN, is_han, shadow

_CLOSING = " \t\"'“”「」『』.,，。!！~:："
_BAD = re.compile(
    r"^(?:你|您|他|她|它|这|那|什么|谁|哪|怎|是|不|没|的|让|被|把|想|要|听|看你|得|地|着|过|和|跟|了|所有"
    r"|一切)|[你您]|的人$|的时候$|的话$|的是|吗$|之一$|为了|因为"
    r"|^(?:you|your|it|its|it's|this|that|that's|these|those|him|her|them|he|she|they|we|what|when|how"
    r"|where|who|why|which|if|is|are|was|were|be|the (?:way|idea|fact|sound|look|first|second|last|new|old"
    r"|other|one|above|latter)"
    r"|anything|something|everything|nothing|one|not|a lot|much|more|so|and|or|but|then|to (?:know|ask|see"
    r"|hear|check|understand|be called|have|get|say|thank|think|do|try|be able))\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s+(?:because|since|when|while|if|but|so that|so|which|who|that|after|before|until|unless|whenever"
    r"|where|and (?:i|my|it|he|she|they|we|that))\b.*$"
    r"|\s+(?:a lot|very much|so much|too much|the most|the best|most|best|more than anything|at all|more"
    r"|better)$|(?:而不是|胜过|多过|因为|所以|来着).*$",
    re.IGNORECASE,
)
_AFTER_TOOL = re.compile(
    r"\s+(?:for|at|every|to|when|as|on|in|with|daily|everyday|from|instead|over|rather)\b.*$"
    r"|(?<=[A-Za-z0-9+#. ])\s*(?:来|去|写|做|开发|跑|部署|画|处理|管理|记|办公|编程|当|作为|搭|维护|存|剪"
    r"|比较多|的比较).*$",
    re.IGNORECASE,
)
_AFTER_WORK = re.compile(
    r"\s+(?:for (?:\w+ )?(?:years?|months?|weeks?|a|the|over|almost|about|\d+)|since|as|with|near|together"
    r"|until|on|every|remotely|full[- ]time|part[- ]time|from home|in)\b.*$",
    re.I,
)
_AFTER_PLACE = re.compile(
    r"\s+(?:for (?:\w+ )?(?:years?|months?|weeks?|a|the|over|almost|about|my|work|\d+)|since|with|near"
    r"|together|until|on|as|to|and|by|because)\b.*$|(?<=.{2})(?:这边|那边|这里|已经.*"
    r"|[\d一二三四五六七八九十两几]+年.*)$",
    re.I,
)
_NO_EMPLOYER = re.compile(
    r"^(?:home|night|nights|weekends?|myself|free|money|fun|a living|least|them|days|the (?:moment|weekend"
    r"|office|same|time)|a long|an hour|\d|peanuts|nobody|no one|hours|both|different|this|several|my own)"
    r"|^(?:家|这|那|哪|外地|一起|里面?|外面|国外|国内|办公室|公司|网上|线上|努力|认真|加班|学习|白天|晚上"
    r"|夜里|周末|准备|考虑|等|找|同一|不同|哪里|那边|这边|我)|(?:时间|期间|阶段|地方|中|里|上|时)$|^(?:一)$",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"公司|科技|集团|银行|大学|学院|学校|中学|医院|厂|研究所|研究院|局|工作室|事务所|部门|网络|软件|传媒"
    r"|律所|证券|基金|社$|^[A-Z]|^[A-Za-z]+$"
)
_NO_RESIDENCE = re.compile(
    r"^(?:[\d一二三四五六七八九十]+[楼层号单]|这|那|哪|家|外面|一起|附近|隔壁|楼|宿舍|学校|公司|酒店|里|院|得|不|校|进|在|朋友|父母|爸|妈|同"
    r"|地铁|老|新|\d+楼)|的|^(?:一个|一间|一家)|了$"
    r"|^(?:a|an|my|your|our|his|her|the (?:same|next|other|middle|office|past|city|suburbs|countryside)"
    r"|fear|peace|hope|bed|harmony|silence|denial|tears|it|this|that|here|there|\d)\b",
    re.IGNORECASE,
)
_TOOLS_ZH = re.compile(
    r"飞书|钉钉|微信|企业微信|语雀|石墨|腾讯文档|支付宝|淘宝|小红书|印象笔记|有道|滴答清单|剪映|金山"
    r"|百度网盘|阿里云|腾讯云|华为云|通义|文心|豆包|五笔|双拼|搜狗|讯飞|苹果|安卓|华为|小米|鸿蒙"
)
_THINGS = re.compile(
    r"猫|狗|柯基|金毛|泰迪|哈士奇|拉布拉多|布偶|英短|美短|橘|边牧|柴犬|比熊|多肉|绿植|兔|仓鼠|龙猫|鸟|鱼|龟|鹦鹉|蜥蜴|刺猬|车|摩托|房|相机|吉他|钢琴|电脑|服务器|显卡|无人机|打印机"
    r"|店|[面饭餐茶酒]馆|工作室|民宿|农场|孩子|女儿|儿子|妹妹?|弟弟?|哥哥?|姐姐?|NAS|树莓派"
    r"|\b(?:cats?|dogs?|corgis?|labradors?|poodles?|terriers?|husk(?:y|ies)|greyhounds?|ferrets?|geckos?|snakes?|chickens?|hens?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|parrots?|birds?|fish|turtles?|tortoises?"
    r"|horses?|cars?|bikes?|bicycles?|motorcycles?|scooters?|house|flat|apartment|boat|piano|guitars?"
    r"|violin|camera|kids?|child(?:ren)?|sons?|daughters?"
    r"|sisters?|brothers?|twins?|nas|printer|drone|garden|shop|store|studio|caf[eé]|bakery|restaurant|farm|business|tesla|raspberry pi|macbook|thinkpad|laptop)\b",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"问题|疑问|想法|建议|需求|bug|想|时间|会议|事|\b(?:question|problem|issue|idea|meeting|request|thought"
    r"|bug|doubt|look|feeling|allergy)\b|车票|车祸|房租|机会",
    re.I,
)
_LANGUAGES = re.compile(
    r"(?:简体|繁体)?(?:中文|汉语|普通话|英文|英语|日语|日文|法语|德语|韩语|西班牙语|俄语|粤语|国语|葡萄牙语"
    r"|意大利语|阿拉伯语|越南语|泰语|大白话)"
    r"|(?:simplified |traditional )?(?:english|chinese|mandarin|cantonese|japanese|korean|french|german"
    r"|spanish|italian|portuguese|russian|dutch|swedish|norwegian|danish|finnish|polish|turkish|arabic"
    r"|hebrew|hindi|thai|vietnamese|greek|czech|ukrainian)(?: chinese)?",
    re.IGNORECASE,
)
_TRADE = re.compile(
    r"后端|前端|开发|运营|设计|硬件|嵌入式|算法|数据|测试|运维|产品|销售|教育|金融|外贸|研发|电商|直播"
    r"|新媒体|自媒体|咨询|会计|审计|法务|人力|行政|市场|广告|翻译|编辑|餐饮|装修|物流|安全|AI|IT|芯片"
    r"|机器学习|深度学习|大数据|云计算|区块链|游戏|建筑|医疗|科研"
)
_NO_EVENT = re.compile(
    r"了解|去世|[你您]|\b(?:you|your|bed|sleep|work|school|the (?:gym|bathroom|toilet|store|shop|office"
    r"|point|end|website|page|settings|link|doctor)|hell|it|this|that|them|trouble|know|try|use|need|ask"
    r"|check|see if|make sure)\b|试试|看看|一下|问题",
    re.IGNORECASE,
)
_ROOM = re.compile(r"(?:zoom|slack|discord|teams|telegram|wechat|whatsapp|signal|skype|meet|channel|chat)\b", re.IGNORECASE)
"""What one joins or moves to without working or living there."""
_BIRTHDAY = re.compile(
    r"\d|腊月|正月|初[一二三四五六七八九十]|[一二三四五六七八九十]+月|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE
)


def trimmed(attribute: str, value: str) -> str:
    """The part of a value that is meant, from its beginning."""
    value = _AFTER.sub("", value)
    if attribute == "tool":
        known = _TOOLS_ZH.match(shadow(value))
        value = value[: known.end()] if known else re.sub(r"\s+and \w+ing\b.*$", "", _AFTER_TOOL.sub("", value))
    elif attribute in {"employer", "hired", "occupation"}:
        value = _AFTER_WORK.sub("", value) if not is_han(value) else value
    elif attribute in {"residence", "residence_known", "moved", "origin", "place", "from_place"}:
        value = _AFTER_PLACE.sub("", value)
    return value.strip(_CLOSING)


def fits(group: str, value: str, *, careless: bool) -> bool:
    """Whether a value may stand in a group; `careless` where the whole message is without capitals."""
    if not value or "\x00" in value or len(value) > 80:
        return False
    check = _CHECKS.get(group)
    if group in _FREE:
        return check is None or check(value)
    if _BAD.search(value):
        return False
    if group in _CAPITAL and not is_han(value) and not _capital(value, careless):
        return False
    return check is None or check(value)


def _capital(value: str, careless: bool) -> bool:
    """A proper name by its capital; where nobody bothers about capitals, one or two plain words."""
    if re.match(r"[A-Z\d\u00c0-\u00de]|(?:the|a|an) \S", value) or is_place(value):
        return True
    return careless and len(value.split()) <= 2


def _employer(value: str) -> bool:
    return not _NO_EMPLOYER.search(value) and len(value) >= 2


def _residence(value: str) -> bool:
    if re.match(r"the\b", value, re.IGNORECASE) and not is_place(value):
        return False
    return not _NO_RESIDENCE.search(value) and len(value) >= 2 and len(value.split()) <= 5 and not is_job(value)


def _tool(value: str) -> bool:
    if is_han(value) and not re.search("[A-Za-z]", value):
        return bool(_TOOLS_ZH.search(value))
    plain = re.match(
        r"(?:the|an?|my|some|his|her|our|all|any|two|both|another|other|more|less|too|several|english|chinese|public)\b",
        value,
        re.IGNORECASE,
    )
    doing = re.match(r"\w+ing\b", value) or re.search(r"\b(?:an?|my|the)\b", value)
    return not plain and not doing and len(value.split()) <= 6 and len(re.findall(f"[{HAN}]", value)) <= 6


def _opinion(value: str) -> bool:
    says = re.search(r"\w", value) or any(unicodedata.category(mark) == "So" for mark in value)
    return bool(says) and len(value) <= (24 if is_han(value) else 50) and value not in {"吃", "喝", "点", "to"}


def _event(value: str) -> bool:
    return not _NO_EVENT.search(value)


def _trade(value: str) -> bool:
    return is_job(value) or (bool(_TRADE.search(value)) and len(value) <= 10)


def _does(value: str) -> bool:
    """What somebody else does or is; if "is", then a trade or a name."""
    match = re.match(r"是(?:一?[名个位])?(?P<zh>.+)|is an?\s+(?P<en>.+)", value, re.IGNORECASE)
    return not match or is_job(trimmed("occupation", match["zh"] or match["en"]))


def _thing(value: str) -> bool:
    return bool(_THINGS.search(value)) and not _NO_THING.search(value)


_CAPITAL = frozenset({"employer", "hired", "residence", "moved", "origin"})
_FREE = frozenset(
    {
        "name",
        "surely_name",
        "event",
        "event_dated",
        "event_ahead",
        "habit",
        "habit_rest",
        "has",
        "called",
        "age",
        "birthday",
        "state",
        "does",
        "decision",
        "duty",
    }
)
_CHECKS: dict[str, Callable[[str], bool]] = {
    "name": is_name,
    "called": is_name,
    "surely_name": is_surely_name,
    "occupation": is_job,
    "trade": _trade,
    "employer": _employer,
    "hired": lambda value: _employer(value) and not _ROOM.match(value) and not is_place(value) and bool(_COMPANY.search(value)),
    "residence": _residence,
    "moved": lambda value: _residence(value) and not _ROOM.match(value) and (is_place(value) or value[:1].isupper() or is_han(value)),
    "residence_known": is_place,
    "place": is_place,
    "native": is_place,
    "origin": lambda value: _residence(value) and (is_place(value) or not is_han(value) or len(value) <= 6),
    "from_place": lambda value: not _NO_RESIDENCE.search(value),
    "birthday": lambda value: bool(_BIRTHDAY.search(value)),
    "tool": _tool,
    "likes": _opinion,
    "dislikes": _opinion,
    "interest": _opinion,
    "prefers": _opinion,
    "spoken": lambda value: all(_LANGUAGES.fullmatch(part) for part in re.split(r"和|、| and |, ", value)),
    "does": _does,
    "has": _thing,
    "event": _event,
    "duty": _event,
    "event_dated": _event,
    "event_ahead": _event,
    "habit": lambda value: (
        not re.search(r"你|这|那个|忘|很累|很忙|很烦|\b(?:you|your|it|this|that|them|these)\b", value, re.IGNORECASE)
    ),
}
