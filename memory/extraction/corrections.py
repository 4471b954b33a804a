"""What a member takes back: "no, not Hangzhou, Suzhou"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.extraction.checks import fits
from memory.extraction.claims import SINGLE, Claim, Correction
from memory.extraction.clauses import Clause
from memory.extraction.lexicon import is_job, is_surely_name
from memory.extraction.places import is_place
from memory.extraction.statements import Moment, claim_of, stated
from memory.wording import HAN, is_han, shadow

_CUE = re.compile(
    r"^\s*(?:(?:不好意思|抱歉|对不起|哎呀?|啊|sorry|oops|ah|wait|hmm)[,\s]*)?(?:不对(?!称|劲|头|付|等|外)|不是(?:(?:的|这样的?|啦|哦)(?=$|,|[^\w])|(?=\s*$))|错了|你?(?:记|搞|弄|说|写|认"
    r"|理解)错了|我(?:刚才)?(?:说|写|打|讲)错了|纠正(?:一下|你)?|更正(?:一下)?|你记得不对|记忆有误|信息有误"
    r"|不,|不(?=$)"
    r"|(?:no+|nope|nah|wrong|incorrect|not (?:right|true|quite|exactly)|correction|(?:that|this|it)(?:'s"
    r"| is| was)?\s*(?:wrong|incorrect|not (?:right|true|correct|what I said|accurate)|isn't right"
    r"|no longer true|outdated|a mistake)"
    r"|that isn't (?:right|true|correct)|you(?:'re| are| got (?:it|that)|'ve got (?:it|that))\s*(?:wrong"
    r"|mistaken)|you misremember(?:ed)?|you remembered (?:it )?wrong|let me correct (?:you|that|myself)"
    r"|I misspoke|to correct)\b)",
    re.IGNORECASE,
)
_SURE = re.compile(r"记错|搞错|弄错|you're wrong|that's wrong|mistaken|misremember", re.IGNORECASE)
_ACTUALLY = re.compile(r"^\s*(?:其实|实际上|事实上|准确地?说|actually|in fact|as a matter of fact)", re.IGNORECASE)
_SOFT = re.compile(r"^\s*(?:no+|nope|nah|不)[,\s]*$", re.IGNORECASE)
_W = rf"[{HAN}A-Za-z0-9·.+# '-]"
_DENIED_ZH = re.compile(
    r"(?:我|我现在|现在|我已经|已经|我的?(?:名字|公司|职业|老家)|而)?(?:已经|早就|早|现在|并"
    rf"|根本)*不(?:再)?(?P<verb>是在|是叫|是住在?|是|在|住在?|叫|姓|用)(?P<denied>{_W}{{1,20}}?)(?:工作"
    r"|上班|人)?(?:了|啊|的|啦|哦)*"
)
_DENIED_EN = re.compile(
    r"(?:(?:it's|it is|that's|I'm|I am|I was|my name is|my name's|and|but)\s+)?(?:not|isn't"
    r"|no longer)\s+(?:(?P<link>in|at|from|living in|working at|working for|called|named|an?"
    rf"|the)\s+)?(?P<denied>{_W}{{2,40}}?)(?:\s+(?:any ?more|now|any longer))?"
    r"|I\s+(?:don't|do not|no longer|never)\s+(?P<verb>live in|live at|work at|work for|come from|use"
    rf")\s+(?P<denied2>{_W}{{2,40}}?)(?:\s+(?:any ?more|now|any longer))?",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    r"(?:我|我现在|现在|我的?名字|应该|而|我已经|已经)*(?P<verb>是住在?|是在|是叫|是|在|住在?|叫|搬到了?"
    rf"|姓)(?P<right>{_W}{{1,20}}?)(?:工作|上班|人)?(?:了|啊|的|啦|哦|才对)*"
    r"|(?:(?:it's|it is|that's|I'm|I am|but|rather|my name is|my name's|now|actually|should be|I live"
    r"|I work|the right one is)\s+)*(?:in\s+|at\s+|from\s+|called\s+|an?\s+)?(?P<right_en>(?:(?-i:[A-Z])"
    rf"|\w+$){_W}{{1,40}}?)(?:\s+now)?",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"(?P<lead>.*?)\bnot\s+(?:in\s+|at\s+"
    rf"|from\s+)?(?P<denied>{_W}{{2,30}}?)\s+but\s+(?:rather\s+)?(?:in\s+|at\s+"
    rf"|from\s+)?(?P<right>{_W}{{2,30}}?)",
    re.IGNORECASE,
)
_VERBS = {
    "在": "residence", "是在": "residence", "住": "residence", "住在": "residence", "是住在": "residence", "是住": "residence",
    "叫": "name", "是叫": "name", "live in": "residence", "live at": "residence", "living in": "residence", "work at": "employer",
    "work for": "employer", "working at": "employer", "working for": "employer", "come from": "origin", "called": "name",
    "named": "name", "use": "tool", "用": "tool",
}  # fmt: skip

_ONE = SINGLE | {"tool"}
_VAGUE = re.compile(
    r"^(?:这|那|什么|我|你|的|很|太|想|要|说|去|因为|为了|问|家$|一直|所有|[a-z]+ing\b|(?:sure|right|true"
    r"|good|bad|really|so|very|that|this|it|my|your|what|because|only|just|all|always|here|there|going|want"
    r"|able|a problem|a big deal|fine|ok)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Denial:
    """What a clause denies, of which attribute, and what it says instead in the same breath."""

    place: int
    word: str
    attribute: str
    instead: str = ""


def read(pieces: Sequence[Clause], moment: Moment) -> tuple[list[Correction], set[Clause]]:
    """The corrections of one message, and the clauses that they used up."""
    found: list[Correction] = []
    used: set[Clause] = set()
    cued = False
    for number in sorted({piece.number for piece in pieces}):
        sentence = [piece for piece in pieces if piece.number == number]
        cue = _cue(sentence)
        one, spent = _sentence(sentence, moment, cued=cued or cue is not None)
        rest = [piece for piece in sentence if piece is not cue and piece.shadow.strip()]
        if one is None and cue is not None and not _SOFT.match(cue.shadow):
            empty = not any(piece.stated for piece in rest)
            one = Correction((), "", None, cue.sentence) if empty or _SURE.search(cue.shadow) else None
        cued = cue is not None and (one is None or one.claim is None)
        if one is not None and found and found[-1].claim is None and not found[-1].denied:
            found.pop()
        if one is not None:
            found.append(one)
            used |= spent
    return found, used


def _cue(sentence: list[Clause]) -> Clause | None:
    first = sentence[0]
    match = _CUE.match(first.shadow)
    if not match or not (first.stated or len(sentence) > 1) or re.search(r"[?？]\s*$", first.sentence):
        return None
    return first


def _sentence(sentence: list[Clause], moment: Moment, *, cued: bool) -> tuple[Correction | None, set[Clause]]:
    """The correction that one sentence makes: what it denies, and what it puts in its place."""
    pieces = [_uncued(piece) for piece in sentence]
    quote = sentence[0].sentence
    said = stated(pieces, moment)
    single = next(
        (one for one in said if not one.ends and one.claim.subject == "me" and one.claim.attribute in _ONE), None
    )
    denials = _denials(pieces)
    if not denials:
        started = cued or bool(_ACTUALLY.match(sentence[0].shadow))
        chosen = (single if single and (cued or single.claim.attribute != "tool") else None) or (
            next((one for one in said if not one.ends), None) if cued else None
        )
        if not started or chosen is None:
            return None, set()
        spent = {sentence[pieces.index(chosen.clause)]}
        return Correction((), chosen.claim.attribute, replace(chosen.claim, quote=quote), quote), spent
    claim = _right(pieces, denials, single.claim if single else None, cued=cued)
    if not cued and (claim is None or claim.attribute == "tool"):
        return None, set()
    words = tuple(dict.fromkeys(denial.word for denial in denials))
    attribute = claim.attribute if claim else next((denial.attribute for denial in denials if denial.attribute), "")
    places = {denial.place for denial in denials} | {
        place for place, piece in enumerate(pieces) if _holds(piece, claim)
    }
    return Correction(words, attribute, claim and replace(claim, quote=quote), quote), {
        sentence[place] for place in places
    }


def _uncued(piece: Clause) -> Clause:
    """The clause without "no" or "actually" before it."""
    match = _CUE.match(piece.shadow) or _ACTUALLY.match(piece.shadow)
    if not match:
        return piece
    gap = re.match(r"[\s,:，]*", piece.shadow[match.end() :])
    start = match.end() + (gap.end() if gap else 0)
    return replace(piece, text=piece.text[start:], shadow=piece.shadow[start:])


def _denials(pieces: list[Clause]) -> list[_Denial]:
    found = []
    for place, piece in enumerate(pieces):
        both = _NOT_BUT.fullmatch(piece.shadow.strip())
        match = both or _DENIED_ZH.fullmatch(piece.shadow.strip()) or _DENIED_EN.fullmatch(piece.shadow.strip())
        if not match:
            continue
        groups = match.groupdict()
        shift = len(piece.shadow) - len(piece.shadow.lstrip())
        group = "denied" if groups.get("denied") else "denied2"
        word = piece.text[match.start(group) + shift : match.end(group) + shift].strip()
        verb = (groups.get("verb") or groups.get("link") or "").lower()
        instead = piece.text[match.start("right") + shift : match.end("right") + shift].strip() if both else ""
        if word and not _VAGUE.match(shadow(word)):
            found.append(_Denial(place, word, _VERBS.get(verb, ""), instead))
    return found


def _right(pieces: list[Clause], denials: list[_Denial], single: Claim | None, *, cued: bool) -> Claim | None:
    """What is right instead: a whole statement of the same kind, or a bare word that can stand in the place."""
    denied = denials[0]
    if single and (denied.attribute or single.attribute) == single.attribute and _alike(denied.word, single, cued):
        return single
    places = {denial.place for denial in denials}
    words = [(denied.instead, denied.place, "")] if denied.instead else []
    for place, piece in enumerate(pieces):
        match = _RIGHT.fullmatch(piece.shadow.strip()) if place not in places else None
        if match:
            shift = len(piece.shadow) - len(piece.shadow.lstrip())
            group = "right" if match["right"] else "right_en"
            words.append(
                (piece.text[match.start(group) + shift : match.end(group) + shift].strip(), place, match["verb"] or "")
            )
    for word, place, verb in words:
        attribute = _attribute(denied, word, verb, cued=cued)
        if attribute:
            return claim_of(attribute, word, pieces[place])
    return None


def _attribute(denied: _Denial, right: str, verb: str, *, cued: bool) -> str:
    """What the two words are both of: places, trades, names; or what the verbs say."""
    attribute = denied.attribute or _VERBS.get(verb, "")
    if is_place(right) and is_place(denied.word):
        return attribute or "residence"
    if attribute == "residence":
        fine = cued or is_place(right) or is_place(denied.word)
        return attribute if fine and fits("residence", shadow(right), careless=True) else ""
    if attribute:
        return attribute if fits(attribute, shadow(right), careless=True) else ""
    if is_job(right) and is_job(denied.word):
        return "occupation"
    return "name" if is_surely_name(right) and is_surely_name(denied.word) else ""


def _alike(word: str, claim: Claim, cued: bool) -> bool:
    """Whether the denied word could be another value of the same attribute."""
    if claim.attribute in {"residence", "origin", "workplace"}:
        return cued or is_place(word) or (word[:1].isupper() or is_han(word))
    if claim.attribute == "occupation":
        return is_job(word)
    return cued or word[:1].isupper() or is_han(word) or (word.islower() and claim.value.islower())


def _holds(piece: Clause, claim: Claim | None) -> bool:
    return bool(claim and claim.value in piece.text)
