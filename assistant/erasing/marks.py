"""What is looked for after an erasure, taken before it: ids, addresses, and sentences that nobody else has written."""

import base64
import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from django.db import connections

from assistant.erasing.plan import Target
from assistant.erasing.search import holding
from memory import keys

CANARIES = 12
"""Sentences of the person's that are looked for."""
SHORTEST, LONGEST = 10, 120
"""Code points of one."""
PURPOSE, ABOUT = "kith: erasures", "erasure: what is looked for"


@dataclass(frozen=True, slots=True)
class Marks:
    """`ids` and `addresses` are nobody else's; `canaries` stood in no row of anybody else's; `names` may well."""

    person: str
    account: bool
    ids: tuple[str, ...]
    addresses: tuple[str, ...]
    names: tuple[str, ...]
    canaries: tuple[str, ...]

    @property
    def target(self) -> Target:
        """Who it was: the rows no longer say so."""
        return Target(uuid.UUID(self.person), self.members, self.account)

    @property
    def members(self) -> tuple[uuid.UUID, ...]:
        """The memberships."""
        return tuple(uuid.UUID(one) for one in self.ids if one != self.person)

    def needles(self) -> list[str]:
        """Everything that must be found nowhere, in each form in which it could have been kept."""
        found = [form for one in (*self.ids, *self.addresses, *self.canaries) for form in forms(one)]
        return list(dict.fromkeys(found))


def forms(words: str) -> list[str]:
    """As written; in JSON and in an address, escaped; in base64 at each of its three places; in hexadecimal."""
    raw = words.encode()
    found = [words, json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1], quote(words), raw.hex()]
    if len(words) == 36 and words.count("-") == 4:
        found.append(words.replace("-", ""))
    for shift in range(3):  # what is before it moves the bits; the first and the last character hang on the neighbours
        coded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        inner = coded[(0, 2, 3)[shift] : len(coded) - 1]
        found.append(inner)
    return [one for one in dict.fromkeys(found) if len(one) >= 4]


def take(target: Target) -> Marks:
    """Read as the sweep, which sees everything and changes nothing."""
    with connections["sweep"].cursor() as cursor:
        names = "username, email, first_name, last_name"
        cursor.execute(f"SELECT {names} FROM profiles_user WHERE id = %s", [target.person])  # noqa: S608
        username, email, first, last = cursor.fetchone() or ("", "", "", "")
        cursor.execute("SELECT email FROM account_emailaddress WHERE user_id = %s", [target.person])
        addresses = {email, *(row[0] for row in cursor.fetchall())} if target.account else set()
        members = list(target.members)
        cursor.execute("SELECT name FROM profiles_profile WHERE membership_id = ANY(%s)", [members])
        called = {username, first, last, *(row[0] for row in cursor.fetchall())}
        cursor.execute(
            "SELECT question FROM conversation_turn WHERE owner_id = ANY(%s) UNION ALL "
            "SELECT text FROM memory_memory WHERE owner_id = ANY(%s) UNION ALL "
            "SELECT text FROM memory_block WHERE owner_id = ANY(%s) UNION ALL "
            "SELECT comment FROM conversation_feedback WHERE owner_id = ANY(%s)", [members] * 4,
        )  # fmt: skip
        said = {words.strip()[:LONGEST] for (words,) in cursor.fetchall()}
    ids = [*map(str, target.members), *([str(target.person)] if target.account else [])]
    return Marks(str(target.person), target.account, tuple(ids), _kept(addresses), _kept(called), _own(target, said))


def shut(marks: Marks) -> bytes:
    """To be kept until the sweep has looked for them."""
    return keys.shut(keys.of_purpose(PURPOSE), json.dumps(asdict(marks), ensure_ascii=False).encode(), ABOUT)


def opened(kept: bytes) -> Marks:
    """The marks again; raises `keys.Unopened`."""
    found: dict[str, Any] = json.loads(keys.opened_for(PURPOSE, kept, ABOUT))
    lists = (tuple(found[name]) for name in ("ids", "addresses", "names", "canaries"))
    return Marks(found["person"], found["account"], *lists)


def _own(target: Target, said: Iterable[str]) -> tuple[str, ...]:
    """The longest that stand in no row of anybody else's, so that a bystander's same words are no trace."""
    wanted = sorted((words for words in said if len(words) >= SHORTEST), key=lambda words: (-len(words), words))
    wanted = wanted[: 3 * CANARIES]
    others = holding(wanted, but=[*target.members, target.person]) if wanted else {}
    return tuple(words for words in wanted if not others.get(words))[:CANARIES]


def _kept(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({one.strip() for one in words if one and one.strip()}))
