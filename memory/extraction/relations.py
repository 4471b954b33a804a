"""Clauses that say how two things, or people, stand to each other, Chinese and English; better missed than misread."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory.extraction import guard, rules_en, rules_zh
from memory.extraction.checks import fits, trimmed
from memory.extraction.claims import Claim
from memory.extraction.clauses import Clause
from memory.extraction.lexicon import is_job, is_surely_name
from memory.extraction.places import is_place
from memory.extraction.shapes import MEANINGS
from memory.extraction.statements import LONGEST_CLAUSE, Form, Said, form_of, keepable, written
from memory.extraction.ties import bare, is_bond, sort_of
from memory.terms import EntityKind
from memory.wording import HAN, is_han, shadow

SENTENCES: dict[str, tuple[str, str]] = {
    "led_by": ("{}由{}负责", "{} is led by {}"),
    "needs": ("{}需要{}", "For {}, {} is needed"),
    "depends_on": ("{}依赖{}", "{} depends on {}"),
    "part_of": ("{}属于{}", "{} is part of {}"),
    "uses": ("{}使用{}", "{} uses {}"),
    "works_at": ("{}在{}工作", "{} works at {}"),
    "lives_in": ("{}住在{}", "{} lives in {}"),
    "kin": ("{1}叫{0}", "{1} is called {0}"),
}
"""Attributes that tie their subject to their value, and how that is said in Chinese and in English."""
CUES: dict[str, re.Pattern[str]] = {
    attribute: re.compile(words, re.IGNORECASE)
    for attribute, words in {
        "led_by": r"负责|牵头|主导|领导|主管|带队|在带|组长|由.+管|\b(?:lead|leads|led|leading|run|runs|manag\w+|head(?:s|ed|ing)?|owns?|charge|responsible|coordinat\w+|overs\w+)\b",
        "needs": r"需|要|必须|得|\b(?:needs?|requires?|must|has to|have to)\b",
        "depends_on": r"依赖|取决|\b(?:depends?|rel(?:y|ies))\b",
        "part_of": r"属于|隶属|归|\b(?:part of|belongs?)\b",
        "uses": r"用|基于|\b(?:us(?:es?|ing)|runs on|built|written in)\b",
        "works_at": r"工作|上班|任职|就职|实习|入职|\b(?:work\w*|join\w*|employ\w*)\b",
        "lives_in": r"住|定居|搬|\b(?:liv\w+|moved|based)\b",
        "kin": r"[是叫]|\b(?:is|are|named|called|my)\b",
    }.items()
}
"""Words of which one must be said where a tie is claimed."""
DENIES = re.compile(
    r"(?:不|没有?|未|无|别)(?:再|是|用|必|应|该)?(?:需|要|由|依赖|属于|隶属|用|使用|住|负责|在|牵头|主导|领导|得)|不是|并非|取消|n't\b"
    r"|\b(?:not|never|no longer|cannot|nobody|without|instead of|rather than|stopped|neither)\b",
    re.IGNORECASE,
)
"""A clause with one of these says that two things do not stand to each other so, or that they don't any more."""
_OVER = re.compile(r"(?:现在|已经|以后|从此)*不再|(?:现在|已经)不(?=需|由|依赖|属于|使用|负责|住|在)|\bno longer\s+", re.IGNORECASE)
"""What says that it was so until now."""
_NOBODY = re.compile(
    r"(?:[我你您他她它咱谁这那哪某每各]|大家|什么|所有)|\b(?:i|you|he|she|it|we|they|who|what|which|this|that|these|those|there"
    r"|my|your|his|her|their|its|everyone|somebody|someone|nobody|everything|something|nothing|one|our)\b",
    re.IGNORECASE,
)
_PAPERS = re.compile(
    r"(?:审批|批准|签字|签名|盖章|同意|发票|申请表?|登记|备案|预约|预订|押金|授权|许可证?|证明|凭证|单据|收据|报销单|审核|确认函?|门禁卡?|邀请码"
    r"|工单|合同|评审|复核|保证金|订金|定金|权限)$"
    r"|\b(?:approvals?|sign-?offs?|signatures?|permissions?|authori[sz]ation|receipts?|invoices?|forms?|deposits?|bookings?"
    r"|reservations?|reviews?|tickets?|badges?|key cards?|licen[cs]es?|certificates?|purchase orders?|stamps?|consent"
    r"|registration|invitations?|contracts?)(?:\s+(?:from|by|of)\s+(?:the|an?)\s+[\w' -]{2,30})?$",
    re.IGNORECASE,
)
"""What a thing can be said to need for good: papers and consent, not time, help or a rest."""
_LED = re.compile(
    r"(?:项目|产品|模块|前端|后端|测试|运维|运营|小?组|团队|系统|平台|部|工作坊|社团|频道|报销|审批|采购|预算|招聘|场地|物资|宣传|设计|财务|活动|周报|网站)$"
    r"|\b(?:projects?|products?|teams?|groups?|modules?|services?|departments?|front-?end|back-?end|budget|newsletter|meetups?"
    r"|workshops?|releases?|launch|website|platform|hiring|onboarding|migration|infrastructure|design|marketing|finance)$",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?:(?:the|our|project|team)\s+)*[A-Z][\w.+#-]*(?:\s+[A-Z][\w.+#-]*){0,2}(?:\s*(?:project|team|项目|组|团队|系统|平台))?")
TAIL_EN, TAIL_ZH = rules_en.TAIL, rules_zh.TAIL
_NAME = r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_SOME = r"(?:(?:the|our|project|team)\s+)*[\w+#./&'-]+(?:\s+[\w+#./&'-]+){0,3}?"
_N = rf"(?:[{HAN}]{{2,4}}?|(?-i:[A-Z][A-Za-z]+))"
_T = rf"[{HAN}\w+#./&-][{HAN}\w+#./& -]{{1,15}}?"
_ZH_KIN = (
    r"(?:妈妈?|爸爸?|母亲|父亲|姐姐?|哥哥?|弟弟?|妹妹?|老公|老婆|丈夫|妻子|男友|女友|男朋友|女朋友|对象|儿子|女儿|(?:好|前)?(?:朋友|同事)"
    r"|同学|室友|老板|领导|上司|导师|表[哥姐弟妹]|堂[哥姐弟妹]|邻居|搭档|房东|组长|主管|经理)"
)
_EN_KIN = (
    r"(?:(?:younger|older|little|big|twin|best|old|new|former|direct)\s+|ex-?)?(?:mother|mom|mum|father|dad|sister|brother|wife|husband|partner"
    r"|girlfriend|boyfriend|fianc[eé]e?|son|daughter|friend|colleague|coworker|boss|manager|mentor|supervisor|roommate|flatmate|cousin|uncle|aunt"
    r"|grandmother|grandfather|grandma|grandpa|neighbou?r|teammate|team lead|landlord|landlady)"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A clause that fits from end to end ties its `subject` to its `value`."""

    attribute: str
    words: re.Pattern[str]
    broad: bool = False
    """The verb means other things too, so a proper name alone is no evidence."""


def _shape(attribute: str, words: str, tail: str, *, broad: bool = False) -> _Shape:
    return _Shape(attribute, re.compile(words + tail, re.IGNORECASE), broad)


_SHAPES = (
    _shape("led_by", rf"(?P<value>{_N})(?:现在|目前|正|在)*(?:负责|主管|牵头|主导|领导)(?:了|着)?\s*(?P<subject>{_T})", TAIL_ZH),
    _shape("led_by", rf"(?P<subject>{_T})\s*(?:现在|目前)?(?:是)?由\s*(?P<value>{_N})\s*(?:来)?(?:负责|牵头|主导|带|管)", TAIL_ZH),
    _shape("led_by", rf"(?P<subject>{_T})\s*的?(?:负责人|组长|牵头人)(?:现在|目前)?是\s*(?P<value>{_N})", TAIL_ZH),
    _shape("needs", rf"(?P<subject>[{HAN}A-Za-z]{{2,10}}?)(?:都|一般|通常|一律|也|还)*(?:必须|需要?|要求|须|要|得)(?:先)?(?:有|经过|提供|提交|办理?|交)?(?P<value>[{HAN}A-Za-z]{{2,16}}?)", TAIL_ZH),
    _shape("kin", rf"(?P<subject>{_N})\s*是我的?(?P<value>{_ZH_KIN})", TAIL_ZH),
    _shape("kin", rf"我的?(?P<value>{_ZH_KIN})是\s*(?P<subject>{_N})", TAIL_ZH),
    _shape("works_at", rf"(?P<subject>{_N})\s*(?:现在|目前)?在\s*(?P<value>[^,。!?;\x00]{{2,20}}?)\s*(?:工作|上班|任职|实习)", TAIL_ZH),
    _shape("lives_in", rf"(?P<subject>{_N})\s*(?:现在|目前|已经)?(?:住在|搬到了?|搬去了?)\s*(?P<value>[^,。!?;\x00]{{2,12}}?)", TAIL_ZH),
    _shape("uses", rf"(?P<subject>{_T})\s*(?:现在|目前)?(?:用的是|使用|基于|用)\s*(?P<value>(?-i:[A-Z])[\w.+# -]{{1,24}}?)(?:开发|写|搭|部署)?", TAIL_ZH),
    _shape("depends_on", rf"(?P<subject>{_T})\s*依赖于?\s*(?P<value>{_T})", TAIL_ZH),
    _shape("part_of", rf"(?P<subject>{_T})\s*(?:属于|隶属于?)\s*(?P<value>{_T})", TAIL_ZH),
    _shape("led_by", rf"(?P<value>{_NAME})\s+(?:now\s+)?(?:leads|heads(?: up)?|coordinates|oversees|is\s+(?:now\s+)?(?:in charge of|responsible for|leading|heading(?: up)?|the\s+(?:\w+\s+)?(?:lead|owner|manager|head)\s+(?:of|for|on)))\s+(?P<subject>{_SOME})", TAIL_EN),
    _shape("led_by", rf"(?P<value>{_NAME})\s+(?:now\s+)?(?:runs|manages|owns|is\s+(?:running|managing))\s+(?P<subject>{_SOME})", TAIL_EN, broad=True),
    _shape("led_by", rf"(?P<subject>{_SOME})\s+is\s+(?:now\s+)?(?:led|run|managed|headed|owned|coordinated)\s+by\s+(?P<value>{_NAME})", TAIL_EN),
    _shape("led_by", rf"(?:the\s+)?(?:lead|owner|manager|head|person in charge)\s+(?:of|for)\s+(?P<subject>{_SOME})\s+is\s+(?P<value>{_NAME})", TAIL_EN),
    _shape("needs", rf"(?P<subject>{_SOME})\s+(?:(?:always|usually|also|all)\s+)?(?:needs?|requires?)\s+(?P<value>(?:(?:the|an?)\s+)?[\w' -]{{2,50}}?)", TAIL_EN),
    _shape("kin", rf"(?P<subject>{_NAME})\s+is\s+(?:now\s+)?my\s+(?P<value>{_EN_KIN})", TAIL_EN),
    _shape("kin", rf"my\s+(?P<value>{_EN_KIN})(?:'s\s+name\s+is|\s+is(?:\s+now)?)\s+(?P<subject>{_NAME})", TAIL_EN),
    _shape("works_at", rf"(?P<subject>{_NAME})\s+(?:works|is\s+working)\s+(?:at|for)\s+(?P<value>[^,.!?;\x00]{{2,40}}?)", TAIL_EN),
    _shape("lives_in", rf"(?P<subject>{_NAME})\s+(?:(?:now\s+)?(?:lives|is\s+living|is\s+based)\s+in|(?:has\s+)?(?:just\s+)?moved\s+to)\s+(?P<value>[^,.!?;\x00]{{2,30}}?)", TAIL_EN),
    _shape("uses", rf"(?P<subject>{_SOME})\s+(?:uses|runs\s+on|is\s+built\s+(?:with|on)|is\s+written\s+in)\s+(?P<value>(?-i:[A-Z])[\w.+# -]{{1,30}}?)", TAIL_EN),
    _shape("depends_on", rf"(?P<subject>{_SOME})\s+depends\s+on\s+(?P<value>{_SOME})", TAIL_EN),
    _shape("part_of", rf"(?P<subject>{_SOME})\s+(?:is\s+part\s+of|belongs\s+to)\s+(?P<value>{_SOME})", TAIL_EN),
)  # fmt: skip


def read(pieces: Sequence[Clause], *, explicit: bool = False) -> list[Said]:
    """What the clauses say of things and of people other than their speaker, and what of it they end."""
    found = []
    for piece in pieces:
        if piece.stated and len(piece.text) <= LONGEST_CLAUSE and keepable(piece, explicit):
            form = form_of(piece)
            over = _OVER.search(form.shadow)
            claim = _read(piece, _without(form, over) if over else form)
            if claim is not None:
                claim = replace(claim, explicit=True, confidence=1.0) if explicit else claim
                found.append(Said(claim, over is not None, piece))
    return found


def sentence(attribute: str, subject: str, value: str, language: str) -> str:
    """A tie in words of our own; in Chinese a blank stands around what is Latin."""
    if language == "zh":
        return SENTENCES[attribute][0].format(_apart(subject), _apart(value)).strip()
    said = SENTENCES[attribute][1].format(subject, value)
    return said[:1].upper() + said[1:]


def sound(attribute: str, subject: str, value: str, *, broad: bool = False) -> bool:
    """Whether two names can stand to each other so, by what they are called."""
    one, other = shadow(subject).strip(), shadow(value).strip()
    if not one or not other or max(len(one), len(other)) > 60 or _NOBODY.search(one) or _NOBODY.search(other):
        return False
    return one != other and _CHECKS[attribute](one, other) and (not broad or bool(_LED.search(one)))


def _without(form: Form, part: re.Match[str]) -> Form:
    start, end = part.span()
    return Form(form.shadow[:start] + form.shadow[end:], form.places[:start] + form.places[end:])


def _read(piece: Clause, form: Form) -> Claim | None:
    if DENIES.search(form.shadow):
        return None
    for shape in _SHAPES:
        match = shape.words.fullmatch(form.shadow)
        if match is None:
            continue
        subject, value = (written(piece, form, *match.span(group)).strip() for group in ("subject", "value"))
        if shape.attribute in ("works_at", "lives_in"):
            value = trimmed("employer" if shape.attribute == "works_at" else "residence", value)
        if sound(shape.attribute, subject, value, broad=shape.broad):
            said = written(piece, form, 0, len(form.shadow)).strip()
            return _claim(shape.attribute, subject, value, said, piece)
    return None


def _claim(attribute: str, subject: str, value: str, said: str, piece: Clause) -> Claim:
    """In the member's words, unless these speak of them."""
    meaning = MEANINGS[attribute]
    subject = bare(subject)
    spoken = "zh" if is_han(piece.sentence) else "en"
    text = sentence(attribute, subject, value, spoken) if attribute == "kin" else said[:1].upper() + said[1:]
    return Claim(
        kind=meaning.kind, category=meaning.category, subject=guard.hidden(subject), attribute=attribute,
        value=guard.hidden(value), text=guard.hidden(text),
        quote=piece.text.strip(), language=spoken, importance=meaning.importance, confidence=0.8,
    )  # fmt: skip


def _apart(name: str) -> str:
    left, right = (" " if re.match("[A-Za-z0-9]", edge) else "" for edge in (name[:1], name[-1:]))
    return left + name + right


def _led(one: str, other: str) -> bool:
    return _person(other) and bool(_LED.search(one) or _PROPER.fullmatch(one)) and not is_place(one)


def _needs(one: str, other: str) -> bool:
    fresh = re.match(r"(?:an?|some|every)\b", one, re.IGNORECASE)
    somebody = _person(one) and not one.endswith("s")  # at the beginning of a sentence everything has a capital
    return not fresh and bool(_PAPERS.search(other)) and not somebody


def _person(name: str) -> bool:
    return is_surely_name(name) and not is_place(name) and not is_job(name) and not is_bond(name)


def _proper(name: str) -> bool:
    return bool(_PROPER.fullmatch(name) or (is_han(name) and sort_of(name) != EntityKind.THING))


_CHECKS: dict[str, Callable[[str, str], bool]] = {
    "led_by": _led,
    "needs": _needs,
    "depends_on": lambda one, other: _proper(one) and _proper(other),
    "part_of": lambda one, other: _proper(one) and _proper(other),
    "uses": lambda one, other: _proper(one) and fits("tool", other, careless=False),
    "works_at": lambda one, other: _person(one) and not is_place(other) and fits("employer", other, careless=False),
    "lives_in": lambda one, other: _person(one) and is_place(other),
    "kin": lambda one, other: _person(one) and is_bond(other),
}
