"""How strongly a memory still stands: what it weighs, how long it has rested, how often it was used. Pure."""

from datetime import datetime, timedelta

from memory import policy

DAY = timedelta(days=1)


def strength(importance: float, last: datetime, recalls: int, now: datetime) -> float:
    """Importance (0..1), less for each day since `last` (its last recall, or its creation), more for each recall.

    Computed when it is asked for and kept nowhere; the past and the moment itself count as no day at all.
    """
    days = max(0.0, (now - last) / DAY)
    used = 1 + policy.STRENGTH_PER_RECALL * min(recalls, policy.STRENGTH_RECALLS)
    return float(importance * policy.STRENGTH_PER_DAY**days * used)
