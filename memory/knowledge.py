"""Door: shared knowledge written, changed, verified and removed, passage by passage; a file comes in by `importing`."""

import uuid
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from memory import audit, policy
from memory.models import Document, Passage, PassageVector, QuestionVector
from memory.passages import TITLE, question
from memory.retrieval.text import terms
from memory.wording import language
from profiles.access import EDITORS, Reader
from profiles.models import Membership, User

ANSWERS = "answers"
"""Key of the document that holds what moderators wrote as passages of their own."""


class Stale(Exception):
    """Somebody was faster; `current` is what it says now."""

    def __init__(self, current: Passage) -> None:
        super().__init__()
        self.current = current


def save(passage: Passage) -> None:
    """Keep a passage: its words are cut anew, and its vectors go, so that the worker makes new ones."""
    cut(passage)
    passage.save()
    _forget_vectors(passage)


def _forget_vectors(passage: Passage) -> None:
    for vectors in (PassageVector, QuestionVector):
        vectors.objects.filter(passage_id=passage.id).delete()


def cut(passage: Passage) -> Passage:
    """With the words by which it is found."""
    passage.title, passage.text = storable(passage.title)[:TITLE], storable(passage.text)
    passage.is_question = bool(question(passage.title))
    passage.terms = terms(f"{passage.title} {passage.title} {passage.text}")
    passage.language = language(f"{passage.title} {passage.text}") or passage.language or "en"
    return passage


def by_hand(passage: Passage, before: Passage | None) -> None:
    """As `save`, and an import will not simply write over its words; `before`: as it stood, None: it is new."""
    if passage.imported is None and (before is None or (before.title, before.text) != (passage.title, passage.text)):
        passage.imported = said(before) if before else {}
    save(passage)


def said(passage: Passage) -> dict[str, str]:
    """What the file said that it came from; nothing where no file did."""
    return {"title": passage.title, "text": passage.text} if passage.imported is None else passage.imported


def one(passage: uuid.UUID, at: datetime | None) -> Passage | None:
    """The passage, locked, as it was read at its last change `at`; raises `Stale`. In the unit of work of an editor."""
    row = Passage.objects.select_for_update().filter(id=passage).first()
    if row is not None and row.updated_at != at:
        raise Stale(row)
    return row


def write(reader: Reader, title: str, text: str) -> Passage:
    """A passage of a moderator's own, verified by them."""
    document, _new = Document.objects.get_or_create(
        community_id=reader.community, key=ANSWERS, defaults={"title": _("Answers by moderators")}
    )
    passage = Passage(document=document, community_id=reader.community, space_id=document.space_id, title=title,
                      text=text, verified_by=_name(reader))  # fmt: skip
    by_hand(passage, None)
    audit.write(reader, "edited", passage.id, None, what="passage")
    return passage


def edit(reader: Reader, row: Passage, title: str, text: str) -> None:
    """Other words, by a moderator; whoever verified the old ones has not verified these."""
    if (title, text) == (row.title, row.text):
        return
    before = Passage(title=row.title, text=row.text, imported=row.imported)
    row.title, row.text, row.verified_by = title, text, ""
    by_hand(row, before)
    audit.write(reader, "edited", row.id, None, what="passage")


def verify(reader: Reader, row: Passage, *, right: bool) -> None:
    """A moderator vouches for it by name, or nobody does any more."""
    row.verified_by = _name(reader) if right else ""
    row.save(update_fields=["verified_by", "updated_at"])
    audit.write(reader, "verified" if right else "unverified", row.id, None, what="passage")


def arrange(reader: Reader, row: Passage, since: date | None, until: date | None, keeper: str) -> None:
    """The days on which it holds, and the username of whoever looks after it; none: nobody."""
    if (since, until, keeper) == (row.valid_from, row.valid_to, row.kept_by):
        return
    row.valid_from, row.valid_to, row.kept_by = since, until, keeper
    row.save(update_fields=["valid_from", "valid_to", "kept_by", "updated_at"])
    audit.write(reader, "edited", row.id, None, what="passage")


def keepers(reader: Reader) -> list[str]:
    """Who may look after a passage: the usernames of those who edit in this community."""
    rows = Membership.objects.filter(community_id=reader.community, role__in=EDITORS)
    return list(rows.order_by("user__username").values_list("user__username", flat=True))


def remove(reader: Reader, row: Passage) -> None:
    """It is found and cited no more, and loses its vectors; for `policy.UNDO_DAYS` it can be brought back."""
    row.removed_at = timezone.now()
    row.save(update_fields=["removed_at", "updated_at"])
    _forget_vectors(row)
    audit.write(reader, "removed", row.id, None, what="passage")


def restore(reader: Reader, passage: uuid.UUID) -> Passage | None:
    """A removed one, back as it was; None where there is none. In the unit of work of an editor."""
    row = Passage.everything.select_for_update().filter(id=passage).exclude(removed_at=None).first()
    if row is not None:
        row.removed_at = None
        row.save(update_fields=["removed_at", "updated_at"])
        audit.write(reader, "restored", row.id, None, what="passage")
    return row


def let_go(now: datetime) -> int:
    """What was removed too long ago goes for good, and a document with nothing left; returns how many passages.

    In the unit of work of an editor.
    """
    gone = Passage.everything.filter(removed_at__lt=now - timedelta(days=policy.UNDO_DAYS))
    documents = set(gone.values_list("document_id", flat=True))
    count = gone.count()
    gone.delete()
    left = Passage.everything.filter(document_id__in=documents).values("document_id")
    Document.objects.filter(id__in=documents).exclude(id__in=left).delete()
    return count


def storable(text: str) -> str:
    """Without what the database can't hold."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def _name(reader: Reader) -> str:
    """As an erasure looks for it."""
    return User.objects.values_list("username", flat=True).get(id=reader.person)[:60]
