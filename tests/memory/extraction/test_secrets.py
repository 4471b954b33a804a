"""Three hundred secrets as people write them, and three hundred numbers and words that only look like one.

Each is drawn from what the kind really looks like (check digits are right, or wrong by one), put into a sentence of
people's, Chinese and English, in one of the ways in which people write numbers.
"""

import random
import string
from collections.abc import Callable, Iterator

import pytest
from stdnum import iban, luhn
from stdnum.cn import ric

from memory.extraction import guard

EACH = 300
ALNUM = string.ascii_letters + string.digits


def drawn(chance: random.Random, marks: str, count: int) -> str:
    return "".join(chance.choice(marks) for _ in range(count))


def resident(chance: random.Random) -> str:
    """A resident's number: a district, a birthday, a number of the day, and the check digit."""
    born = f"{chance.randint(1950, 2012)}{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    body = chance.choice(["110105", "310104", "440305", "330106", "510107", "420106"]) + born + drawn(
        chance, string.digits, 3
    )
    return body + ric.calc_check_digit(body + "0")  # it leaves the last mark out


def card(chance: random.Random) -> str:
    start, size = chance.choice([("4", 16), ("52", 16), ("37", 15), ("622202", 19), ("621700", 19), ("625965", 16)])
    body = start + drawn(chance, string.digits, size - len(start) - 1)
    return body + str(luhn.calc_check_digit(body))


def account(chance: random.Random) -> str:
    land, size = chance.choice([("DE", 18), ("AT", 16)])
    body = drawn(chance, string.digits, size)
    return land + iban.calc_check_digits(f"{land}00{body}") + body


def key(chance: random.Random) -> str:
    return chance.choice([
        "sk-" + drawn(chance, ALNUM, 48), "sk-proj-" + drawn(chance, ALNUM + "-_", 60),
        "sk-ant-api03-" + drawn(chance, ALNUM + "-_", 80), "AKIA" + drawn(chance, string.ascii_uppercase + "234567", 16),
        "AIza" + drawn(chance, ALNUM + "-_", 35), "sk_live_" + drawn(chance, ALNUM, 24), "LTAI" + drawn(chance, ALNUM, 20),
        "AKID" + drawn(chance, ALNUM, 32),
        "-----BEGIN RSA PRIVATE KEY-----\n" + drawn(chance, ALNUM + "+/", 64) + "\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + drawn(chance, ALNUM + "+/", 70),
    ])  # fmt: skip


def token(chance: random.Random) -> str:
    return chance.choice([
        "ghp_" + drawn(chance, ALNUM, 36), "github_pat_" + drawn(chance, ALNUM + "_", 60),
        "glpat-" + drawn(chance, ALNUM, 20), "xoxb-" + drawn(chance, string.digits, 12) + "-" + drawn(chance, ALNUM, 24),
        "hf_" + drawn(chance, ALNUM, 34), "npm_" + drawn(chance, ALNUM, 36),
        f"eyJ{drawn(chance, ALNUM, 20)}.eyJ{drawn(chance, ALNUM, 30)}.{drawn(chance, ALNUM + '-_', 43)}",
        "pypi-" + drawn(chance, ALNUM + "-_", 60), "dop_v1_" + drawn(chance, "0123456789abcdef", 64),
    ])  # fmt: skip


def password(chance: random.Random) -> str:
    word = chance.choice(["hunter", "sunny", "Kiwi", "woaini", "qwerty", "Dragon", "xiaoming", "Falcon", "pass", "admin"])
    return chance.choice([
        word + drawn(chance, string.digits, 3), word.capitalize() + "@" + drawn(chance, string.digits, 4),
        drawn(chance, ALNUM + "!#$%", 12), word + "_" + drawn(chance, string.ascii_lowercase, 4) + "!", drawn(chance, string.digits, 6),
    ])  # fmt: skip


def wide(text: str) -> str:
    return "".join(chr(ord(mark) + 0xFEE0) if "!" <= mark <= "~" else mark for mark in text)


def fours(text: str) -> str:
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


AS_IS: Callable[[str], str] = str
NUMBERS = (AS_IS, AS_IS, wide, fours, lambda text: text[:6] + " " + text[6:14] + " " + text[14:],
           lambda text: "-".join(text[at : at + 4] for at in range(0, len(text), 4)),
           lambda text: text[:4] + "\u200b" + text[4:])  # fmt: skip
SECRETS: dict[str, tuple[Callable[[random.Random], str], int, tuple[str, ...], tuple[Callable[[str], str], ...]]] = {
    "id_number": (resident, 70, (
        "我的身份证号是{}", "身份证：{}，帮我记一下", "实名认证用{}就行", "我叫王小雨，{}，麻烦登记", "{}这是我的证件号码",
        "报名信息：王小雨/{}/13800138000", "my Chinese ID number is {}", "ID {} for the registration, thanks",
        "请帮我用{}买票", "证件号码为{}。",
    ), NUMBERS[:5]),
    "card_number": (card, 60, (
        "我的卡号是{}", "银行卡{}，转这里", "请把报销打到{}", "my card is {}", "card number {}, expires 12/28",
        "please charge {} for the fee", "信用卡 {} 有效期 12/28", "建行卡号：{} 王小雨", "You can use my Visa {}.",
    ), (*NUMBERS[:4], NUMBERS[5])),
    "account": (account, 15, ("my IBAN is {}", "请转到 {}", "refund to {} please", "账户 {}，谢谢"), (AS_IS, fours)),
    "key": (key, 60, (
        "{}", "my key: {}", "我的 API key 是 {}", "用这个{}调用就可以", "export OPENAI_API_KEY={}", "config = {{\"key\": \"{}\"}}",
        "密钥是{}，别告诉别人", "here is the key {} for the demo", "KEY='{}' make run",
    ), (AS_IS,)),
    "token": (token, 45, (
        "{}", "token: {}", "我的令牌是{}", "git clone with {}", "Authorization: Bearer {}", "用{}登录就行", "the bot's token is {}",
    ), (AS_IS,)),
    "password": (password, 50, (
        "我的密码是{}", "密码：{}", "wifi密码 是 {}，欢迎来", "my password is {}", "password: {}", "the password for the club laptop is {}",
        "登录密码为{}", "pwd={}", "passcode is {}", "开机口令是{}", "我的密码改成{}了", "my new password is now {}",
        "账号 alice 密码 {}", "user: alice pass: {}", "PIN is {}",
    ), (AS_IS, AS_IS, AS_IS, wide)),
}  # fmt: skip


def off_by_one(number: str) -> str:
    """With another last digit, so that the check fails."""
    return number[:-1] + ("1" if number[-1] in "Xx" else str((int(number[-1]) + 1) % 10))


def hexes(chance: random.Random, count: int) -> str:
    return drawn(chance, "0123456789abcdef", count)


HARMLESS: tuple[tuple[Callable[[random.Random], str], tuple[str, ...]], ...] = (
    (lambda c: f"20{c.randint(20, 26)}{c.randint(1, 12):02}{c.randint(1, 28):02}{drawn(c, string.digits, 9)}",
     ("订单号 {}", "我的订单{}还没发货", "order {} is late", "流水号：{}", "tracking number {}", "运单号{}到哪了")),
    (lambda c: str(c.randint(1_500_000_000, 1_790_000_000)), ("timestamp {}", "时间戳 {}", "logged at {}")),
    (lambda c: str(c.randint(1_500_000_000_000, 1_790_000_000_000)), ("timestamp {}", "在 {} 触发的", "at {} it failed")),
    (lambda c: off_by_one(resident(c)), ("编号 {}", "{} 这个号码不对", "invoice {} please")),
    (lambda c: off_by_one(card(c)), ("会员编号 {}", "the parcel {} arrived", "{}")),
    (lambda c: f"1{c.choice('3578')}{drawn(c, string.digits, 9)}", ("电话 {}", "加我微信{}", "call me at {}", "我的手机是{}")),
    (lambda c: f"978{drawn(c, string.digits, 10)}", ("ISBN {}", "那本书的书号是{}", "the book with ISBN {}")),
    (lambda c: hexes(c, 40), ("commit {}", "回退到 {}", "sha {} broke it")),
    (lambda c: hexes(c, 7), ("see {}", "commit {} 修好了", "reverted in {}")),
    (lambda c: "-".join(hexes(c, n) for n in (8, 4, 4, 4, 12)), ("request {}", "会话 {}", "the id is {}")),
    (lambda c: f"{c.randint(1, 30)}.{c.randint(0, 99)}.{c.randint(0, 20)}", ("version {}", "升级到 {}", "pgvector {} is needed")),
    (lambda c: f"{c.randint(10, 99999)}.{c.randint(10, 99)}", ("会费 {} 元", "it costs {} euros", "一共 {}")),
    (lambda c: c.choice(["password", "passphrase", "密码", "口令", "PIN", "API key", "token", "access token", "密钥", "令牌"]),
     ("忘记{}怎么办？", "how do I reset the {}?", "{} 太弱了会怎样", "the {} is wrong again", "where do I change my {}?",
      "{}在哪里设置？", "I lost the {}", "为什么提示{}错误", "the {} must have twelve characters", "{}多久换一次？",
      "my {} is expired", "a {} is not needed for the library", "我的{}好像不对")),
    (lambda c: c.choice(["the key is under the mat", "keys to the workshop hang by the door", "a token of appreciation",
                         "钥匙在王小雨那里", "关键是早点报名", "my secret is good tea", "the secret is to start early",
                         "密码学讲座在周三", "cryptography talk on Wednesday", "the pass is closed in winter", "口令红包真好玩",
                         "tokenizers split words", "卡号我忘了", "my card got lost", "the card is in my wallet",
                         "身份证要带吗？", "do I need my ID card?", "身份证复印件两份", "IBAN means what?", "the API is down"]), ("{}",)),
    (lambda c: f"https://example.org/a/{drawn(c, string.ascii_lowercase, 8)}?page={c.randint(1, 99)}&ref={drawn(c, string.ascii_lowercase, 12)}",
     ("{}", "链接是 {}", "sign up at {}")),
    (lambda c: f"{c.randint(18, 54)}.{drawn(c, string.digits, 6)}, {c.randint(73, 135)}.{drawn(c, string.digits, 6)}",
     ("we meet at {}", "坐标 {}", "location {}")),
    (lambda c: f"tools/{drawn(c, string.ascii_lowercase, 5)}_{drawn(c, string.digits, 4)}.py", ("脚本在 {}", "see {}", "run {} first")),
    (lambda c: f"{c.randint(2000, 2030)}-{c.randint(1, 12):02}-{c.randint(1, 28):02} {c.randint(0, 23):02}:{c.randint(0, 59):02}",
     ("活动在 {}", "it began {}", "{} 见")),
    (lambda c: f"+49 {c.randint(151, 179)} {drawn(c, string.digits, 8)}", ("call {}", "德国号码 {}", "my number there is {}")),
)  # fmt: skip


def secrets() -> Iterator[tuple[str, str, str]]:
    """Kind, secret as written, and the whole text."""
    for kind, (make, count, frames, ways) in SECRETS.items():
        chance = random.Random(kind)
        for number in range(count):
            written = chance.choice(ways)(make(chance))
            yield kind, written, frames[number % len(frames)].format(written)


def harmless() -> list[str]:
    chance = random.Random("harmless")
    found = []
    while len(found) < EACH:
        make, frames = HARMLESS[len(found) % len(HARMLESS)]
        found.append(chance.choice(frames).format(make(chance)))
    return found


def found_whole(written: str, text: str) -> bool:
    """Whether nothing of it is left: no four marks of it in a row."""
    left = guard.redact(text)
    pieces = [written[at : at + 4] for at in range(0, len(written) - 3)]
    frame = text.replace(written, "")
    return left != text and not any(piece in left and piece not in frame for piece in pieces if piece.strip())


def test_nearly_every_secret_is_blacked_out_and_every_key_and_id_number() -> None:
    cases = list(secrets())
    assert len(cases) == EACH
    missed = [(kind, text) for kind, written, text in cases if not found_whole(written, text)]
    assert [case for case in missed if case[0] in {"key", "id_number"}] == []
    assert len(missed) <= 0.02 * EACH, missed


def test_hardly_anything_that_only_looks_like_a_secret_is_touched() -> None:
    touched = [(text, guard.redact(text)) for text in harmless() if guard.secrets(text)]
    assert len(touched) <= 0.02 * EACH, touched


@pytest.mark.parametrize("kind", list(SECRETS))
def test_a_kind_is_drawn_in_both_languages(kind: str) -> None:
    texts = [text.replace(written, "") for one, written, text in secrets() if one == kind]
    assert any(any("\u4e00" <= mark <= "\u9fff" for mark in text) for text in texts)
    assert any(text.isascii() for text in texts)


@pytest.mark.parametrize("said", [
    "the test results pass: everything is fine", "Boarding pass: gate B12", "Mountain pass: elevation 2300m",
    "Pass: 12/15 questions", "the password field_name is wrong", "密码 wifi_guest 是谁改的", "忘记密码 2026-05-01 那次",
])  # fmt: skip
def test_a_word_beside_the_label_is_no_password_by_its_place_alone(said: str) -> None:
    assert guard.redact(said) == said


@pytest.mark.parametrize("said", ["user: alice pass: {}", "账号 alice pass：{}", "密码 {}", "pass = '{}'"])
@pytest.mark.parametrize("secret", ["hunter22", "Kiwi@2045", "482913"])
def test_what_looks_like_one_is_found_there(said: str, secret: str) -> None:
    assert secret not in guard.redact(said.format(secret))
