"""Door: entering a community by an invitation or because it is open, and leaving it."""

import uuid

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from profiles.access import Reader, as_person, scoped
from profiles.models import Community, Invitation, Membership, Role, User


def join(person: uuid.UUID, *, code: str = "", community: str = "") -> Community | None:
    """Make the person a member; None where neither the code nor the community lets anybody in.

    Who is a member already stays one, with the same role, and uses up no invitation.
    """
    with as_person(person):
        if not User.objects.select_for_update().filter(id=person, is_active=True).exists():  # being erased
            return None
        found = _invited(person, code.strip()) or _open(community)
        if found is None:
            return None
        place, role = found
        try:
            with transaction.atomic():
                Membership.objects.create(user_id=person, community=place, role=role)
        except IntegrityError:  # a member already
            pass
        return place


def leave(reader: Reader) -> None:
    """End the membership; what the community remembered about the member goes with it."""
    with scoped(reader):
        Membership.objects.filter(id=reader.member).delete()


def _invited(person: uuid.UUID, code: str) -> tuple[Community, str] | None:
    if not code:
        return None
    good = Invitation.objects.filter(code=code, uses_left__gt=0).exclude(expires_at__lt=timezone.now())
    invitation = good.select_related("community").first()
    if invitation is None:
        return None
    inside = Membership.objects.filter(user_id=person, community_id=invitation.community_id).exists()
    if not inside and not good.update(uses_left=F("uses_left") - 1):
        return None
    return invitation.community, invitation.role


def _open(slug: str) -> tuple[Community, str] | None:
    row = Community.objects.filter(slug=slug, is_open=True).first()
    return None if row is None else (row, Role.MEMBER)
