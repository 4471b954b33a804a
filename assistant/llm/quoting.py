"""The answerer where no language model is configured: quotes what is known, cites it, says when it is nothing."""

import re
import uuid
from dataclasses import dataclass

from memory.extraction import worth
from memory.recall import Found, Hit
from memory.repeated import Before
from memory.retrieval import about
from memory.retrieval.text import coverage, query_terms, terms
from memory.terms import Category

_GREETING = re.compile(r"^\s*(hi|hello|hey|good (morning|evening)|你好|您好|嗨|早上好|晚上好|大家好)", re.I)
_ASKS = re.compile(r"[?？]\s*$")
_SENTENCE = re.compile(r"(?<=[。！？!?])\s*(?=\S)|(?<=\.)\s+(?=\S)|\n+")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Situation:
    """What the answerer may use."""

    question: str
    name: str
    noted: tuple[str, ...]
    found: Found
    markers: dict[uuid.UUID, str]
    everything: tuple[str, ...] | None = None
    secret: bool = False
    known: tuple[str, ...] = ()
    forgotten: int = 0
    doubted: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    withheld: bool = False
    held: bool = False
    unmatched: bool = False
    before: Before | None = None
    answered: Hit | None = None

    @property
    def about_memory(self) -> bool:
        """Whether the message was an order to remember, correct or forget, and is answered by that."""
        acts = (self.noted, self.known, self.forgotten, self.doubted, self.ended, self.withheld, self.held,
                self.unmatched)  # fmt: skip
        return any(acts) and not _ASKS.search(self.question)


def answer(situation: Situation) -> str:
    """Markdown with citation markers, in the language of the question."""
    say = ZH if _HAN.search(situation.question) else EN
    if situation.everything is not None:
        return _everything(situation, say)
    parts: list[str] = [say["secret"]] if situation.secret else []
    if _GREETING.search(situation.question) and not situation.noted:
        parts.append(say["hello" if not situation.about_memory else "hello_short"].format(name=_call(situation, say)))
    parts += _acts(situation, say)
    if situation.about_memory:
        return "\n\n".join(parts)
    # what was only asked says nothing, unless that day's talk is what is wanted
    by_date = "by date" in situation.found.notes
    said = tuple(hit for hit in situation.found.episodes if by_date or worth.worth_remembering(hit.text))
    asked = about.attributes(situation.question)
    just_said = () if asked else (*situation.noted, *situation.known)  # and acknowledged above
    own = [hit for hit in situation.found.memories + said if hit.id in situation.markers and hit.text not in just_said]
    shared = [hit for hit in situation.found.knowledge if hit.id in situation.markers]
    if "follow-up" in situation.found.notes:
        parts.append(say["goes_on"])
    if short := _short(situation, own, shared, say):
        return "\n\n".join([*parts, short])
    if not own and asked:
        parts.append(say["not_told"].format(name=_call(situation, say)))
    if own:
        shown = own if by_date else own[:3]
        again = any(hit.what == "episode" or hit.category == Category.EVENT for hit in shown)
        lines = "\n".join(_own(hit, situation, say) for hit in shown)
        parts.append(say["then" if by_date else "last_time" if again else "told"] + "\n\n" + lines)
    if shared:
        best = shared[0]
        more = () if best == situation.answered else shared[1:2]  # what answers this very question needs no other
        parts.append(f"{say['community']} **{best.title}**\n\n{best.text} [{situation.markers[best.id]}]")
        parts += [f"{say['also']} {hit.title} [{situation.markers[hit.id]}]" for hit in more]
    if not parts:
        if about.asks_of_self(situation.question):
            parts.append(say["not_told"].format(name=_call(situation, say)))
        else:
            parts.append(say["nothing"].format(name=_call(situation, say)))
    return "\n\n".join(parts)


def _short(situation: Situation, own: list[Hit], shared: list[Hit], say: dict[str, str]) -> str:
    """The best of each kind in a sentence, where the same was asked before and that answer told it already; else ""."""
    before, best = situation.before, own[:1] + shared[:1]
    if before is None or not best or not all(map(before.told_already, best)):
        return ""
    marker = situation.markers.get(before.hit.id)
    texts = [_gist(situation.question, hit.text) if hit.what == "knowledge" else hit.text for hit in best]
    said = " ".join(f"{text} [{situation.markers[hit.id]}]" for text, hit in zip(texts, best, strict=True))
    return say["again"].format(then=f" [{marker}]" if marker else "", said=said)


def _gist(question: str, text: str) -> str:
    """The first sentence with at least half as much of what is asked as the best has; the whole where none has any."""
    wanted = query_terms(question)
    sentences = {sentence.strip(): coverage(wanted, terms(sentence)) for sentence in _SENTENCE.split(text)}
    best = max(sentences.values())
    return next(sentence for sentence, share in sentences.items() if share >= best / 2) if best else text


def _acts(situation: Situation, say: dict[str, str]) -> list[str]:
    """What was remembered, known already, corrected, ended, forgotten, or not kept, one sentence each."""
    name = _call(situation, say)
    said = {
        "noted": situation.noted, "known": situation.known, "doubted": situation.doubted, "ended": situation.ended,
    }  # fmt: skip
    parts = [say[act].format(name=name, what=say["and"].join(texts)) for act, texts in said.items() if texts]
    if situation.forgotten:
        parts.append(say["forgotten"].format(count=situation.forgotten))
    return parts + [say[act] for act in ("withheld", "held", "unmatched") if getattr(situation, act)]


def _own(hit: Hit, situation: Situation, say: dict[str, str]) -> str:
    key = "memory" if hit.what == "memory" else "episode"
    return say[key].format(at=f"{hit.at:%Y-%m-%d}", text=hit.text, marker=situation.markers[hit.id])


def _everything(situation: Situation, say: dict[str, str]) -> str:
    lines = situation.everything or ()
    if not lines and not situation.name:
        return say["know_nothing"]
    return say["know"].format(count=len(lines)) + "\n\n" + "\n".join(f"- {line}" for line in lines)


def _call(situation: Situation, say: dict[str, str]) -> str:
    return say["call"].format(name=situation.name) if situation.name else ""


EN = {
    "noted": "Noted{name}: {what}.",
    "known": "I know that already: {what}.",
    "doubted": "I will not use this any more until you tell me what is right: {what}.",
    "ended": "Noted as past: {what}.",
    "forgotten": "Forgotten ({count}). Under “My memory” you can take that back for 30 days.",
    "withheld": "That is delicate (health, belief and the like). I keep it only if you say “remember”.",
    "held": "That reads like an order to me. A moderator looks at it before I may use it.",
    "unmatched": "I remember nothing like that, so there was nothing to forget.",
    "goes_on": "Without a language model I can't go into more detail. This is what I found for your last question:",
    "again": "In short, as before{then}: {said}",
    "not_told": "You have not told me that{name}, so I do not know it.",
    "hello_short": "Hello{name}.",
    "and": "; ",
    "call": ", {name}",
    "hello": "Hello{name}. Ask me about the community, or about what we spoke of before.",
    "told": "From what you told me:",
    "last_time": "As last time, from what you told me:",
    "then": "This is what we talked about then:",
    "memory": "- {at}: {text} [{marker}]",
    "episode": "- {at}, you wrote: “{text}” [{marker}]",
    "community": "From the community's knowledge:",
    "also": "See also:",
    "nothing": "I know nothing about that{name}. I searched what you told me, our earlier conversations and the "
    "community's knowledge. No language model is configured, so I can only quote what I know.",
    "know": "This is what I remember about you ({count}):",
    "secret": "You wrote a secret (a password, key or number). I did not keep it.",
    "know_nothing": "I remember nothing about you yet.",
}
ZH = {
    "noted": "记下了{name}：{what}。",
    "known": "这我已经知道：{what}。",
    "doubted": "在你告诉我正确的之前，我不再使用这条：{what}。",
    "ended": "记为过去的事：{what}。",
    "forgotten": "忘掉了（{count} 条）。30 天内可以在“我的记忆”里撤回。",
    "withheld": "这属于敏感的个人信息（健康、信仰等），只有你说“记住”我才会保存。",
    "held": "这句话像是对我下的命令，要先由版主看过，我才会用它。",
    "unmatched": "我没有记住这样的内容，所以没有什么可忘的。",
    "goes_on": "没有语言模型，我没法展开讲。这是我为你上一个问题找到的：",
    "again": "和之前一样{then}，简单说：{said}",
    "not_told": "你还没有告诉过我这件事{name}，所以我不知道。",
    "hello_short": "你好{name}。",
    "and": "；",
    "call": "，{name}",
    "hello": "你好{name}。可以问我社区的事，也可以问我们以前聊过的事。",
    "told": "根据你告诉过我的：",
    "last_time": "和上次一样，根据你告诉过我的：",
    "then": "那时我们聊到：",
    "memory": "- {at}：{text} [{marker}]",
    "episode": "- {at}，你写过：“{text}” [{marker}]",
    "community": "来自社区知识：",
    "also": "另见：",
    "nothing": "这件事我不知道{name}。我查了你告诉过我的事、我们以前的对话和社区知识。"
    "没有配置语言模型，所以我只能引用已知的内容。",
    "know": "这是我记得的关于你的全部内容（{count}）：",
    "secret": "你写了密码、密钥或证件号之类的内容，我没有保存。",
    "know_nothing": "我还没有记住关于你的任何事。",
}
