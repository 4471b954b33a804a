"""A profile as the few lines that an answer may know."""

from profiles.models import Profile


def portrait(profile: Profile) -> str:
    """One `field: value` a line; empty fields are left out."""
    parts = {
        "name": profile.name, "language": profile.language, "expertise": profile.expertise,
        "interests": ", ".join(profile.interests[:5]), "last topics": ", ".join(profile.last_topics[:3]),
        "preferences": "; ".join(str(value) for value in profile.preferences.values()),
        "talks so far": profile.interaction_count,
    }  # fmt: skip
    return "\n".join(f"{name}: {value}" for name, value in parts.items() if value)
