"""Keeping house: a night at so many memories of one member, and a year at so many turns a week."""

import resource
import time
import tracemalloc
import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from memory import ledger, upkeep
from memory.extraction.claims import Claim
from memory.ledger import Said
from memory.models import Episode, Memory
from memory.retrieval.text import terms
from memory.terms import Category, Kind, Origin
from profiles.access import Reader, scoped
from tests import year
from tests.people import make_world

WORDS = ("kiln", "loom", "press", "lathe", "garden", "piano", "canoe", "bakery", "窑炉", "织机", "花园", "钢琴")


def night(count: int) -> dict[str, Any]:
    """A member with so many live memories, half of them events, and as many exchanges.

    The first night has all the work of a house that nobody kept, the second finds nothing; what a dry run takes at its
    most is the memory of planning.
    """
    reader = make_world(uuid.uuid4().hex[:12]).alice
    began = time.monotonic()
    _furnish(reader, count)
    now, written = timezone.now(), time.monotonic() - began
    first, second = _seconds(reader, now), _seconds(reader, now)
    tracemalloc.start()
    done = upkeep.run(reader, now, blacken=lambda *_: None, dry_run=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"memories": count, "one_written_ms": round(1000 * written / count, 1), "first_night_s": first[0], "done": first[1], "second_night_s": second[0],
            "second_done": second[1], "dry_run_peak_mib": round(peak / 2**20, 1), "live": year.live(reader),
            "left_to_do": sum(len(one.acts) for one in done), "process_peak_mib": _peak()}  # fmt: skip


def whole_year(turns: int, weeks: int, language: str) -> dict[str, Any]:
    """The year of `tests/year.py`, with the limits of the product."""
    reader = make_world(uuid.uuid4().hex[:12]).alice
    began = time.monotonic()
    played = year.play(reader, language, turns=turns, weeks=weeks)
    end = year.START + timedelta(weeks=weeks + 1)
    right = sum(job in "".join(said) for job, said in zip(played.right, played.answers, strict=True))
    then = year.heard(reader, year.MAY[language], end)
    nights = sorted(played.nights)
    with scoped(reader):
        summaries = Memory.objects.standing().filter(category=Category.SUMMARY).count()
    return {"language": language, "turns": played.turns, "weeks": weeks, "most_live": played.most, "limit": year.limit(),
            "summaries": summaries, "job_right": f"{right}/{len(played.right)}",
            "job_in_may": bool(then) and year.JOBS[language][1] in then[0], "night_median_s": round(nights[len(nights) // 2], 2),
            "night_longest_s": round(nights[-1], 2), "seconds": round(time.monotonic() - began), "process_peak_mib": _peak()}  # fmt: skip


def _furnish(reader: Reader, count: int) -> None:
    """Written as the ledger writes them, but in few transactions: this is not what is measured."""
    old = timezone.now() - timedelta(days=60)
    for start in range(0, count, 500):
        with scoped(reader):
            for number in range(start, min(count, start + 500)):
                _one(reader, number, old + timedelta(minutes=number))
    with scoped(reader):
        Memory.objects.filter(owner_id=reader.member).update(created_at=old)


def _one(reader: Reader, number: int, at: Any) -> None:
    word = WORDS[number % len(WORDS)]
    zh = not word.isascii()
    event = number % 2 == 0
    text = (f"参加了第{number}次{word}活动" if zh else f"went to the {word} fair number {number}") if event else (
        f"喜欢{word}{number}" if zh else f"Likes {word} {number}")  # fmt: skip
    claim = Claim(
        Kind.EPISODIC if event else Kind.SEMANTIC, Category.EVENT if event else Category.PREFERENCE, "me",
        "event" if event else "likes", text, text, text, "zh" if zh else "en", 0.3 + number % 5 / 10, 0.9,
    )  # fmt: skip
    said = Said(uuid.uuid4(), uuid.uuid4(), at)
    origin = Origin.INFERRED if number % 3 == 0 else Origin.TOLD
    ledger.add(reader, claim, said, origin=origin, actor="reader" if origin == Origin.INFERRED else "member")
    question = f"{word}坏了找谁？" if zh else f"Who repairs the {word}?"
    Episode.objects.create(turn=said.turn, conversation=said.conversation, owner_id=reader.member, question=question, at=at,
                           community_id=reader.community, answer="", terms=terms(question))  # fmt: skip


def _seconds(reader: Reader, now: Any) -> tuple[float, dict[str, int]]:
    began = time.monotonic()
    done = upkeep.run(reader, now, blacken=lambda *_: None)
    return round(time.monotonic() - began, 2), {one.step: one.count for one in done if one.count}


def _peak() -> int:
    """Resident memory of this process at its most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
