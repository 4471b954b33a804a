"""Shared knowledge in the stock admin, one community at a time; memories are not here, they have pages of their own."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from memory import audit, knowledge
from memory.models import Document, Passage, PassageVector, QuestionVector
from profiles.access import EDITORS, Reader, operator_in, rendered, scoped
from profiles.models import Community, Space

CHOSEN = "admin_community"
"""Key of the session that holds the community whose knowledge is open."""


class ByCommunity(admin.SimpleListFilter):
    """Which community's knowledge is shown; there is no “all”, as a unit of work sees one."""

    title = _("community")
    parameter_name = "community"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Those that the account edits."""
        return [(reader.slug, reader.slug) for reader in editing(request)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows are those of the unit of work already."""
        self.here = reader_of(request).slug
        return queryset

    def choices(self, changelist: Any) -> Any:
        """As links, the open one marked."""
        for slug, name in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: slug})
            yield {"selected": slug == getattr(self, "here", ""), "query_string": query, "display": name}


class Passages(admin.StackedInline):  # type: ignore[type-arg]
    """The pieces that answers cite."""

    model = Passage
    extra = 0
    fields = ("title", "text", "verified_by", "kept_by", "valid_from", "valid_to")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for the document."""
        return bool(editing(request))

    has_view_permission = has_change_permission = has_delete_permission = has_add_permission


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Documents with their passages, for moderators and admins of their community and for superusers."""

    list_display = ("title", "key", "space", "updated_at")
    list_filter = (ByCommunity,)
    search_fields = ("title", "key")
    fields = ("title", "space")
    inlines = (Passages,)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether there is a community whose knowledge the account edits."""
        return bool(editing(request))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The row policies decide about each row."""
        return bool(editing(request))

    has_view_permission = has_change_permission = has_delete_permission = has_add_permission

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """One unit of work, the page and its actions included."""
        return _unit(request, super().changelist_view, *args, **kwargs)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """One unit of work, the page included."""
        return _unit(request, super().changeform_view, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """One unit of work, the page included."""
        return _unit(request, super().delete_view, *args, **kwargs)

    def history_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """One unit of work, the page included."""
        return _unit(request, super().history_view, *args, **kwargs)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only spaces that the unit of work may write to."""
        if db_field.name == "space":
            kwargs["queryset"] = Space.objects.filter(id__in=reader_of(request).spaces)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        """A new one belongs to the open community, under a key that says nothing; its passages move with it."""
        if not change:
            obj.community_id, obj.key = reader_of(request).community, f"hand-{uuid.uuid4()}"
        super().save_model(request, obj, form, change)
        if "space" in form.changed_data and change:
            obj.passages.update(space_id=obj.space_id)
            for vectors in (PassageVector, QuestionVector):
                vectors.objects.filter(passage__document=obj).update(space_id=obj.space_id)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Passages through the door of knowledge: words cut anew, vectors dropped."""
        written = formset.save(commit=False)
        for gone in formset.deleted_objects:
            gone.delete()
        for passage in written:
            passage.community_id, passage.space_id = form.instance.community_id, form.instance.space_id
            knowledge.by_hand(passage, Passage.objects.filter(id=passage.id).first())
        formset.save_m2m()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """With a line in the audit."""
        super().save_related(request, form, formsets, change)
        audit.write(reader_of(request), "edited", form.instance.id, None)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        """With a line in the audit."""
        audit.write(reader_of(request), "removed", obj.id, None, what="document")
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """With a line in the audit for each."""
        for obj in queryset:
            self.delete_model(request, obj)


def editing(request: HttpRequest) -> list[Reader]:
    """A reader for each community whose knowledge the account may edit; of a superuser, all of them."""
    known: list[Reader] | None = getattr(request, "editing", None)
    if known is not None:
        return known
    mine = [reader for reader in getattr(request, "readers", []) if reader.role in EDITORS]
    if request.user.is_superuser:
        own = {reader.community for reader in mine}
        others = Community.objects.exclude(id__in=own).order_by("slug")
        mine += [operator_in(row.id, row.slug) for row in others]
    request.editing = mine  # type: ignore[attr-defined]
    return mine


def reader_of(request: HttpRequest) -> Reader:
    """The reader of the open community: as asked for, as last time, or the first."""
    found = editing(request)
    if not found:
        raise PermissionDenied
    asked = request.GET.get("community") or request.session.get(CHOSEN, "")
    chosen = next((reader for reader in found if reader.slug == asked), found[0])
    request.session[CHOSEN] = chosen.slug
    return chosen


def _unit(request: HttpRequest, view: Callable[..., Any], *args: Any, **kwargs: Any) -> HttpResponse:
    reader = reader_of(request)
    with scoped(reader):
        return rendered(view(request, *args, **kwargs))
