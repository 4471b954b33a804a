"""The demo community: accounts, knowledge and past talks to try Kith with; loaded once, and never outside demo mode."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.db import transaction
from django.utils import timezone

from assistant.conversation.models import Assistant
from assistant.demo import talks
from memory.models import Block, BlockVersion, Document, Passage
from memory.passages import question
from memory.retrieval.text import terms
from memory.terms import Label
from profiles.models import Community, Membership, Role, User

SLUG = "demo"
ACCOUNTS = {
    "alice": Role.MEMBER, "bob": Role.MEMBER, "mei": Role.MODERATOR, "audra": Role.AUDITOR, "admin": Role.ADMIN,
}  # fmt: skip
KNOWLEDGE = Path(__file__).parent / "knowledge.json"
ASSISTANTS = Path(__file__).parent / "assistants.json"
ROUNDS = 1000
"""Hash iterations of a password that everybody knows; the first sign-in replaces it by a hash of full strength."""
WORDS = {
    "en": ("Riverside Toolmakers", "People who make small tools and show each other how. A demo: all is made up."),
    "zh": ("河畔工具社", "一群做小工具、互相教的人。这是演示社区，内容均为虚构。"),
}


def password(name: str) -> str:
    """Of a demo account."""
    return f"demo-{name}"


def load() -> bool:
    """Make the demo community if it was never made here; True if it was made now. Runs as the tables' owner.

    The community is the mark that this has happened: whoever was erased from it is never made again. Past talks go
    through the members' own units of work; a member who has not chosen about memory yet is one whose talks wait.
    """
    with transaction.atomic(using="owner"):
        (name, description), (name_zh, description_zh) = WORDS["en"], WORDS["zh"]
        community, new = Community.objects.using("owner").get_or_create(
            slug=SLUG,
            defaults={"name": name, "description": description, "is_open": True,
                      "translations": {"zh": {"name": name_zh, "description": description_zh}}},
        )  # fmt: skip
        if new:
            _accounts(community)
            _members(community)
            _knowledge(community)
            _assistants(community)
    talks.tell(SLUG)
    return new


def questions(language: str) -> dict[str, str]:
    """Document key → a question that it answers, in the order in which they are suggested."""
    return {entry["key"]: entry[language]["question"] for entry in _entries() if "question" in entry[language]}


def left_open() -> list[str]:
    """Demo accounts of this database whose well-known password still works: to be asked outside demo mode."""
    users = User.objects.using("owner").filter(username__in=ACCOUNTS, memberships__community__slug=SLUG)
    return [user.username for user in users if user.check_password(password(user.username))]


def counts() -> dict[str, int]:
    """How much of the demo is there now."""
    here = {"community__slug": SLUG}
    return {
        "members": Membership.objects.using("owner").filter(**here).count(),
        "documents": Document.objects.using("owner").filter(**here).count(),
        "passages": Passage.objects.using("owner").filter(**here).count(),
        **talks.counts(SLUG),
    }


def _entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(KNOWLEDGE.read_text(encoding="utf-8"))
    return found


def _accounts(community: Community) -> None:
    hasher = PBKDF2PasswordHasher()
    for name, role in ACCOUNTS.items():
        user = User.objects.using("owner").create(
            username=name, password=hasher.encode(password(name), hasher.salt(), ROUNDS), is_staff=role == Role.ADMIN,
            is_superuser=role == Role.ADMIN,
        )  # fmt: skip
        Membership.objects.using("owner").create(user=user, community=community, role=role)


def _members(community: Community) -> None:
    """Those whose talks are there to be read; nobody can sign in as one of them."""
    for member in talks.members():
        user = User.objects.using("owner").create(
            username=member["username"], first_name=member["name"], password=make_password(None)
        )
        row = Membership.objects.using("owner").create(user=user, community=community, time_zone=member["zone"])
        joined = timezone.now() - timedelta(days=member["joined"])
        Membership.objects.using("owner").filter(id=row.id).update(joined_at=joined)


def _assistants(community: Community) -> None:
    """Two of them: one for everything, and one that knows the tools and nobody's plans."""
    for found in json.loads(ASSISTANTS.read_text(encoding="utf-8")):
        persona = found.pop("persona")
        row = Assistant.objects.using("owner").create(community=community, **found)
        block = Block.objects.using("owner").create(
            community=community, assistant=row.id, label=Label.PERSONA, text=persona, version=1
        )
        BlockVersion.objects.using("owner").create(
            block=block, community=community, number=1, text=persona, actor="demo"
        )  # fmt: skip


def _knowledge(community: Community) -> None:
    documents, passages = [], []
    for entry in _entries():
        documents.append(Document(community=community, key=entry["key"], title=entry["en"]["title"]))
        for language in ("en", "zh"):
            words = entry[language]
            passages.append(
                Passage(
                    document=documents[-1], community=community, title=words["title"], text=words["text"],
                    language=language, terms=terms(f"{words['title']} {words['title']} {words['text']}"),
                    verified_by="mei", is_question=bool(question(words["title"])),
                )
            )  # fmt: skip
    Document.objects.using("owner").bulk_create(documents)
    Passage.objects.using("owner").bulk_create(passages)
