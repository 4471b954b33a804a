"""Door: past exchanges whose place another took: found no more, whatever is undone, and still there to be forgotten."""

import uuid
from collections.abc import Sequence

from memory import derived, overviews
from memory.models import Episode, EpisodeVector
from profiles.access import Reader


def replace(reader: Reader, turns: Sequence[uuid.UUID], *, conversation: uuid.UUID, reworded: bool) -> None:
    """What was made of these says what is left; memories keep them as their source. The caller holds the audit's lock.

    `reworded`: something was said in them that is said no more, so that the overview begins anew.
    """
    Episode.objects.filter(owner_id=reader.member, turn__in=turns).update(masked=True, replaced=True)
    EpisodeVector.objects.filter(owner_id=reader.member, episode__in=turns).delete()
    derived.follow(reader, derived.made_from(reader.member, (), turns))
    if reworded:
        overviews.drop([conversation], owner=reader.member)
