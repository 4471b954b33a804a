"""Door: the two texts that always stand in the context, who may write them, and what is refused and why.

An assistant writes a member's `human` block by three verbs, a person writes either block as a whole. Every refusal is a
sentence that whoever tried can act on; nothing is written of what is refused.
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.db import connection
from django.utils.translation import gettext as _

from memory import audit, policy
from memory.extraction import guard
from memory.mask import masker
from memory.models import Block, BlockVersion
from memory.terms import Label
from profiles.access import EDITORS, Reader

ASSISTANT = "assistant"
"""The actor of what a model writes."""


class Refused(Exception):
    """Nothing was written; the text says why, and what would be taken."""


class Stale(Exception):
    """The block was changed since it was read; `current` is the block as it stands."""

    def __init__(self, current: Block) -> None:
        super().__init__("the block has a newer version")
        self.current = current


@dataclass(frozen=True, slots=True)
class Blocks:
    """What goes into a context; empty where nothing was written."""

    persona: str = ""
    human: str = ""


_READ = """
SELECT label, text FROM memory_block
WHERE community_id = %s AND text <> '' AND (assistant = %s OR owner_id = %s)
"""


def read(reader: Reader, assistant: uuid.UUID | None, *, human: bool = True) -> Blocks:
    """Both, for one answer; `human`: the member's own too, where what they have forgotten is blacked out."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, [reader.community, assistant, reader.member if human else None])
        found = dict(cursor.fetchall())
    kept = found.get(Label.HUMAN, "")
    return Blocks(found.get(Label.PERSONA, ""), masker(reader)(kept) if kept else "")


def human_of(reader: Reader, member: uuid.UUID) -> Block:
    """The member's block, locked for the rest of the unit of work; made on first use."""
    audit.hold(reader.community)
    Block.objects.bulk_create(
        [Block(owner_id=member, community_id=reader.community, label=Label.HUMAN)], ignore_conflicts=True
    )
    return Block.objects.select_for_update().get(owner_id=member, community_id=reader.community)


def persona_of(reader: Reader, assistant: uuid.UUID) -> Block:
    """An assistant's block, locked, made on first use; raises `Refused` for who may not write it."""
    if reader.role not in EDITORS:
        raise Refused(_("Only moderators and admins write what an assistant is."))
    audit.hold(reader.community)
    Block.objects.bulk_create(
        [Block(assistant=assistant, community_id=reader.community, label=Label.PERSONA)], ignore_conflicts=True
    )
    return Block.objects.select_for_update().get(assistant=assistant, community_id=reader.community)


def write(
    reader: Reader, block: Block, text: str, *, actor: str, version: int | None = None, reason: str = "",
    turn: uuid.UUID | None = None,
) -> Block:  # fmt: skip
    """Set a locked block's text; raises `Refused`, or `Stale` where `version` is not the current one."""
    if version is not None and version != block.version:
        raise Stale(block)
    text = _checked(reader, text.strip(), by_hand=actor != ASSISTANT)
    if text == block.text:
        return block
    block.text, block.version = text, block.version + 1
    block.save()
    BlockVersion.objects.create(
        block=block, community_id=block.community_id, owner_id=block.owner_id, number=block.version, text=text,
        actor=actor, reason=reason, turn=turn,
    )  # fmt: skip
    audit.write(reader, "block", block.id, block.owner_id, label=block.label, number=block.version, actor=actor,
                reason=reason)  # fmt: skip
    return block


def insert(reader: Reader, text: str, *, turn: uuid.UUID) -> Block:
    """`memory_insert`: one more line at the end of the reader's block."""
    if not text.strip():
        raise Refused(_("The text is empty; say what is to be kept."))
    return _changed(reader, turn, lambda old: f"{old}\n{text.strip()}".strip())


def replace(reader: Reader, old: str, new: str, *, turn: uuid.UUID) -> Block:
    """`memory_replace`: `old`, which must stand in the block exactly once, becomes `new`; an empty one takes it out."""
    if not old.strip():
        raise Refused("`old` is empty; copy the words to be replaced from the block, exactly.")

    def changed(text: str) -> str:
        times = text.count(old)
        if times != 1:
            found = "does not stand in the block" if not times else f"stands in the block {times} times, say more of it"
            raise Refused(f"`old` {found}. The block says now:\n{text or '(nothing)'}")
        return text.replace(old, new)

    return _changed(reader, turn, changed)


def rethink(reader: Reader, text: str, *, turn: uuid.UUID) -> Block:
    """`memory_rethink`: the whole block anew."""
    if not text.strip():
        raise Refused(_("The text is empty; a block is rewritten, not thrown away."))
    return _changed(reader, turn, lambda old: text)


def take_back(reader: Reader, turns: Iterable[uuid.UUID]) -> None:
    """What an assistant wrote in these turns goes: its lines from the reader's block and from what that said before.

    Where it had rewritten what stood there, and nothing was written since, the block says again what it said before.
    """
    wanted = set(turns)
    versions = list(BlockVersion.objects.filter(owner_id=reader.member).order_by("number"))
    mine = [version.actor == ASSISTANT and version.turn in wanted for version in versions]
    said = ["", *(version.text for version in versions)]
    added = [set(new.split("\n")) - set(old.split("\n")) for old, new in pairwise(said)]
    lost = [bool(set(old.split("\n")) - {""} - set(new.split("\n"))) for old, new in pairwise(said)]
    if not any(mine):
        return
    last = next((place for place in reversed(range(len(mine))) if not mine[place]), -1) + 1
    rewritten = any(lost[last:])
    gone = set().union(*(lines for lines, ours, over in zip(added, mine, lost, strict=True) if ours and not over))
    block = human_of(reader, reader.member)
    text = _without(said[last] if rewritten else block.text, gone)
    write(reader, block, text, actor="member", reason="conversation deleted")
    for place, version in enumerate(versions):
        text = "" if rewritten and place >= last else _without(version.text, gone)
        BlockVersion.objects.filter(id=version.id).update(text=text)


def _without(text: str, gone: set[str]) -> str:
    return "\n".join(line for line in text.split("\n") if line not in gone)


def blacken(reader: Reader, blackout: Callable[[str, datetime], str]) -> None:
    """What was forgotten goes for good from the reader's block and from what it said before."""
    for version in BlockVersion.objects.filter(owner_id=reader.member):
        text = blackout(version.text, version.at)
        if text != version.text:
            BlockVersion.objects.filter(id=version.id).update(text=text)
    for block in Block.objects.select_for_update().filter(owner_id=reader.member):
        text = blackout(block.text, block.updated_at)
        if text != block.text:
            Block.objects.filter(id=block.id).update(text=text)


def _changed(reader: Reader, turn: uuid.UUID, change: Callable[[str], str]) -> Block:
    block = human_of(reader, reader.member)
    known = masker(reader)(block.text)  # the model sees, and is told, nothing that was forgotten
    return write(reader, block, change(known), actor=ASSISTANT, turn=turn)


def _checked(reader: Reader, text: str, *, by_hand: bool) -> str:
    text = guard.hidden(text)
    if len(text) > policy.BLOCK_LIMIT:
        told = _("That would be %(count)d characters, %(limit)d fit; shorten it first.")
        raise Refused(told % {"count": len(text), "limit": policy.BLOCK_LIMIT})
    if guard.secrets(text):
        raise Refused(_("Passwords, keys and numbers of cards or papers are never kept."))
    if guard.is_instruction(text):
        raise Refused(_("A text that gives orders to the assistant is not kept."))
    if not by_hand and guard.is_sensitive(text):
        raise Refused("Health, belief, politics, sexuality and children are kept only if the member asks for it.")
    if not by_hand and masker(reader)(text) != text:
        raise Refused("The member had something of this forgotten; leave it out.")
    return text
