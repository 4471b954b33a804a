"""The order of an erasure: each step is a transaction of its own, done again after a kill, and counted once.

Everything here runs as the eraser, whom no wall stops; only the audit line is written as the product.
"""

import logging
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_plus

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connections, transaction
from django.utils import timezone

from assistant.conversation import window
from assistant.erasing import gone, marks, plan, receipt, requests, sweep
from assistant.erasing.plan import Target
from assistant.erasing.search import stands
from assistant.exporting import asking
from memory import audit, shelf
from memory.models import Search
from profiles.access import scoped, worker_in
from profiles.models import ErasureRequest, RequestState

log = logging.getLogger(__name__)
ERASE = "erase"
ANONYMOUS = "anonymous"
"""The author of what stays."""
_SIGNED = (("conversation_turn", "author_id"), ("memory_import", "asked_by_id"), ("memory_import", "undone_by_id"))
"""What they answered as a person, and brought as knowledge: it stays with others, without their name."""
_BEGIN = """
UPDATE profiles_erasurerequest SET state = 'erasing', started_at = COALESCE(started_at, now())
WHERE id = %s AND state IN ('confirmed', 'approved', 'erasing')
"""
_FREEZE = "SELECT pg_advisory_xact_lock(hashtextextended('kith member ' || %s, 0))"


class Overtaken(Exception):
    """It was cancelled while the freeze waited: nothing has begun."""


def run(request: uuid.UUID) -> ErasureRequest:
    """From wherever it stands to its end; two at once wait for each other. Returns the request, `done` or `partial`."""
    with connections[ERASE].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended('kith erasure ' || %s, 0))", [str(request)])
        try:
            row = ErasureRequest.objects.using(ERASE).get(id=request)
            if row.state not in (RequestState.DONE, RequestState.PARTIAL, RequestState.CANCELLED):
                with suppress(Overtaken):
                    _run(row)
            return row
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended('kith erasure ' || %s, 0))", [str(request)])


def target_of(row: ErasureRequest) -> Target:
    """Whom it is about, as long as the row says so; with the last membership the account goes too."""
    assert row.person_id is not None
    with connections[ERASE].cursor() as cursor:
        cursor.execute("SELECT id FROM profiles_membership WHERE user_id = %s ORDER BY id", [row.person_id])
        members = [found[0] for found in cursor.fetchall()]
    account = row.account or not [one for one in members if one != row.member]
    return Target(row.person_id, tuple(members) if account else tuple(filter(None, [row.member])), account)


def erase(target: Target) -> None:
    """Without a request: what was erased before and has come back with a restored backup."""
    for name, step in STEPS.items():
        if name not in ("take", "mail"):
            step(target, None)


def again() -> int:
    """Whoever a restored backup has brought back goes before anybody is served. Returns how many."""
    if ERASE not in settings.DATABASES:
        return 0
    found = gone.returned()
    for target in found:
        erase(target)
    return len(found)


def _run(row: ErasureRequest) -> None:
    if row.state != RequestState.VERIFYING:
        target = marks.opened(bytes(row.before)).target if row.before else target_of(row)
        for name, step in STEPS.items():
            if name not in row.steps:
                step(target, row)
                target = target_of(row) if name == "freeze" else target  # who joined at the last moment is frozen too
                row.steps = [*row.steps, name]
                row.save(using=ERASE, update_fields=["steps"])
        row.state = RequestState.VERIFYING
        row.save(using=ERASE, update_fields=["state"])
    _verify(row)


def _count(part: plan.Part, target: Target) -> int:
    with connections[ERASE].cursor() as cursor:
        cursor.execute(part.count, plan.values(target))
        return int(cursor.fetchone()[0])


def _freeze(target: Target, row: ErasureRequest | None) -> None:
    """From here on nobody writes in their name: who is at it now is waited for, who comes later finds no one."""
    first = row is not None and row.started_at is None
    with transaction.atomic(using=ERASE), connections[ERASE].cursor() as cursor:
        if target.account:  # whoever is joining just now is waited for, and nobody joins afterwards
            cursor.execute("UPDATE profiles_user SET is_active = false WHERE id = %s", [target.person])
        for member in target.members:
            cursor.execute(_FREEZE, [str(member)])
        cursor.execute(
            "UPDATE profiles_membership SET frozen_at = COALESCE(frozen_at, now()) WHERE id = ANY(%s) "
            "OR (%s AND user_id = %s)", [list(target.members), target.account, target.person],
        )  # fmt: skip
        if row is not None:
            cursor.execute(_BEGIN, [row.id])
            if not cursor.rowcount:
                row.refresh_from_db(using=ERASE)
                raise Overtaken
    if target.account:
        for session in Session.objects.using(ERASE).iterator():
            if session.get_decoded().get("_auth_user_id") == str(target.person):
                session.delete(using=ERASE)
    if row is not None:
        row.refresh_from_db(using=ERASE, fields=["state", "started_at"])
        if first:
            requests.begun(row, account=target.account)


def _take(target: Target, row: ErasureRequest | None) -> None:
    assert row is not None
    row.before = marks.shut(marks.take(target))
    row.counts = {part.table: [_count(part, target), None] for part in plan.parts(target)}
    with connections[ERASE].cursor() as cursor:
        cursor.execute("SELECT username FROM profiles_user WHERE id = %s", [target.person])
        found = cursor.fetchone()
    row.salt, commitment = receipt.commit(found[0] if found else "")
    row.counts |= {"commitment": commitment} | ({"account": True} if target.account else {})
    row.counts["archive"] = [sum(len(shelf.files(member)) for member in target.members), None]
    row.save(using=ERASE, update_fields=["before", "counts", "salt"])


def _archive(target: Target, row: ErasureRequest | None) -> None:
    """First the key: without it no copy of a file says anything."""
    with transaction.atomic(using=ERASE), connections[ERASE].cursor() as cursor:
        cursor.execute("DELETE FROM memory_key WHERE owner_id = ANY(%s)", [list(target.members)])
    for member in target.members:
        shelf.tidy(member)


def _exports(target: Target, row: ErasureRequest | None) -> None:
    for member in target.members:
        for path in asking.files(member):
            path.unlink(missing_ok=True)


def _cache(target: Target, row: ErasureRequest | None) -> None:
    for member in target.members:
        window.erase(member)  # a store that doesn't answer now may still hold it later


def _rows(target: Target, row: ErasureRequest | None) -> None:
    """Table by table; what is left of one after a kill goes with the next run."""
    with connections[ERASE].cursor() as cursor:
        cursor.execute("SELECT username FROM profiles_user WHERE id = %s", [target.person])
        found = cursor.fetchone()
    with transaction.atomic(using=ERASE), connections[ERASE].cursor() as cursor:
        if found:
            for table, column in (("passage", "verified_by"), ("passage", "kept_by"), ("swap", "verified_by")):
                cursor.execute(
                    f"UPDATE memory_{table} SET {column} = %s WHERE {column} = %s AND (%s OR community_id IN "  # noqa: S608
                    "(SELECT community_id FROM profiles_membership WHERE id = ANY(%s)))",
                    [ANONYMOUS, found[0], target.account, list(target.members)],
                )
            for table, column in _SIGNED:
                cursor.execute(
                    f"UPDATE {table} SET {column} = NULL WHERE {column} = %s AND (%s OR community_id IN "  # noqa: S608
                    "(SELECT community_id FROM profiles_membership WHERE id = ANY(%s)))",
                    [target.person, target.account, list(target.members)],
                )
        if target.account:
            cursor.execute("DELETE FROM django_admin_log WHERE user_id = %s OR object_id = ANY(%s)",
                           [target.person, [str(one) for one in (target.person, *target.members)]])  # fmt: skip
    with transaction.atomic(using=ERASE), connections[ERASE].cursor() as cursor:
        for part in plan.parts(target):
            if part.table not in (plan.MEMBERSHIP, plan.ACCOUNT):
                cursor.execute(part.delete, plan.values(target))
        _unname(cursor, target, row)
        for part in plan.parts(target):
            if part.table in (plan.MEMBERSHIP, plan.ACCOUNT):
                cursor.execute(part.delete, plan.values(target))


def _unname(cursor: Any, target: Target, row: ErasureRequest | None) -> None:
    """Requests stay, without a name: this one, earlier ones, and those of others that the person had a hand in."""
    cursor.execute(  # what else was asked for, in another community or before a backup, is done with this
        "UPDATE profiles_erasurerequest SET state = 'cancelled', ended_at = now(), before = NULL, salt = '' "
        "WHERE ended_at IS NULL "
        "AND id IS DISTINCT FROM %s AND (member = ANY(%s) OR person_id = %s)",
        [row.id if row else None, list(target.members), target.person if target.account else None],
    )
    for column in ("approved_by_id", "asked_by_id") if target.account else ():
        named = f"UPDATE profiles_erasurerequest SET {column} = NULL WHERE {column} = %s"  # noqa: S608
        cursor.execute(named, [target.person])
    cursor.execute(
        "UPDATE profiles_erasurerequest SET person_id = NULL, member = NULL, reason = '', phrase = '' "
        "WHERE member = ANY(%s) OR id = %s", [list(target.members), row.id if row else None],
    )  # fmt: skip
    if target.account:
        cursor.execute("UPDATE profiles_erasurerequest SET person_id = NULL, member = NULL, reason = '', phrase = '' "
                       "WHERE person_id = %s", [target.person])  # fmt: skip
    if row is not None:
        row.person_id = row.member = None
        row.reason = row.phrase = ""


def _mail(target: Target, row: ErasureRequest | None) -> None:
    """Letters to their addresses, and finds by which staff looked for one of them."""
    assert row is not None
    folder, wanted = settings.EMAIL_FILE_PATH, marks.opened(bytes(row.before or b"")).addresses
    for search in Search.objects.using(ERASE).iterator():
        if any(stands(address, said) for said in (search.name, unquote_plus(search.query)) for address in wanted):
            search.delete(using=ERASE)
    for path in folder.glob("*") if folder.is_dir() else ():
        text = path.read_text(encoding="utf-8", errors="replace")
        if any(stands(address, text) for address in wanted):
            path.unlink(missing_ok=True)


def _tidy(target: Target, row: ErasureRequest | None) -> None:
    """Deleted words leave the pages, the indexes and the statistics too."""
    connection = connections["owner"]
    with connection.cursor() as cursor:
        for table in [*(part.table for part in plan.parts(target)), *sorted(plan.NOT_HERE), "django_session"]:
            cursor.execute(f'VACUUM (ANALYZE) "{table}"')
            cursor.execute(f'REINDEX TABLE "{table}"')


STEPS: dict[str, Callable[[Target, ErasureRequest | None], None]] = {
    "freeze": _freeze, "take": _take, "archive": _archive, "exports": _exports, "mail": _mail, "rows": _rows,
    "cache": _cache, "tidy": _tidy,
}  # fmt: skip
"""In this order: the address is needed until its letters are found, the rows until they are counted."""


def _verify(row: ErasureRequest) -> None:
    """Look for everything that was taken; say what was found, sign it, and let go of what was looked for."""
    wanted = marks.opened(bytes(row.before or b""))
    found = sweep.look(wanted)
    for name, pair in row.counts.items():
        if isinstance(pair, list):
            row.counts[name] = [pair[0], found.traces.get(f"rows {name}", 0) + found.traces.get(name, 0)]
    row.state = RequestState.DONE if not found.traces else RequestState.PARTIAL
    row.ended_at = timezone.now()
    if row.community_id is not None:
        worker = worker_in(row.community_id)
        with scoped(worker):
            audit.write(worker, "erased", row.id, None, state=str(row.state))
    row.receipt = receipt.make(row, found)
    gone.note(row.id, wanted.ids)  # whatever was found: nobody comes back with a backup
    if row.state == RequestState.DONE:
        row.before = None
    row.save(using=ERASE, update_fields=["counts", "state", "ended_at", "receipt", "before"])
