"""Door: memories of one member that seem to say the same twice; a person decides, nothing is put together here."""

import uuid
from collections import Counter, defaultdict
from itertools import combinations

from django.db.models import QuerySet

from memory import policy
from memory.models import Memory
from memory.retrieval.details import differ

Pair = tuple[uuid.UUID, uuid.UUID]


def pairs(found: QuerySet[Memory]) -> list[Pair]:
    """Those with most words in common first, the older of two first, at most `policy.TWICE_SHOWN`; what differs in a
    number, a date, a name, a place or a negation says another thing."""
    rows = list(found.order_by("created_at", "id").values_list("id", "text", "terms", "category"))
    holding = defaultdict(list)
    for place, (_, _, words, _) in enumerate(rows):
        for word in set(words):
            holding[word].append(place)
    common = Counter(
        pair for some in holding.values() if len(some) <= policy.TWICE_HOLDING for pair in combinations(some, 2)
    )
    alike: list[tuple[float, int, int]] = []
    for (one, other), count in common.items():
        share = count / len({*rows[one][2], *rows[other][2]})
        if share >= policy.TWICE_SHARE and rows[one][3] == rows[other][3] and not differ(rows[one][1], rows[other][1]):
            alike.append((-share, one, other))
    return [(rows[one][0], rows[other][0]) for _, one, other in sorted(alike)[: policy.TWICE_SHOWN]]
