"""Everything about one person goes, at once: the whole order, the sweep, the receipt."""

import json
import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from assistant.erasing import order
from assistant.erasing.requests import DECIDERS
from assistant.management import whom
from profiles.models import ErasureRequest, Membership, RequestState, User


class Command(BaseCommand):
    help = (
        "Erase a person from every store, look for what is left, and write a signed receipt. Without --community the "
        "account goes with all its memberships. Exit code 0 only if nothing was found."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The receipt is given once, with its salt: whoever has both can show whose it is."""
        parser.add_argument("name", metavar="NAME", help="the name that the person signs in with")
        parser.add_argument("--reason", required=True, help="why, for the audit")
        parser.add_argument("--approved-by", required=True, metavar="NAME", help="an admin or auditor, somebody else")
        parser.add_argument("--community", metavar="SLUG", help="only what is kept of them there")
        parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the receipt, as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """A request that is under way already is gone on with."""
        person = whom.person(options["name"])
        memberships = Membership.objects.using(order.ERASE).filter(user_id=person).order_by("joined_at")
        slug = options["community"]
        here = memberships.filter(community=whom.community(slug)).first() if slug else memberships.first()
        if slug and here is None:
            raise CommandError(f"There is no member {options['name']} in {slug}.")
        if options["output"].exists():
            raise CommandError(f"{options['output']} is there already.")
        approver = _approver(options["approved_by"], person, here)
        open_ = ErasureRequest.objects.using(order.ERASE).filter(person_id=person, ended_at=None)
        row = open_.exclude(started_at=None).first()
        if row is not None and (row.account == bool(slug) or (here and slug and row.community_id != here.community_id)):
            raise CommandError("Another erasure of this person has begun; it goes on by itself, and must end first.")
        if row is None:  # what was only asked for, and may cover something else, gives way to this
            open_.update(state=RequestState.CANCELLED, ended_at=timezone.now())
        row = row or ErasureRequest(
            community_id=here.community_id if here else None, person_id=person, member=here.id if here else None,
            account=not slug, own=False, due_at=timezone.now(),
        )  # fmt: skip
        row.state = row.state if row.started_at else RequestState.APPROVED
        row.reason, row.approved_by_id, row.approved_at = options["reason"][:400], approver, timezone.now()
        row.confirmed_at = row.cools_until = timezone.now()
        row.save(using=order.ERASE)
        done = order.run(row.id)
        self._hand_over(done, options["output"])

    def _hand_over(self, row: ErasureRequest, file: Path) -> None:
        file.touch(mode=0o600)
        file.write_text(json.dumps({**(row.receipt or {}), "salt": row.salt}, indent=2) + "\n", encoding="utf-8")
        ErasureRequest.objects.using(order.ERASE).filter(id=row.id).update(salt="")
        left = (row.receipt or {})["receipt"]["left"]
        if row.state != RequestState.DONE:
            raise CommandError(f"Partial: {', '.join(f'{place} ({count})' for place, count in left.items())}.")
        self.stdout.write(f"Erased, and nothing was found. The receipt is in {file}.")


def _approver(name: str, person: uuid.UUID, here: Membership | None) -> uuid.UUID:
    """Somebody else who decides there; raises `CommandError`."""
    found = User.objects.filter(username=name, is_active=True).first()
    roles = Membership.objects.using(order.ERASE).filter(user=found) if found else Membership.objects.none()
    where = roles.filter(community=here.community_id) if here else roles
    decides = found is not None and (found.is_superuser or where.filter(role__in=DECIDERS).exists())
    if found is None or not decides or found.id == person:
        raise CommandError(f"{name} is no admin or auditor who could approve this.")
    return found.id
