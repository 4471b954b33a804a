"""The demo community: accounts and knowledge to try Kith with; loaded once, and never outside demo mode."""

import json
from pathlib import Path

from django.contrib.auth.hashers import make_password
from django.db import transaction

from memory.models import Document, Passage
from memory.retrieval.text import terms
from profiles.models import Community, Membership, Role, User

ACCOUNTS = {
    "alice": Role.MEMBER, "bob": Role.MEMBER, "mei": Role.MODERATOR, "audra": Role.AUDITOR, "admin": Role.ADMIN,
}  # fmt: skip
KNOWLEDGE = Path(__file__).parent / "knowledge.json"


def load() -> bool:
    """Make the demo community if it was never made here; True if it was made now. Runs as the tables' owner."""
    with transaction.atomic(using="owner"):
        community, new = Community.objects.using("owner").get_or_create(
            slug="demo",
            defaults={"name": "Demo · 演示社区", "is_open": True,
                      "description": "A community to try Kith in. 用来试用 Kith 的社区。"},
        )  # fmt: skip
        if new:
            _people(community)
            _knowledge(community)
    return new


def _people(community: Community) -> None:
    for name, role in ACCOUNTS.items():
        user = User.objects.using("owner").create(
            username=name, password=make_password(f"demo-{name}"), is_staff=role == Role.ADMIN,
            is_superuser=role == Role.ADMIN,
        )  # fmt: skip
        Membership.objects.using("owner").create(user=user, community=community, role=role)


def _knowledge(community: Community) -> None:
    for entry in json.loads(KNOWLEDGE.read_text(encoding="utf-8")):
        document = Document.objects.using("owner").create(
            community=community, key=entry["key"], title=entry["en"]["title"]
        )
        for language in ("en", "zh"):
            words = entry[language]
            Passage.objects.using("owner").create(
                document=document, community=community, title=words["title"], text=words["text"], language=language,
                terms=terms(f"{words['title']} {words['title']} {words['text']}"), verified_by="mei",
            )  # fmt: skip
