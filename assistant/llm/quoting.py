"""The answerer where no language model is configured: quotes what is known, cites it, says when it is nothing."""

import re
import uuid
from dataclasses import dataclass

from memory.extraction import worth
from memory.recall import Found, Hit

_GREETING = re.compile(r"^\s*(hi|hello|hey|good (morning|evening)|你好|您好|嗨|早上好|晚上好|大家好)", re.I)
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


def answer(situation: Situation) -> str:
    """Markdown with citation markers, in the language of the question."""
    say = ZH if _HAN.search(situation.question) else EN
    if situation.everything is not None:
        return _everything(situation, say)
    parts: list[str] = [say["secret"]] if situation.secret else []
    if situation.noted:
        parts.append(say["noted"].format(name=_call(situation, say), what=say["and"].join(situation.noted)))
    elif _GREETING.search(situation.question):
        parts.append(say["hello"].format(name=_call(situation, say)))
    said = tuple(hit for hit in situation.found.episodes if worth.worth_remembering(hit.text))  # not what only asked
    own = [hit for hit in situation.found.memories + said if hit.id in situation.markers]
    shared = [hit for hit in situation.found.knowledge if hit.id in situation.markers]
    if own and not situation.noted:
        parts.append(say["last_time"] + "\n\n" + "\n".join(_own(hit, situation, say) for hit in own[:3]))
    if shared and not situation.noted:
        best = shared[0]
        parts.append(f"{say['community']} **{best.title}**\n\n{best.text} [{situation.markers[best.id]}]")
        parts += [f"{say['also']} {hit.title} [{situation.markers[hit.id]}]" for hit in shared[1:2]]
    if not parts:
        parts.append(say["nothing"].format(name=_call(situation, say)))
    return "\n\n".join(parts)


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
    "and": "; ",
    "call": ", {name}",
    "hello": "Hello{name}. Ask me about the community, or about what we spoke of before.",
    "last_time": "As last time, from what you told me:",
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
    "and": "；",
    "call": "，{name}",
    "hello": "你好{name}。可以问我社区的事，也可以问我们以前聊过的事。",
    "last_time": "和上次一样，根据你告诉过我的：",
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
