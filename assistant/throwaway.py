"""Members of a community that is gone again in the end: for what is played through the product and leaves nothing."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from profiles.access import Reader, reader_for
from profiles.models import Community, Membership, User


@contextmanager
def members(of: str, names: Sequence[str]) -> Iterator[tuple[Reader, ...]]:
    """Made by the tables' owner, as the application may not; `of` begins the community's short name."""
    slug = f"{of}{uuid.uuid4().hex[:12]}"
    community = Community.objects.using("owner").create(slug=slug, name=slug)
    users = []
    try:
        for name in names:
            users.append(User.objects.using("owner").create(username=f"{slug}-{name}"))
            Membership.objects.using("owner").create(user=users[-1], community=community, memory_on=True)
        made = [reader_for(user.id) for user in users]
        yield tuple(reader for reader in made if reader is not None)
    finally:
        Membership.objects.using("owner").filter(community=community).delete()
        for user in users:
            user.delete(using="owner")
        community.delete(using="owner")
