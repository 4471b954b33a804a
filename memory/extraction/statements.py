"""From clauses to claims: the first shape that a clause fits, with its dates, its list, and its words as written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory.dates import Span, spans
from memory.extraction import guard, rules_en, rules_zh, worth
from memory.extraction.checks import fits, trimmed
from memory.extraction.claims import Claim
from memory.extraction.clauses import Clause
from memory.extraction.places import is_place, names_place
from memory.extraction.shapes import LISTED, MEANINGS, Shape
from memory.wording import HAN, is_han, shadow

LONGEST_CLAUSE = 160
_PLAIN = {
    "surely_name": "name", "hired": "employer", "employer2": "employer", "residence2": "residence", "origin2": "origin", "moved": "residence",
    "residence_known": "residence", "place": "residence", "native": "origin", "trade": "occupation", "spoken": "language",
    "manner": "prefers", "event_dated": "event", "event_ahead": "event", "quit": "employer", "called": "has", "does": "relation",
}  # fmt: skip
_OPENING = re.compile(r"\s*(?:我们?|I|we|we've|I've|I'm|在|于|从)?[在于]?\s*", re.IGNORECASE)
_CLOSING = re.compile(r"\s*(?:了|吧|啊|的时候|[~!. ])*")
_WITH_DATES = frozenset({"decision", "state", "habit", "has", "birthday", "does", "age"})
"""Groups that keep the dates at the edges of their clause."""
_HELPERS = frozenset({"habit_rest", "pet", "kin", "who", "thing"})
_ME = re.compile(
    r"(?:我|本人|俺)(?!们|的|家|公司|老[婆公板师乡]|[爸妈哥姐弟妹爷奶]|朋友|同[事学]|室友|邻居|领导|闺蜜|[表堂][哥姐弟妹]|[舅叔姑姨]|客户|男|女|儿子|父|母|对象)"
    rf"|(?:I|I'm|I've|im|ive)\b(?![{HAN}])",
    re.I,
)
_NO_SUBJECT = re.compile(
    r"(?:just|finally|recently|already|been|got back|came back|went|moved|signed up|registered|joined|started at|booked|quit"
    r"|attended|visited|flew|adopted|enrolled|graduated)\b"
    r"|(?:已经|刚刚?|终于|又)*(?:报名|报了|参加了|去了|跟[^,]{1,6}去了|和[^,]{1,6}去了|跳槽|搬到|搬家到|入职|领养)"
    r"|(?:meeting|flying|visiting|hosting|leaving for|heading to)\s+(?=.*\b(?:tomorrow|next|on|at|in|this)\b)"
    r"|(?:not (?:a |really |much of a )*(?:big |huge )?(?:fan|into|keen)|(?:big|huge|total|massive) fan of)\b"
    r"|(?:超级?|特别|巨|最|真的很?|从小就)(?:喜欢|爱|讨厌|不喜欢|不爱)"
    r"|(?:一般|通常|平时)(?:都|会|周|早|晚|用|吃|喝)",
    re.IGNORECASE,
)
"""How a clause begins whose subject is left out, and is its speaker."""
_EMOJI = re.compile(r"(?:[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]|\s)+$")
_GOES_ON = re.compile(
    r"(?:干|做|当|在|住|来自|老家|家乡|现在|目前|平时|爱|喜欢|不喜欢|养|毕业|学|从|已经|还|也|坐标|今年|会|擅长)"
    r"|(?:an? )?[a-z-]+(?: [a-z-]+)? by (?:day|night|trade)\b",
    re.IGNORECASE,
)
"""How a clause goes on about the speaker of the sentence, where nothing is read from it."""
_SPLIT = re.compile(
    r"\s*、\s*(?:and |or )?|(?<=.)(?:和|以及|还有)(?=.)|\s*,\s*(?:and |or )?|\s+(?:and|or|&|as well as)\s+",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"rock (?:and|&) roll|fish and chips|r&b|dungeons (?:and|&) dragons|mac and cheese|black and white"
    r"|between|平和|暖和|柔和|和平|和谐|和服|和牛|共和",
    re.I,
)
_AHEAD = re.compile(
    r"^(?:(?:我们?|I|we|I'm|I am|im|we're|I've|we've|I have|we have)(?:\s+|(?=[有报打准计即决马快将要预订约安申取])))?(?:just |also |已经|刚|也|还)?"
    r"(?:取消|cancel|(?:put|sign|count) me|报名|报|打算|准备|计划|即将|决定|马上|快要|将|要|预[约订]|订|约|安排|申请|signed"
    r"|registered|enrolled|going|meeting|hosting|running|giving|playing|speaking|performing|teaching|seeing|having|taking|doing|starting|plan|intend|will|about|booked|rsvp|scheduled|due|have|need|must|flying"
    r"|travel|heading|attending|visiting|leaving|getting|moving|有(?!了))|要|will",
    re.I,
)
_ALWAYS = re.compile(
    r"^(?:报名|报了|参加|取消|预[约订]|通过|考过|领养|入手|拿到|signed|registered|enrolled|cancel|attended"
    r"|rsvp|adopted|graduated|passed|failed|won|gave a talk|spoke at|getting married)",
    re.IGNORECASE,
)
_WILL = re.compile(
    r"^(?:will(?: be)?|going to|about to)\s+(?!attend|visit|fly|go |travel|move|have |take |meet|present"
    r"|join|start|run|speak|give|marry|in |at |on |back)",
    re.IGNORECASE,
)
_WEIGHTY = re.compile(
    r"活动|会议|大会|峰会|沙龙|课程|比赛|考试|面试|旅行|旅游|展|演唱会|音乐节|马拉松|培训|签证|驾照|房子"
    r"|新房|新车|毕业|答辩|婚礼|论文|证书"
    r"|\b(?:meetup|conference|workshop|course|exam|interview|trip|marathon|party|wedding|concert|festival"
    r"|class|webinar|hackathon|summit|degree|thesis|certificate|house|car|visa|licen[cs]e)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where a message was written."""

    at: datetime
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Said:
    """A claim, whether it ends what it says instead of stating it, and the clause that it was read from."""

    claim: Claim
    ends: bool
    clause: Clause


@dataclass(frozen=True, slots=True)
class Form:
    """A clause as patterns see it, and where each of its marks stands in the clause as written (-1: nowhere)."""

    shadow: str
    places: tuple[int, ...]
    dated: Span | None = None
    lent: bool = False


def stated(pieces: Sequence[Clause], moment: Moment, *, explicit: bool = False) -> list[Said]:
    """Everything that the clauses say in earnest, in order."""
    letters = "".join(re.findall("[A-Za-z]", " ".join(piece.text for piece in pieces)))
    careless = bool(letters) and letters == letters.lower()
    found: list[Said] = []
    speaker, day = -1, None
    for piece in pieces:
        if len(piece.text) > LONGEST_CLAUSE or not piece.stated:
            continue
        form = form_of(piece)
        alone = _undated(form, moment)
        if alone and not alone.shadow.strip():
            day = (piece.number, alone.dated)
            continue
        carried = day[1] if day and day[0] == piece.number else None
        mine = bool(_ME.match(form.shadow))
        started = speaker == piece.number or (len(form.shadow) < 60 and any(_NO_SUBJECT.match(one.shadow.strip()) for one in (form, alone) if one))
        lent = not mine and started and not re.match(r"用|使用|use\b", form.shadow, re.IGNORECASE)
        said = _read(piece, form, moment, careless=careless, lent=lent, carried=carried)
        found += [one for one in said if keepable(piece, explicit)]
        if form.shadow:
            told = any(one.claim.subject == "me" and one.claim.attribute != "state" for one in said)
            speaker = piece.number if mine or told or (lent and _GOES_ON.match(form.shadow)) else -1
    return (
        [replace(one, claim=replace(one.claim, explicit=True, confidence=1.0)) for one in found] if explicit else found
    )


def claim_of(attribute: str, value: str, piece: Clause) -> Claim:
    """A claim whose value was found by other means than a shape."""
    language = "zh" if is_han(piece.sentence) else "en"
    return _claim(attribute, value, _sentence(attribute, value, language), piece, language)


def keepable(piece: Clause, explicit: bool) -> bool:
    """Whether what a clause says may be kept at all."""
    if guard.secrets(piece.text) or guard.is_instruction(piece.text):
        return False
    return explicit or not guard.is_sensitive(piece.text)


def _read(
    piece: Clause, form: Form, moment: Moment, *, careless: bool, lent: bool, carried: Span | None
) -> list[Said]:
    for one in _forms(form, moment, lent, carried):
        for language, shapes in (("zh", rules_zh.SHAPES), ("en", rules_en.SHAPES)):
            if not re.search(f"[{HAN}]" if language == "zh" else r"[A-Za-z]{2}|\bI\b", one.shadow):
                continue
            for shape in shapes:
                claims = _claims(shape, piece, one, moment, language, careless)
                if claims:
                    return [*(Said(claim, shape.ends, piece) for claim in claims), *_level(piece, form)]
    return _level(piece, form)


def _level(piece: Clause, form: Form) -> list[Said]:
    """How much the speaker says to know."""
    level = worth.expertise(form.shadow) if _ME.match(form.shadow) else None
    if level is None:
        return []
    words = piece.text[form.places[0] :].strip()
    language = "zh" if is_han(form.shadow[:1]) else "en"
    text = re.sub(r"^(?:我|本人|俺)\s*", "", words)
    for lead, third in ((r"I(?:'|’)?m |I am ", "Is "), (r"I(?:'|’)?ve |I have ", "Has "), (r"I ", "")):
        text = re.sub(rf"^(?:{lead})", third, text, count=1, flags=re.IGNORECASE)
    return [Said(_claim("expertise", level, _upper(text), piece, language), False, piece)]


def form_of(piece: Clause) -> Form:
    """The clause without "well, by the way," and blanks around it."""
    start, plain = 0, piece.shadow
    for head in (rules_zh.HEAD, rules_en.HEAD, rules_zh.HEAD):
        match = head.match(plain[start:])
        start += match.end() if match else 0
    end = len(plain.rstrip())
    return Form(plain[start:end], tuple(range(start, max(start, end))))


def _forms(form: Form, moment: Moment, lent: bool, carried: Span | None) -> Iterator[Form]:
    """Without the dates at its edges, then as it is; with a lent subject where the clause has none of its own.

    A date that stood alone before ("yesterday, I ...") is `carried` over.
    """
    plain = _EMOJI.search(form.shadow)
    short = Form(form.shadow[: plain.start()], form.places[: plain.start()]) if plain and plain.start() else None
    for base in (short and _undated(short, moment), short, _undated(form, moment),
                 replace(form, dated=carried) if carried else None, form):  # fmt: skip
        if base is None:
            continue
        yield base
        if lent:
            yield replace(base, shadow="我" + base.shadow, places=(-1, *base.places), lent=True)
            yield replace(base, shadow="I'm " + base.shadow, places=(-1, -1, -1, -1, *base.places), lent=True)
            yield replace(base, shadow="I " + base.shadow, places=(-1, -1, *base.places), lent=True)


def _undated(form: Form, moment: Moment) -> Form | None:
    """The clause without the dates at its edges, read as ahead or past by what is left of it."""
    past = _cut_dates(form, spans(form.shadow, at=moment.at, zone=moment.zone))
    if past is None or not _AHEAD.search(past.shadow):
        return past
    return _cut_dates(form, spans(form.shadow, at=moment.at, zone=moment.zone, prefer="future"))


def _cut_dates(form: Form, named: list[Span]) -> Form | None:
    plain, places, dated = form.shadow, form.places, None
    for span in reversed(named):
        end = span.offset + len(span.text)
        before, after = plain[: span.offset], plain[end:]
        opening = _OPENING.fullmatch(before) and not after.startswith("的")
        if not (opening or _CLOSING.fullmatch(after)):
            continue
        gap = re.match(r",?\s*", after) if opening else None
        cut = end + (gap.end() if gap else 0)
        keep = len(re.sub(r"(?<=.)[在于]$", "", before)) if opening else len(before.rstrip())
        plain, places, dated = plain[:keep] + plain[cut:], places[:keep] + places[cut:], span
    return Form(plain, places, dated) if dated else None


def _claims(shape: Shape, piece: Clause, form: Form, moment: Moment, language: str, careless: bool) -> list[Claim]:
    match = shape.words.fullmatch(form.shadow)
    if match is None:
        return []
    values: dict[str, str] = {}
    for group, caught in match.groupdict().items():
        if caught is None:
            continue
        if form.dated and group in _WITH_DATES:
            return []
        value = trimmed(group, written(piece, form, match.start(group), match.end(group)))
        plain = _PLAIN.get(group, group)
        if not (group == "who" and not value) and not fits(_checked(group), shadow(value), careless=careless):
            return []
        values[group] = value
        if plain not in MEANINGS and group not in _HELPERS and group != "from_place":
            return []
    return _from_values(values, piece, form, moment, language, careless)


def _checked(group: str) -> str:
    return {"employer2": "employer", "residence2": "residence", "origin2": "origin"}.get(group, group)


def written(piece: Clause, form: Form, start: int, end: int) -> str:
    """The part of a form as the clause has it."""
    spots = [place for place in form.places[start:end] if place >= 0]
    return piece.text[spots[0] : spots[-1] + 1] if spots else ""


def _from_values(
    values: dict[str, str], piece: Clause, form: Form, moment: Moment, language: str, careless: bool
) -> list[Claim]:
    if "habit_rest" in values:
        whole = piece.text[piece.text.index(values["habit"]) :].strip()
        text = (
            values["habit"] + values["habit_rest"]
            if language == "zh"
            else f"{values['habit_rest']} {_lower(values['habit'])}"
        )
        return [_claim("habit", whole, _upper(text.rstrip(" ,")), piece, language)]
    if "pet" in values:
        text = (
            f"{values['pet']}叫{values['called']}"
            if language == "zh"
            else f"{_upper(values['pet'])} is named {values['called']}"
        )
        return [_claim("has", values["called"], text, piece, language)]
    if "thing" in values:
        gap = "" if language == "zh" else " "
        text = _upper(values["thing"] + gap + values["state"])
        return [
            _dated(_claim("state", values["state"], text, piece, language, subject=values["thing"]), moment, language)
        ]
    if "kin" in values:
        parts = [values["kin"], values.get("who", ""), values["does"]]
        text = _upper(("" if language == "zh" else " ").join(part for part in parts if part))
        return [_claim("relation", values["does"], text, piece, language, subject=values.get("who") or values["kin"])]
    found: list[Claim] = []
    for group, value in values.items():
        found += _plain(group, value, piece, form, moment, language, careless)
    return found


def _plain(
    group: str, value: str, piece: Clause, form: Form, moment: Moment, language: str, careless: bool
) -> list[Claim]:
    attribute = _PLAIN.get(group, group)
    if attribute != "event" and form.dated and form.dated.start > moment.at:
        return []
    if group == "from_place":
        attribute = "origin" if is_place(value) else "employer"
    if attribute == "employer" and is_place(value):
        attribute = "workplace"
    if group == "quit":
        return [_claim("employer", value, value, piece, language)]
    if attribute == "event":
        return _event(group, value, piece, form, moment, language)
    if attribute in {"habit", "decision"}:
        return [_claim(attribute, value, _upper(value), piece, language)]
    if attribute in LISTED and not _WHOLE.search(value):
        items = [item.strip() for item in _SPLIT.split(value) if item and item.strip()]
        if len(items) > 1 and all(fits(attribute, shadow(item), careless=careless) for item in items):
            return [_claim(attribute, item, _sentence(group, item, language), piece, language) for item in items]
    claim = _claim(attribute, value, _sentence(group, value, language), piece, language)
    return [replace(claim, confidence=0.8) if form.lent or group == "place" else claim]


def _event(group: str, value: str, piece: Clause, form: Form, moment: Moment, language: str) -> list[Claim]:
    """An event that is worth keeping: dated, somewhere, or of a weighty kind."""
    prefer = "future" if _AHEAD.search(value) else "past"
    inner = spans(shadow(value), at=moment.at, zone=moment.zone, prefer="future" if prefer == "future" else "past")
    dated = form.dated or (inner[0] if inner else None)
    thing = re.sub(r"^(?:[^\s了过]{1,4}[了过]|\w+ (?:to|for|at)? ?)", "", shadow(value))
    proper = bool(re.search(r"(?<=\s)[A-Z][a-z]", value)) or is_place(thing) or names_place(value)
    if group == "event_ahead" and not (dated and dated.start > moment.at):
        return []
    if not (dated or (group == "event" and (_ALWAYS.search(value) or proper or _WEIGHTY.search(value)))):
        return []
    if inner and len(value.replace(inner[0].text, "").split()) < 2 and not is_han(value):
        return []
    if _WILL.match(value) and not re.match(r"going to [A-Z]", value):
        return []
    text = _upper(value) + (_when(dated, moment, language) if dated else "")
    claim = _claim("event", value, text, piece, language)
    return [replace(claim, happened_from=dated.start, happened_to=dated.end) if dated else claim]


def _dated(claim: Claim, moment: Moment, language: str) -> Claim:
    """A state with the date that its words name."""
    named = spans(shadow(claim.value), at=moment.at, zone=moment.zone, prefer="future")
    if not named:
        return claim
    text = claim.text + _when(named[0], moment, language)
    return replace(claim, text=text, happened_from=named[0].start, happened_to=named[0].end)


def _when(span: Span, moment: Moment, language: str) -> str:
    """The date itself, since "last week" means nothing later on."""
    start, end = span.start.astimezone(moment.zone), span.end.astimezone(moment.zone)
    last = (end - timedelta(days=1)).date()
    if span.precision == "time":
        said = f"{start:%Y-%m-%d %H:%M}"
    elif last == start.date():
        said = f"{start:%Y-%m-%d}"
    elif span.precision in {"month", "year"}:
        said = f"{start:%Y-%m}" if span.precision == "month" else f"{start:%Y}"
    else:
        said = f"{start:%Y-%m-%d}至{last}" if language == "zh" else f"{start:%Y-%m-%d} to {last}"
    return f"（{said}）" if language == "zh" else f" ({said})"


def _sentence(group: str, value: str, language: str) -> str:
    meaning = MEANINGS[
        _PLAIN.get(group, group) if group != "from_place" else ("origin" if is_place(value) else "employer")
    ]
    if _PLAIN.get(group, group) == "employer" and is_place(value):
        meaning = MEANINGS["workplace"]
    if group == "manner":
        plural = value.lower().endswith("s") or " " in value
        return f"偏好{value}的回答" if language == "zh" else f"Prefers {value}{'' if plural else ' answers'}"
    if language == "en":
        return meaning.en.format(value)
    left = " " if re.match(r"[A-Za-z0-9]", value) and not meaning.zh.startswith("{") else ""
    right = " " if re.search(r"[A-Za-z0-9]$", value) and not meaning.zh.endswith("{}") else ""
    return meaning.zh.format(left + value + right)


def _claim(attribute: str, value: str, text: str, piece: Clause, language: str, subject: str = "me") -> Claim:
    meaning = MEANINGS[attribute]
    return Claim(
        kind=meaning.kind, category=meaning.category, subject=subject, attribute=attribute, value=guard.hidden(value),
        text=guard.hidden(text), quote=piece.text.strip(), language=language, importance=meaning.importance,
        confidence=0.9, profile=meaning.profile if subject == "me" else "",
    )  # fmt: skip


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
