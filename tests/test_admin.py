"""The stock admin: knowledge of one community at a time, nobody's memories, and nothing personal to delete."""

import uuid

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.test import Client, RequestFactory
from django.utils import timezone

from assistant import tasks
from memory.models import AuditEvent, Document, Memory, Passage, PassageVector, Version
from profiles.access import Reader, operator_in, scoped
from profiles.models import Community, Membership, User
from tests.people import World, imported

LIST, ADD = "/admin/memory/document/", "/admin/memory/document/add/"


def client(reader: Reader | None = None, language: str = "en") -> Client:
    found = Client(HTTP_HOST="127.0.0.1", headers={"accept-language": language})
    if reader is None:
        user = User.objects.using("owner").create(username=f"root-{uuid.uuid4().hex}", is_staff=True, is_superuser=True)
    else:
        user = User.objects.get(id=reader.person)
    found.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return found


def form(*passages: tuple[str, str, str], title: str = "Guide", before: int = 0, **more: str) -> dict[str, str]:
    """Id (or ""), title and text of each passage."""
    found = {"title": title, "space": "", "passages-TOTAL_FORMS": str(len(passages)), "passages-INITIAL_FORMS": str(before),
             "passages-MIN_NUM_FORMS": "0", "passages-MAX_NUM_FORMS": "1000"}  # fmt: skip
    for number, (key, name, text) in enumerate(passages):
        found |= {f"passages-{number}-id": key, f"passages-{number}-title": name, f"passages-{number}-text": text,
                  f"passages-{number}-verified_by": ""}  # fmt: skip
    return found | more


WORDS = {"en": ("Fee", "Sixty a year.", "Eighty zebracoins.", "zebracoin", "Documents", "Passages"),
         "zh-hans": ("年费", "每年六十元。", "每年八十斑马币。", "斑马", "文档", "段落")}  # fmt: skip


@pytest.mark.parametrize("language", WORDS)
def test_a_moderator_writes_changes_and_deletes_knowledge(world: World, language: str) -> None:
    name, first, second, word, documents, passages = WORDS[language]
    mei = client(world.mei, language)
    page = mei.get(LIST).content.decode()
    assert documents in page
    assert passages in mei.get(ADD).content.decode()
    assert mei.post(ADD, form(("", name, first))).status_code == 302
    with scoped(world.alice):
        document, passage = Document.objects.get(), Passage.objects.get()
    assert (passage.text, passage.language) == (first, language[:2])
    tasks.embed()
    with scoped(world.alice):
        assert PassageVector.objects.filter(passage=passage).exists()
    change = f"{LIST}{document.id}/change/"
    assert first in mei.get(change).content.decode()
    answer = mei.post(change, form((str(passage.id), name, second), before=1))
    assert answer.status_code == 302
    with scoped(world.alice):
        again = Passage.objects.get()
        assert (again.id, again.text) == (passage.id, second)
        assert any(word.startswith(term) or term.startswith(word) for term in again.terms)
        assert not PassageVector.objects.filter(passage=passage).exists()
    assert mei.get(f"{LIST}{document.id}/history/").status_code == 200
    assert mei.get(f"{LIST}{document.id}/delete/").status_code == 200
    assert mei.post(f"{LIST}{document.id}/delete/", {"post": "yes"}).status_code == 302
    with scoped(world.mei):
        assert not Passage.objects.exists()
        assert [event.action for event in AuditEvent.objects.all()] == ["edited", "edited", "removed"]
    said = " ".join(f"{entry.object_repr} {entry.change_message}" for entry in LogEntry.objects.filter(user_id=world.mei.person))
    assert said and not any(words in said for words in (name, first, second, "Guide"))


def test_a_member_and_a_stranger_are_kept_out(world: World) -> None:
    client(world.mei).post(ADD, form(("", "Fee", "Sixty.")))
    with scoped(world.mei):
        document = Document.objects.get()
    Membership.objects.using("owner").filter(id=world.charlie.member).update(role="moderator")
    assert client(world.alice).get(LIST).status_code == 302
    assert Client(HTTP_HOST="127.0.0.1").get(LIST).status_code == 302
    charlie = client(world.charlie)
    assert "Guide" not in charlie.get(LIST).content.decode()
    assert charlie.get(f"{LIST}{document.id}/change/").status_code == 302
    charlie.post(f"{LIST}{document.id}/change/", form(title="taken"))
    charlie.post(f"{LIST}{document.id}/delete/", {"post": "yes"})
    with scoped(world.mei):
        assert Document.objects.get().title == "Guide"


def test_an_auditor_edits_nothing(world: World) -> None:
    Membership.objects.using("owner").filter(id=world.mei.member).update(role="auditor")
    assert client(world.mei).get(LIST).status_code == 302


def test_a_superuser_chooses_the_community(world: World) -> None:
    client(world.mei).post(ADD, form(("", "Fee", "Sixty.")))
    root = client()
    there, here = world.charlie.slug, world.mei.slug
    assert "Guide" not in root.get(f"{LIST}?community={there}").content.decode()
    page = root.get(f"{LIST}?community={here}").content.decode()
    assert "Guide" in page and there in page
    root.post(ADD, form(("", "More", "Words."), title="Second"))
    with scoped(world.mei):
        assert {row.title for row in Document.objects.all()} == {"Guide", "Second"}, "the one that was chosen stays"
        chosen = [str(row.id) for row in Document.objects.all()]
    root.post(LIST, {"action": "delete_selected", "_selected_action": chosen, "post": "yes"})
    with scoped(world.mei):
        assert not Document.objects.exists()


def test_several_pages_of_the_admin_open_for_a_superuser_in_both_languages(world: World) -> None:
    for language in ("en", "zh-hans"):
        root = client(language=language)
        for model in admin.site._registry:
            place = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
            for path in ("/admin/", place, f"{place}add/"):
                assert root.get(path).status_code in (200, 403), path


def personal() -> set[type[Model]]:
    """Models with a path to an account or a membership."""
    found: set[type[Model]] = {User, Membership}
    while True:
        more = {model for model in apps.get_models() for field in model._meta.get_fields()
                if field.concrete and field.related_model in found} - found  # fmt: skip
        if not more:
            return found
        found |= more


def test_nothing_personal_is_written_or_deleted_here(world: World) -> None:
    assert not {Memory, Version} & set(admin.site._registry)
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    request.readers = []  # type: ignore[attr-defined]
    kept = [model for model, shown in admin.site._registry.items()
            if model in personal() and shown.has_delete_permission(request)]  # fmt: skip
    assert kept == []
    assert User in admin.site._registry


def test_the_admins_log_holds_nobodys_name(world: World) -> None:
    root = client()
    user = User.objects.get(id=world.alice.person)
    path = f"/admin/profiles/user/{user.id}/change/"
    joined = timezone.localtime(user.date_joined)
    sent = {"username": user.username, "first_name": "小雨", "last_name": "", "email": "", "is_active": "on",
            "date_joined_0": joined.date().isoformat(), "date_joined_1": joined.strftime("%H:%M:%S")}  # fmt: skip
    assert root.post(path, sent).status_code == 302
    said = " ".join(f"{entry.object_repr} {entry.change_message}" for entry in LogEntry.objects.filter(object_id=str(user.id)))
    assert str(user.id) in said
    assert user.username not in said and "小雨" not in said


def test_the_operator_sees_what_is_shared_and_nothing_personal(world: World) -> None:
    here = Community.objects.get(id=world.mei.community)
    operator = operator_in(here.id, here.slug)
    imported(operator, x="y")
    with scoped(operator):
        assert Passage.objects.count() == 1
        assert not Memory.objects.exists()
