"""What a question asks about its own speaker: the attributes that answer it, whatever words they were told in."""

import re

_WHERE = "(?:哪(?:里|儿|个?(?:城市|地方|省|国家|区))?|什么(?:地方|城市))"
_OF_ME = "(?:我|俺|咱)(?:的|现在|目前|如今|是|又|到底|究竟|平时|一般|以前|之前|过去|曾经|原来|从前|当时|那时候?|上一[家份个]|都?还?)*"
_ASKS: tuple[tuple[str, str], ...] = (
    ("name", rf"{_OF_ME}(?:名字|姓名|叫什么|叫啥|是谁|姓什么)|怎么称呼我|\b(?:what(?:'s| is) my (?:\w+ )?name|who am i|what am i called|(?:do you )?know my name)\b"),
    ("residence", rf"{_OF_ME}(?:住|家|居住|定居|搬到|人)(?:在|址是)?(?:了)?{_WHERE}|{_OF_ME}(?:住址|地址|居住地)|{_OF_ME}在{_WHERE}住|\bwhere (?:do|am|did|was|have)? ?i (?:\w+ ){{0,2}}(?:liv\w+|based|resid\w+|stay\w*)\b|\b(?:which|what) (?:city|town|country|place) (?:do|am|did|was) i (?:\w+ ){{0,2}}(?:liv\w+|based|in)\b|\bwhere(?:'s| is) my (?:home|house|flat|apartment)\b|\bmy (?:home )?(?:city|address)\b"),
    ("employer", rf"{_OF_ME}(?:在)?{_WHERE}(?:家公司)?(?:工作|上班|任职|就职)|{_OF_ME}(?:在)?(?:哪家|什么)(?:公司|单位)|{_OF_ME}(?:公司|单位|雇主|东家)(?:是|叫)|\b(?:where|for whom) (?:do|did|have|was)? ?i (?:\w+ ){{0,2}}work(?:ed|ing)?\b|\bwho (?:do|did|was)? ?i (?:\w+ ){{0,2}}work(?:ing)? for\b|\b(?:which|what) company\b.{0,12}\bi\b|\bmy (?:employer|company|workplace)\b"),
    ("occupation", rf"{_OF_ME}(?:工作|职业|岗位|职位)(?:是|叫)?(?:什么|啥)|{_OF_ME}(?:是)?(?:做|干|搞)(?:什么|啥|哪行)(?:工作|职业|的)?|\bwhat(?:'s| is) my (?:job|occupation|profession|title|work|role)\b|\bwhat (?:do|did) i (?:use to )?(?:do|work as)(?: for (?:a living|work))?\s*\??$"),
    ("origin", rf"{_OF_ME}(?:来自|老家|家乡|籍贯)|{_OF_ME}(?:是)?{_WHERE}人|\bwhere (?:am|do) i (?:come )?from\b|\bmy home ?town\b"),
    ("age", rf"{_OF_ME}(?:多大|几岁|年龄|年纪)|\bhow old am i\b|\bmy age\b"),
    ("birthday", rf"{_OF_ME}(?:生日|出生)|\b(?:when(?:'s| is)|what(?:'s| is)) my birthday\b|\bwhen was i born\b"),
    ("likes", rf"{_OF_ME}(?:最)?(?:喜欢|爱)(?:吃|喝|看|听|玩|做)?(?:什么|啥|哪)|{_OF_ME}(?:爱好|兴趣|口味)|\bwhat (?:\w+ ){{0,2}}(?:do|did) i (?:use to )?(?:like|love|enjoy)\b|\bmy (?:hobb\w+|interests?|tastes?|favou?rite\w*)\b"),
    ("dislikes", rf"{_OF_ME}(?:不喜欢|讨厌|不爱|不吃|忌口)(?:吃|喝|看)?(?:什么|啥|哪)|{_OF_ME}忌口|\bwhat (?:\w+ ){{0,2}}do i (?:dislike|hate|not like|avoid)\b|\bwhat don'?t i (?:like|eat)\b"),
    ("prefers", rf"{_OF_ME}(?:的)?(?:偏好|习惯|喜欢(?:怎样|什么样|哪种)的?(?:回答|方式))|\bwhat (?:\w+ )?do i prefer\b|\bmy preferences?\b|\bhow (?:do|should) (?:i|you) (?:like|answer)\b.{{0,20}}\b(?:me|answers?)\b"),
    ("tool", rf"{_OF_ME}(?:在)?用(?:的)?(?:是)?(?:什么|哪)|\bwhat (?:\w+ )?(?:tools?|editor|software|laptop|language|app|program)s? (?:do|did) i (?:use to )?use\b|\b(?:what|which) (?:\w+ ){{0,3}}(?:do|did) i (?:use to )?(?:use|work with)\b"),
    ("event", rf"{_OF_ME}(?:上次|之前|以前|已经)?(?:报名|报)(?:了|过|的)?(?:是)?(?:什么|哪|几月)|\b(?:what|which) (?:\w+ ){{0,3}}(?:did|have) i (?:sign|signed|book|booked|register\w*)\b|\bmy (?:sign-?ups?|bookings?)\b"),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _ASKS)
_SAME = {
    "employer": ("employer", "workplace"), "likes": ("likes", "interest"), "residence": ("residence",),
    "occupation": ("occupation", "employer"), "prefers": ("prefers", "language"),
}  # fmt: skip
_GENERAL = re.compile(
    r"\b(?:what(?:'s| is| was| are)|when(?:'s| is| was)|who(?:'s| is)|where(?:'s| is)) my\b|\bdo i (?:have(?! to\b)|own|like|work|live)\b"
    r"|我(?:的)?[^，。？?]{1,10}(?:是什么|叫什么|是谁|是哪)|我(?:有没有|喜不喜欢|是不是)|我(?:喜欢|讨厌|有|会)[^，。？?]{0,10}吗",
    re.IGNORECASE,
)


def attributes(question: str) -> frozenset[str]:
    """The attributes of the speaker that the question asks for; empty where it asks for none that are kept so."""
    asked = [name for name, pattern in _COMPILED if pattern.search(question)]
    return frozenset(one for name in asked for one in _SAME.get(name, (name,)))


def opposite(asked: frozenset[str]) -> frozenset[str]:
    """Attributes that answer the contrary of what is asked."""
    sides = frozenset({"likes", "dislikes"})
    return sides - asked if len(sides & asked) == 1 else frozenset()


def asks_of_self(question: str) -> bool:
    """Whether the answer is something about the speaker rather than about the community."""
    return bool(attributes(question)) or bool(_GENERAL.search(question))
