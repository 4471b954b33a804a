"""Which things a memory ties together, and how: read from its slots alone, so that it can be read again at any time."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.extraction.checks import trimmed
from memory.extraction.lexicon import is_surely_name
from memory.extraction.places import is_place
from memory.terms import EntityKind, Relation
from memory.wording import HAN, shadow

_FAMILY = re.compile(
    r"[爸妈父母哥姐弟妹爷奶舅叔姑姨]|老[公婆]|丈夫|妻子|[男女]友|[男女]朋友|对象|儿子|女儿|孩子"
    r"|\b(?:mother|mom|mum|father|dad|sister|brother|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter"
    r"|cousin|uncle|aunt|grand\w+)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"同事|老板|领导|上司|主管|经理|导师|搭档|组长|客户|下属"
    r"|\b(?:colleague|coworker|co-worker|boss|manager|teammate|mentor|supervisor|team lead|client|intern)\b",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"朋友|同学|室友|邻居|闺蜜|老师|房东|\b(?:friend|roommate|flatmate|neighbou?r|classmate|teacher|landlord|landlady)\b",
    re.IGNORECASE,
)
_PROJECT = re.compile(r"项目|工程$|\bproject\b", re.IGNORECASE)
_ORGANISATION = re.compile(
    r"(?:公司|科技|集团|银行|大学|学院|学校|医院|研究[所院]|工作室|事务所|部门?|团队|小?组|社区|社团|协会|局)$"
    r"|\b(?:inc|ltd|llc|gmbh|company|corp|university|college|school|bank|hospital|team|department|group|club)$",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:大会|会议|峰会|沙龙|比赛|工作坊|培训|马拉松|展览?|演唱会|活动)$"
    r"|\b(?:conference|meetup|workshop|summit|hackathon|marathon|festival|concert|retreat|webinar)$",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:叫做?|名叫|是|is(?: called| named)?)\s*(?P<name>.+)", re.IGNORECASE)
_LIVES = re.compile(r"(?:住在?|搬到了?|lives in|moved to)\s*(?P<place>.+)", re.IGNORECASE)
_WORKS = re.compile(r"(?:在(?P<zh>.+?)(?:工作|上班)|works (?:at|for)\s+(?P<en>.+))", re.IGNORECASE)
_DONE = re.compile(
    r"(?:(?P<met>met(?: with)?|见了|见过)|(?:报名)?参加|报名|去|飞|attended|went to|travell?ed to|flew to|visited|(?:signed up|registered) for"
    r"|(?:am )?going to|flying to|attending|visiting)[了过]?\s*(?P<what>.+)",
    re.IGNORECASE,
)
_LIST = re.compile(r"\s*(?:、|,\s*(?:and )?|\s+and\s+|(?<=.)(?:和|以及)(?=.))\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """A thing as it is called, and what sort of thing it is; `thing`: it is not known which."""

    name: str
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Tie:
    """How `subject` stands to `object`; without a subject it is the member who does."""

    subject: Named | None
    relation: Relation
    object: Named


def ties(subject: str, attribute: str, value: str, text: str) -> list[Tie]:
    """Every tie that a memory with these slots and this sentence says."""
    if not value.strip() or subject in ("", "community"):
        return []
    if subject == "me" and attribute == "event":
        return _of_event(value)
    if subject == "me":
        own = _OWN.get(attribute)
        return [Tie(None, own[0], own[1](value))] if own else []
    if attribute == "kin":
        return [Tie(None, bond(value), _person(subject))]
    if attribute in _BETWEEN:
        relation, of, to = _BETWEEN[attribute]
        several = _LIST.split(value) if attribute == "led_by" else [value]
        return [Tie(of(subject), relation, to(name)) for name in several if name]
    return _of_kin(subject, value, text) if attribute == "relation" else []


def bond(kin: str) -> Relation:
    """How the member stands to somebody who is called that: 妹妹, my boss."""
    if _WORK.search(kin):
        return Relation.WORKS_WITH
    return Relation.FAMILY if _FAMILY.search(kin) else Relation.KNOWS


def is_bond(words: str) -> bool:
    """Whether it is a word for what somebody is to another."""
    return any(pattern.search(words) for pattern in (_FAMILY, _WORK, _KNOWN))


def sort_of(name: str) -> EntityKind:
    """What sort of thing it is, by its name alone."""
    plain = shadow(name).strip()
    if is_place(plain):
        return EntityKind.PLACE
    for pattern, kind in ((_PROJECT, EntityKind.PROJECT), (_EVENT, EntityKind.EVENT), (_ORGANISATION, EntityKind.ORGANISATION)):
        if pattern.search(plain):
            return kind
    return EntityKind.THING


def _of_kin(subject: str, value: str, text: str) -> list[Tie]:
    """What is said of one of the member's people: "Sister Lena lives in Oslo", 妹妹叫小雨."""
    kin = subject if is_bond(subject) else text[: max(0, text.find(subject))].strip()
    if not is_bond(kin):
        return []
    called = _CALLED.match(value)
    if called and is_surely_name(called["name"]):
        return [Tie(None, bond(kin), _person(called["name"]))]
    found, someone = [Tie(None, bond(kin), _person(subject))], _person(subject)
    if lives := _LIVES.match(value):
        found.append(Tie(someone, Relation.LIVES_IN, _place(trimmed("residence", lives["place"]))))
    elif works := _WORKS.match(value):
        found.append(Tie(someone, Relation.WORKS_AT, _firm(trimmed("employer", works["zh"] or works["en"]))))
    return found


def _of_event(value: str) -> list[Tie]:
    """Whom the member met, where they went, what they take part in; of anything else that happens, nothing."""
    done = _DONE.match(value)
    if done is None:
        return []
    name = bare(done["what"])
    if done["met"]:
        return [Tie(None, Relation.KNOWS, _person(name))] if is_surely_name(name) else []
    if is_place(name):
        return [Tie(None, Relation.VISITS, _place(name))]
    return [Tie(None, Relation.ATTENDS, Named(name, EntityKind.EVENT))] if sort_of(name) == EntityKind.EVENT else []


def bare(name: str) -> str:
    """Without what only says what sort of thing it is: "project Falcon", "the Falcon project", Falcon 项目."""
    plain = re.sub(r"^(?:the|our|my|an?)\s+", "", name.strip(), flags=re.IGNORECASE)
    bare = re.sub(rf"^project\s+(?=\S)|(?<=\w)\s+project$|(?<=[^{HAN}])\s*项目$", "", plain, flags=re.IGNORECASE)
    return bare or plain


def _sorted(name: str) -> Named:
    return Named(bare(name), sort_of(name))


def _lead(name: str) -> Named:
    """What somebody leads is a project, where nothing else is said by a proper name."""
    kind = sort_of(name)
    proper = re.fullmatch(r"[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)*", bare(name))
    return Named(bare(name), EntityKind.PROJECT if kind == EntityKind.THING and proper else kind)


def _of(kind: EntityKind) -> Callable[[str], Named]:
    return lambda name: Named(bare(name), kind)


_person, _place, _firm, _tool = (
    _of(kind) for kind in (EntityKind.PERSON, EntityKind.PLACE, EntityKind.ORGANISATION, EntityKind.TOOL)
)
_OWN: dict[str, tuple[Relation, Callable[[str], Named]]] = {
    "residence": (Relation.LIVES_IN, _place),
    "origin": (Relation.COMES_FROM, _place),
    "workplace": (Relation.WORKS_IN, _place),
    "employer": (Relation.WORKS_AT, _firm),
    "tool": (Relation.USES, _tool),
    "duty": (Relation.LEADS, _lead),
}
_BETWEEN: dict[str, tuple[Relation, Callable[[str], Named], Callable[[str], Named]]] = {
    "led_by": (Relation.LED_BY, _lead, _person),
    "needs": (Relation.NEEDS, _sorted, _sorted),
    "depends_on": (Relation.DEPENDS_ON, _sorted, _sorted),
    "part_of": (Relation.PART_OF, _sorted, _sorted),
    "uses": (Relation.USES, _sorted, _tool),
    "works_at": (Relation.WORKS_AT, _person, _firm),
    "lives_in": (Relation.LIVES_IN, _person, _place),
}
