"""Reading claims out of a message by rules, Chinese and English: few, certain, each with its own words."""

import re
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.dates import spans
from memory.extraction import guard
from memory.extraction.claims import Claim, Correction, Reading
from memory.extraction.patterns import PATTERNS, Pattern, claim_of
from memory.terms import Category, Kind
from memory.wording import language, shadow

_SENTENCE = re.compile(r"[^。！!；;\n?？.]+(?:\.(?=\S)[^。！!；;\n?？.]+)*[。！!；;\n?？.]*")
_CLAUSE = re.compile(
    r"[,，、]\s*(?=我|但|而且|不过|also\b|and\b|but\b|i\b|my\b)|\s+(?:and|but)\s+(?=i\b|i'|my\b)|(?:而且|但是?|不过)(?=我)",
    re.I,
)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|呢|么)[。.]?\s*$|(?:什么|怎么|多少|哪里|哪儿|谁|为什么|是不是|能不能|有没有)"
    r"|^\s*(?:who|what|when|where|why|how|which|do|does|did|is|are|am|can|could|would|should|will)\b",
    re.I,
)
_HYPOTHESIS = re.compile(
    r"如果|要是|假如|假设|万一|假装|扮演|就好了|\bif\b|\bwould\b|\bsuppos\w+|\bimagine\b|\bpretend\b|\bmaybe\b|\bmight\b|\bwish\b",
    re.I,
)
_QUOTED = re.compile(r"[「『“\"].+?[」』”\"]")
_SPEAKER = re.compile(r"^\s*(?:>|(?!(?:note|记住|请记住|remember)\b)[^\s:：]{1,12}[:：]\s*\S)")
_JOKE = re.compile(r"打钱|v我50|秦始皇|哈哈|开玩笑|\bjust kidding\b|\bjk\b|\blol\b", re.I)
_NOTE = re.compile(
    r"^\s*(?:请|帮我)?(?:记住|记一下|记得)[：:，,]?\s*(?P<zh>.+)$"
    r"|^\s*(?:please )?(?:remember(?: that)?|note that|don't forget(?: that)?)[:,]?\s+(?P<en>.+)$",
    re.I,
)
_FORGET = re.compile(
    r"^\s*(?:请)?(?:忘记|忘掉|忘了|别记得?)[：:，,]?\s*(?P<zh>.+)$|^\s*(?:please )?forget(?: that| about)?[:,]?\s+(?P<en>.+)$",
    re.I,
)
_EVERYTHING = re.compile(
    r"你(?:都|还)?(?:记得|知道)(?:关于)?我(?:的)?(?:什么|哪些|多少)|what (?:do|else do) you (?:know|remember) about me"
    r"|what have you (?:remembered|stored) about me",
    re.I,
)
_NOT_BUT = re.compile(
    r"(?:我)?不(?:是|在|住在?)\s*(?P<old>[^\s，,。了]{1,12})了?[，,]\s*(?:我)?(?:现在)?(?P<verb>是|在|住在)\s*(?P<new>[^\s，,。]{1,12})"
    r"|\bnot (?:in )?(?P<old_en>[A-Z]\w+),? (?:but |it's )?(?:in )?(?P<new_en>[A-Z]\w+)"
)
_WRONG = re.compile(r"^\s*(?:不对|不是这样|你?记错了|错了|that'?s (?:wrong|not right|incorrect)|no, )", re.I)
_ENDED = re.compile(r"不再|已经不|no longer|not .{1,20} any ?more|don't .{1,20} any ?more|stopped", re.I)


def read(text: str, *, at: datetime, zone: ZoneInfo) -> Reading:
    """All that one message says about its speaker; `at` and `zone` are the message's own."""
    found = guard.secrets(text)
    if _EVERYTHING.search(text):
        return Reading(secrets=found, asks_everything=True, is_question=True)
    claims: list[Claim] = []
    corrections: list[Correction] = []
    forgets: list[str] = []
    whole = shadow(text)
    is_question = bool(_QUESTION.search(whole))
    for match in _SENTENCE.finditer(whole):
        sentence = text[match.start() : match.end()] if len(whole) == len(text) else match.group()
        forget = _FORGET.match(sentence)
        note = _NOTE.match(sentence)
        if forget and not _QUESTION.search(sentence):
            forgets.append((forget["zh"] or forget["en"]).rstrip("。. !！"))
        elif note and not _QUESTION.search(sentence):
            claims.append(_note((note["zh"] or note["en"]).rstrip("。. !！"), sentence))
        elif _stated(sentence):
            corrections += _corrected(sentence)
            claims += _claims(sentence)
    if _WRONG.match(whole) and not corrections:
        corrections = [Correction((), claim.attribute, claim, claim.quote) for claim in claims[:1]] or [
            Correction((), "", None, text.strip())
        ]
    endings = tuple(claim for claim in claims if _ENDED.search(claim.quote))
    kept = tuple(dict.fromkeys(_dated(claim, at, zone) for claim in claims if claim not in endings))
    return Reading(kept, tuple(corrections), tuple(forgets), endings, found, False, is_question)


def _dated(claim: Claim, at: datetime, zone: ZoneInfo) -> Claim:
    """An event with the time that its own words name; a bare month or year is left open."""
    if claim.category != Category.EVENT:
        return claim
    named = [span for span in spans(claim.quote, at=at, zone=zone) if span.precision in ("time", "day", "week")]
    return replace(claim, happened_from=named[0].start, happened_to=named[0].end) if named else claim


def _stated(sentence: str) -> bool:
    """Whether the speaker says it, now, in earnest."""
    guards = (_QUESTION, _HYPOTHESIS, _JOKE)
    return not _SPEAKER.match(sentence) and not any(guard.search(sentence) for guard in guards)


def _claims(sentence: str) -> list[Claim]:
    plain = _QUOTED.sub(lambda match: "\x00" * len(match.group()), sentence)
    found = []
    for clause in _CLAUSE.split(plain):
        for pattern in PATTERNS:
            claim = _one(pattern, clause)
            if claim is not None:
                found.append(claim)
                break
    return found


def _one(pattern: Pattern, clause: str) -> Claim | None:
    match = pattern.words.search(clause)
    if match is None or "\x00" in match.group():
        return None
    return claim_of(pattern, match["value"], match.group().strip(), language(clause))


def _corrected(sentence: str) -> list[Correction]:
    match = _NOT_BUT.search(sentence)
    if match is None:
        return []
    old, new = match["old"] or match["old_en"], match["new"] or match["new_en"]
    place = next(pattern for pattern in PATTERNS if pattern.attribute == "residence")
    in_place = match["verb"] in ("在", "住在") or match["old_en"]
    claim = claim_of(place, new, match.group(), language(sentence)) if in_place else None
    return [Correction((old,), "residence" if in_place else "", claim, match.group())]


def _note(words: str, sentence: str) -> Claim:
    """What the member asked to keep: as the claim that it states, else as it is."""
    stated = _claims(words) if _stated(words) else []
    plain = stated[0] if len(stated) == 1 else None
    return Claim(
        kind=plain.kind if plain else Kind.SEMANTIC,
        category=plain.category if plain else Category.FACT,
        subject="me",
        attribute=plain.attribute if plain else "note",
        value=plain.value if plain else words,
        text=plain.text if plain else words,
        quote=sentence.strip(),
        language=language(words),
        importance=0.8,
        confidence=1.0,
        explicit=True,
        profile=plain.profile if plain else "",
    )
