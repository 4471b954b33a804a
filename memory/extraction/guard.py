"""What must not be stored: secrets, instructions to the assistant, sensitive data; and hidden characters."""

import re
import unicodedata

from stdnum import luhn
from stdnum.cn import ric

_PASSWORD = re.compile(
    r"(?:密码|口令|password|passwd|pwd|passphrase)\s*(?:是|为|：|:|=|is)\s*\S+|(?:my|the) password\b.{0,12}\S+", re.I
)
_KEY = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}"
)
_TOKEN = re.compile(
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
    r"|(?:token|api[ _-]?key|secret|密钥|令牌)\s*(?:是|为|：|:|=|is)\s*[A-Za-z0-9_\-+/=]{12,}",
    re.I,
)
_NUMBER = re.compile(r"(?<![0-9A-Za-z])[0-9](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z])")
_RESIDENT = re.compile(r"(?<![0-9])[1-9](?:[ -]?[0-9]){16}[ -]?[0-9Xx](?![0-9])")
_INSTRUCTION = re.compile(
    r"ignore (?:all |the |any )*(?:previous|above|prior) |disregard (?:all|the|previous)|you are now |system prompt"
    r"|^\s*(?:system|assistant)\s*[:：]|</?(?:system|memories|rules|persona|knowledge|profile)>"
    r"|忽略(?:以上|之前|前面|上面)|无视(?:以上|之前)|你现在是|系统提示词",
    re.I | re.M,
)
_SENSITIVE = re.compile(
    r"\b(?:diagnos\w+|depress\w+|hiv|cancer|pregnan\w+|medication|gay|lesbian|bisexual|transgender|muslim|christian"
    r"|buddhist|jewish|atheist|republican|democrat|communist)\b"
    r"|确诊|抑郁|癌|艾滋|怀孕|服药|病史|同性恋|双性恋|信教|基督徒|佛教徒|穆斯林|党员|未成年",
    re.I,
)
_HIDDEN = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x00AD, 0x061C}


def secrets(text: str) -> tuple[str, ...]:
    """Kinds of secret in the text, full-width and spaced ones too; none of its words."""
    plain = unicodedata.normalize("NFKC", text)
    tests = {
        "password": bool(_PASSWORD.search(plain)),
        "key": bool(_KEY.search(plain)),
        "token": bool(_TOKEN.search(plain)),
        "id_number": any(ric.is_valid(_digits(found)) for found in _RESIDENT.findall(plain)),
        "card_number": any(_card(_digits(found)) for found in _NUMBER.findall(plain)),
    }
    return tuple(kind for kind, found in tests.items() if found)


def redact(text: str) -> str:
    """The text with each secret in it blacked out; a text without one stays byte for byte."""
    if not secrets(text):
        return text
    plain = unicodedata.normalize("NFKC", text)
    for pattern in (_PASSWORD, _KEY, _TOKEN):
        plain = pattern.sub("█", plain)
    plain = _RESIDENT.sub(lambda found: "█" if ric.is_valid(_digits(found.group())) else found.group(), plain)
    return _NUMBER.sub(lambda found: "█" if _card(_digits(found.group())) else found.group(), plain)


def is_instruction(text: str) -> bool:
    """Whether the text tries to instruct the assistant or to fake a role or a region."""
    return bool(_INSTRUCTION.search(unicodedata.normalize("NFKC", hidden(text))))


def is_sensitive(text: str) -> bool:
    """Health, belief, sexuality, politics, minors: kept only on an explicit "remember"."""
    return bool(_SENSITIVE.search(text))


def hidden(text: str) -> str:
    """The text without bidirectional controls, zero-width marks and tags; joined emoji stay whole."""
    return "".join(mark for mark in text if ord(mark) not in _HIDDEN and not 0xE0000 <= ord(mark) <= 0xE007F)


def _digits(found: str) -> str:
    return re.sub(r"[ -]", "", found).upper()


def _card(number: str) -> bool:
    """A payment card by issuer range and check digit; time stamps and order numbers rarely have both."""
    return 15 <= len(number) <= 19 and number[0] in "3456" and luhn.is_valid(number)
