"""Twelve shapes of words that are nobody else's, left in every store by using the product; after the erasure none of
them is in a dump of the database, in Valkey, in a file, a log or an export. What is searched is read here, not there."""

import base64
import gzip
import json
import subprocess
import uuid
import zlib
from pathlib import Path

import redis
from django.conf import settings
from django.db import connections
from stdnum.cn import ric

from assistant import embedded, tasks
from assistant.erasing import order
from assistant.exporting import asking
from memory import blocks, vectors
from memory.models import Memory
from profiles.access import Reader, scoped
from profiles.models import RequestState, User
from tests.caller import Caller
from tests.conversation.test_turn import ask
from tests.erasing.test_erasing import lived, requested
from tests.people import World

SIZE = 8
PINYIN = ("qing", "shui", "lan", "hua", "mei", "dong", "xue", "feng", "yun", "shan", "he", "jing", "tian", "bai", "cao", "zhu")
SPOKEN = "赤橙黄绿青蓝紫金银铜铁锡东南西北"


def canaries(mark: str) -> dict[str, str]:
    """Twelve shapes, each of a member's own; `mark` is eight hexadecimal digits."""
    digits = [int(one, 16) for one in mark]
    number = "".join(str(one % 10) for one in digits)
    body = f"11010519{60 + digits[0]}0{digits[1] % 9 + 1}1{digits[2] % 10}{number[:3]}"
    said = f"the spare bolt of {mark} lies in tin"
    return {
        "zh": "我把" + "".join(SPOKEN[one] for one in digits) + "色的伞挂在门后",
        "en": f"My umbrella {mark} hangs behind the door of the shed",
        "id_number": body + ric.calc_check_digit(body + "0"),
        "mail": f"canary-{mark}@kith.example",
        "phone": "139" + number,
        "nickname": "阿" + "".join(SPOKEN[one] for one in digits[:4]) + "宝",
        "base64": base64.b64encode(said.encode()).decode(),
        "json": json.dumps(f"小{mark}\n说\t{SPOKEN[digits[0]]}")[1:-1],
        "compressed": base64.b85encode(zlib.compress(said.encode() * 4)).decode().replace("<", "(").replace(">", ")"),
        "pinyin": " ".join(PINYIN[one] for one in digits),
        "split": "-".join(f"{mark[at : at + 2]}{number[at : at + 2]}{at}q" for at in range(0, 8, 2)),
        "vector": f"0.1{number[:5]}{digits[3] % 9 + 1}",
    }


def plant(reader: Reader, found: dict[str, str]) -> None:
    """By using the product: chat, notes, feedback, an export, a forgotten memory, an archived one, vectors."""
    talk = uuid.uuid4()
    for says in (f"{found['zh']}。", found["en"], f"我的身份证号是{found['id_number']}", f"记住：我的手机号是{found['phone']}。", f"请叫我{found['nickname']}。",
                 f"Please remember: my code is {found['base64']}", f"记住：{found['json']}", f"Please remember: {found['compressed']}",
                 f"记住：我的暗号是 {found['pinyin']}", *(f"Please remember: part {part}" for part in found["split"].split("-"))):  # fmt: skip
        turn = ask(reader, says, talk)
    Caller(reader)("post", f"/turns/{turn}/feedback", rating="down", comment=found["pinyin"] + found["nickname"])
    User.objects.using("owner").filter(id=reader.person).update(email=found["mail"])
    tasks.remember()
    with scoped(reader):
        blocks.insert(reader, f"{found['nickname']} {found['phone']}", turn=turn)
        maker = vectors.embedder(f"canary/{SIZE}", SIZE)
        key = Memory.objects.live().filter(owner_id=reader.member).order_by("-created_at").values_list("id", flat=True)[0]
        row = (float(found["vector"]), 0.9, *[0.01] * (SIZE - 2))
        vectors.store(maker, [vectors.Waiting("memory", key, reader.person, reader.slug)], {key: row})
    lived(reader)
    with scoped(reader):
        asking.ask(reader)
    asking.work()


def pieces(found: dict[str, str]) -> dict[str, list[str]]:
    """What is looked for: each shape as it was said, and what it says once it is unpacked."""
    looked = {shape: [words] for shape, words in found.items()}
    looked["split"] = found["split"].split("-")
    looked["json"] += [json.loads(f'"{found["json"]}"')]
    looked["base64"] += [base64.b64decode(found["base64"]).decode()]
    return looked


def everything(folder: Path) -> dict[str, str]:
    """The database as a dump, the store with its keys, the files as they are and unpacked: place → what it says."""
    name = settings.DATABASES["default"]["NAME"]
    dump = folder / "dump.sql"
    program = embedded.program("pg_dump")
    subprocess.run([program, "--dbname", settings.PLACE.dsn("postgres", name), "--inserts", "--file", dump], check=True)
    store = redis.Redis.from_url(settings.REDIS_URL)
    held = b"\n".join(part for key in store.scan_iter("*") for part in (key, store.dump(key) or b""))
    found = {"database": dump.read_text(), "valkey": held.decode(errors="replace")}
    for path in sorted(settings.VAR_DIR.rglob("*")):
        if path.is_file() and (path.suffix == ".log" or not {"postgres", "valkey"} & set(path.parts)):
            raw = path.read_bytes()
            if raw[:2] == b"\x1f\x8b":
                raw += gzip.decompress(raw)
            found[f"file {path.relative_to(settings.VAR_DIR)}"] = raw.decode(errors="replace") + str(path)
    return found


def hits(found: dict[str, str], places: dict[str, str]) -> dict[str, list[str]]:
    return {
        shape: where for shape, words in pieces(found).items()
        if (where := [place for place, text in places.items() if any(word in text or json.dumps(word)[1:-1] in text for word in words)])
    }  # fmt: skip


def test_twelve_shapes_in_every_store_and_none_of_them_afterwards(world: World, tmp_path: Path) -> None:
    mine, bobs = canaries(world.alice.member.hex[:8]), canaries(world.bob.member.hex[:8])
    assert len(mine) == 12
    plant(world.alice, mine)
    plant(world.bob, bobs)
    planted = hits(mine, everything(tmp_path))
    assert planted.keys() >= mine.keys() - {"id_number"}, "each is there before, or it would prove nothing"
    assert "id_number" not in planted, "which is never stored in the first place"
    row = order.run(requested(world.alice).id)
    assert row.state == RequestState.DONE
    places = everything(tmp_path)
    assert hits(mine, places) == {}
    assert hits(bobs, places).keys() == planted.keys(), "the bystander's are all where they were"
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_memoryvector WHERE owner_id = %s", [world.alice.member])
        assert cursor.fetchone() == (0,)
