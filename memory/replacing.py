"""Door: past exchanges whose place another took: found no more, whatever is undone, and still there to be forgotten."""

import uuid
from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q

from memory import derived, overviews
from memory.models import Episode, EpisodeVector
from profiles.access import Reader


def replace(reader: Reader, turns: Sequence[uuid.UUID], *, by: uuid.UUID, talk: uuid.UUID, reworded: bool) -> None:
    """What was made of these says what is left; memories keep them as their source. The caller holds the audit's lock.

    `by` is the turn that took their place in the conversation `talk`; where it only answers the same words anew, what
    was forgotten of these stays forgotten. `reworded`: something was said in them that is said no more, so that the
    overview begins anew.
    """
    gone = Episode.objects.filter(owner_id=reader.member, turn__in=turns)
    said = Episode.objects.filter(owner_id=reader.member, turn=by)
    same = gone.filter(question__in=said.values("question"), masked=True)
    hidden = same.filter(Q(replaced=False) | Q(hidden_by__isnull=False)).first()
    if hidden is not None:
        said.update(masked=True, hidden_by=hidden.hidden_by)
    gone.update(masked=True, replaced=True)
    EpisodeVector.objects.filter(owner_id=reader.member, episode__in=turns).delete()
    derived.follow(reader, derived.made_from(reader.member, (), turns))
    if reworded:
        overviews.drop([talk], owner=reader.member)


def answered_anew(owner: uuid.UUID | None, turns: Iterable[uuid.UUID]) -> list[uuid.UUID]:
    """These, and the exchanges in which the same words were answered in their place, or before."""
    those = list(turns)
    mine = Episode.objects.filter(owner_id=owner)
    of = mine.filter(turn__in=those)
    same = of.filter(conversation=OuterRef("conversation"), question=OuterRef("question"))
    rows = mine.filter(conversation__in=of.values("conversation")).exclude(turn__in=those)
    rows = rows.filter(Q(Exists(same), replaced=True) | Q(Exists(same.filter(replaced=True))))
    return [*those, *rows.values_list("turn", flat=True)]
