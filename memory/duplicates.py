"""Door: memories of one member that seem to say the same twice; a person decides, nothing is put together here."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from memory import policy
from memory.models import Memory
from memory.retrieval.details import differ


def pairs(rows: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Those with most words in common first, the older of two first, at most `policy.TWICE_SHOWN`; what differs in a
    number, a date, a name, a place or a negation says another thing."""
    known = {row.id: row for row in rows}
    holding = defaultdict(list)
    for row in rows:
        for word in set(row.terms):
            holding[word].append(row.id)
    common = Counter(
        pair for some in holding.values() if len(some) <= policy.TWICE_HOLDING for pair in combinations(some, 2)
    )
    found = []
    for pair, count in common.items():
        one, other = sorted((known[key] for key in pair), key=lambda row: (row.created_at, row.id))
        share = count / len(set(one.terms) | set(other.terms))
        if share >= policy.TWICE_SHARE and one.category == other.category and not differ(one.text, other.text):
            found.append((share, one, other))
    found.sort(key=lambda pair: (-pair[0], pair[1].created_at))
    return [(one, other) for _, one, other in found[: policy.TWICE_SHOWN]]
