"""The chat page and its fragments."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from assistant.conversation import assistants, branches, removal, taking
from assistant.conversation.citations import citations_of
from assistant.conversation.models import Conversation, Feedback, Frame, State, Turn
from assistant.conversation.render import Cited
from assistant.conversation.render import html as to_html
from assistant.conversation.suggestions import suggestions
from assistant.llm import chat
from memory import policy
from memory.mask import masker
from memory.models import Episode, Memory, Passage, Recalled, Version
from memory.terms import Status
from profiles.access import AskedBy, Reader, in_community
from profiles.models import Community

REGIONS = {
    "rules": gettext_lazy("Rules"),
    "persona": gettext_lazy("Who the assistant is"),
    "profile": gettext_lazy("Your profile"),
    "memories": gettext_lazy("Memories and earlier talks"),
    "knowledge": gettext_lazy("Knowledge of the community"),
    "overviews": gettext_lazy("Overviews"),
    "conversation": gettext_lazy("This conversation so far"),
    "message": gettext_lazy("Your message"),
}


@in_community
def new(request: AskedBy) -> HttpResponse:
    """An empty conversation; it comes to be with its first question."""
    return _page(request, uuid.uuid4(), None)


@in_community
def one(request: AskedBy, conversation: uuid.UUID) -> HttpResponse:
    """A conversation that was begun before."""
    return _page(request, conversation, _own(request.reader, conversation))


@in_community
def branch(request: AskedBy, conversation: uuid.UUID, turn: uuid.UUID) -> HttpResponse:
    """An older branch, through one of its turns, to be read; a turn of the newest one is shown where it stands."""
    talk, _here = _own(request.reader, conversation), _turn(request.reader, conversation, turn)
    turns = branches.all_of(conversation)
    if any(each.id == turn for each in branches.newest(turns)):
        return redirect(_at(conversation, turn))
    older = branches.through(turns, turn)
    context = {"boot": {"conversation": str(conversation), "is_new": False}, "turns": _all_shown(older, turns),
               "title": talk.title, "older": True, "groups": _groups(request.reader, conversation)}  # fmt: skip
    return render(request, "conversation/branch.html", context)


@require_POST
@login_required
def remove(request: AskedBy, conversation: uuid.UUID) -> HttpResponse:
    """Delete a conversation and, if wished, what was learned from it; its answer ends first, in a unit of its own."""
    forget = bool(request.POST.get("forget"))
    if request.reader is None or removal.remove(request.reader, conversation, forget=forget) is None:
        raise Http404
    return redirect("home")


@in_community
def take(request: AskedBy, conversation: uuid.UUID, shape: taking.Shape) -> HttpResponse:
    """The conversation as a file, for its member alone."""
    talk = _own(request.reader, conversation)
    text = taking.taken(request.reader, talk, shape, _("You asked"), _("Answer"))
    name = content_disposition_header(True, taking.named(request.reader, talk, shape))
    return HttpResponse(text, taking.TYPES[shape], headers={"Content-Disposition": name, "Cache-Control": "no-store"})


@in_community
def turn_fragment(request: AskedBy, conversation: uuid.UUID, turn: uuid.UUID) -> HttpResponse:
    """One exchange, for a page that follows another tab."""
    row = _turn(request.reader, conversation, turn)
    [found] = _all_shown([row], branches.all_of(conversation))
    return render(request, "conversation/_turn.html", {"turn": found, "model_configured": chat.configured()})


@in_community
def find(request: AskedBy, turn: uuid.UUID) -> HttpResponse:
    """A cited exchange opens where it was said."""
    row = Turn.objects.filter(id=turn, owner_id=request.reader.member).first()
    if row is None:
        raise Http404
    newest = branches.newest(branches.all_of(row.conversation_id))
    if any(each.id == row.id for each in newest):
        return redirect(_at(row.conversation_id, row.id))
    return redirect(f"{reverse('branch', args=[row.conversation_id, row.id])}#t-{row.id}")


@in_community
def source(request: AskedBy, conversation: uuid.UUID, turn: uuid.UUID, source: uuid.UUID) -> HttpResponse:
    """What stands behind one citation."""
    _turn(request.reader, conversation, turn)
    row = Recalled.objects.filter(turn=turn, target=source).first()
    found = _source(request.reader, row) if row else None
    if found is None:
        raise Http404
    return render(request, "conversation/_source.html", {"source": found})


@in_community
def why(request: AskedBy, conversation: uuid.UUID, turn: uuid.UUID) -> HttpResponse:
    """Found, put in, cited: with the score parts and the regions of that turn."""
    row = _turn(request.reader, conversation, turn)
    hits = [hit for hit in (_hit(request.reader, each) for each in Recalled.objects.filter(turn=turn)) if hit]
    hits.sort(key=lambda hit: -hit["score"])
    total = sum(region["tokens"] for region in row.regions) or 1
    regions = [
        region
        | {
            "label": REGIONS.get(region["name"], region["name"]),
            "share": round(100 * region["tokens"] / total),
        }
        for region in removal.regions_of(request.reader, row)
    ]
    return render(
        request,
        "conversation/why.html",
        {"turn": _shown(row), "regions": regions, "found": hits, "put_in": [hit for hit in hits if hit["marker"]],
         "cited": [hit for hit in hits if hit["cited"]], "route": "", "notes": []},
    )  # fmt: skip


def _page(request: AskedBy, conversation: uuid.UUID, talk: Conversation | None) -> HttpResponse:
    reader = request.reader
    everything = branches.all_of(conversation) if talk else {}
    turns = branches.newest(everything)
    running = next((turn for turn in turns if turn.state == State.RUNNING), None)
    seq = talk.seq if talk else 0
    if running is not None:  # its frames are played again on top of the page
        seq = running.frames.order_by("seq").values_list("seq", flat=True)[0] - 1
    boot = {"conversation": str(conversation), "is_new": talk is None, "community": reader.slug,
            "memory": reader.memory_on is not False and (talk is None or talk.memory), "last_seq": seq,
            "ws_path": f"/ws/conversations/{conversation}/", "max_chars": policy.ASK_LIMIT}  # fmt: skip
    return render(
        request,
        "conversation/chat.html",
        {"boot": boot, "groups": _groups(reader, conversation), "turns": _all_shown(turns, everything),
         "title": talk.title if talk else "", "communities": _communities(request),
         "suggestions": suggestions(reader, _language(request)),
         "assistants": [] if talk else assistants.offered(reader), "assistant": talk.assistant if talk else None,
         "needs_choice": reader.memory_on is None, "model_configured": chat.configured(),
         "chat_without_memory": bool(talk and not talk.memory)},
    )  # fmt: skip


def _communities(request: AskedBy) -> list[dict[str, Any]]:
    mine = {reader.community for reader in request.readers}
    names = {row.id: row.said("name") for row in Community.objects.filter(id__in=mine)}
    return [
        {"slug": each.slug, "name": names[each.community], "current": each == request.reader}
        for each in request.readers
    ]


def _groups(reader: Reader, current: uuid.UUID) -> list[dict[str, Any]]:
    today = timezone.localtime().date()
    groups: dict[str, list[dict[str, Any]]] = {_("Today"): [], _("This week"): [], _("Older"): []}
    labels = list(groups)
    for row in Conversation.objects.filter(owner_id=reader.member).order_by("-updated_at")[:200]:
        age = (today - timezone.localtime(row.updated_at).date()).days
        label = labels[0] if age < 1 else labels[1] if age < 7 else labels[2]
        groups[label].append({"id": str(row.id), "title": row.title, "url": f"/c/{row.id}/", "at": row.updated_at,
                              "current": row.id == current})  # fmt: skip
    return [{"label": label, "conversations": rows} for label, rows in groups.items() if rows]


def _all_shown(rows: list[Turn], turns: Mapping[uuid.UUID, Turn]) -> list[dict[str, Any]]:
    """Each with its place among the branches."""
    shown = {turn.id for turn in branches.newest(turns)}
    places, before = branches.places(turns), _asked_before(rows)

    def url(turn: uuid.UUID | None) -> str:
        if turn is None:
            return ""
        talk = turns[turn].conversation_id
        return _at(talk, turn) if turn in shown else f"{reverse('branch', args=[talk, turn])}#t-{turn}"

    def place(turn: uuid.UUID) -> dict[str, Any] | None:
        if (found := places.get(turn)) is None:
            return None
        around = {"before": url(found.before), "after": url(found.after)}
        return {"number": found.number, "count": found.count, **around}

    return [_shown(row) | {"before": before.get(row.id), "place": place(row.id)} for row in rows]


def _asked_before(rows: list[Turn]) -> dict[uuid.UUID, dict[str, Any]]:
    """The newest time that the member asked the same, else the community's question, as the frames of these turns name
    it, if it is still there."""
    sent = Frame.objects.filter(turn__in=rows, body__type="context").exclude(body__asked_before=[])
    first = {turn: times[0] for turn, times in sent.values_list("turn_id", "body__asked_before")}
    own = {turn: uuid.UUID(one["turn"]) for turn, one in first.items() if one["turn"]}
    there = dict(Episode.objects.filter(turn__in=own.values(), masked=False).values_list("turn", "at"))
    found: dict[uuid.UUID, dict[str, Any]] = {
        turn: {"url": reverse("find-turn", args=[asked]), "at": there[asked]}
        for turn, asked in own.items() if asked in there
    }  # fmt: skip
    shared = {turn: uuid.UUID(one["source"]) for turn, one in first.items() if not one["turn"]}
    titles = dict(Passage.objects.filter(id__in=shared.values()).values_list("id", "title"))
    return found | {
        turn: {"url": reverse("passage", args=[source]), "title": titles[source]}
        for turn, source in shared.items() if source in titles
    }  # fmt: skip


def _at(conversation: uuid.UUID, turn: uuid.UUID) -> str:
    return f"{reverse('conversation', args=[conversation])}#t-{turn}"


def _shown(row: Turn) -> dict[str, Any]:
    citations = citations_of(row.id, row.answer)
    changes = Version.objects.filter(turn=row.id).select_related("memory").exclude(action="confirmed")
    live = [change for change in changes if change.memory.status != Status.FORGOTTEN]
    return {
        "id": str(row.id), "conversation": str(row.conversation_id), "question": row.question,
        "asked_at": row.asked_at, "author_name": "",
        "html": _html(row, citations), "state": row.state,
        "parent": str(row.parent_id) if row.parent_id else "root",
        "rating": Feedback.objects.filter(turn=row).values_list("rating", flat=True).first() or "",
        "noticed": [{"id": str(c.memory_id), "text": c.text, "change": str(c.change)} for c in live],
        "cited": [{"id": str(c.id), "number": c.number, "url": c.url} for c in citations],
        "answered_by": row.author.called if row.author else "", "unsure": _unsure(row),
        "can_retry": row.state not in (State.RUNNING, State.WAITING_HUMAN),
    }  # fmt: skip


def _unsure(row: Turn) -> bool:
    """Whether a question was answered with nothing that is known: then a person may be asked at once."""
    asks = row.question.rstrip().endswith(("?", "？"))
    known = Recalled.objects.filter(turn=row.id).exclude(marker="").exists
    return asks and row.state == State.ANSWERED and row.author_id is None and not known()


def _html(row: Turn, citations: list[Cited]) -> str:
    if row.state == State.RUNNING:
        return ""
    return mark_safe(to_html(row.answer, citations))  # noqa: S308 - cleaned by nh3 in to_html


def _hit(reader: Reader, row: Recalled) -> dict[str, Any] | None:
    found = _source(reader, row)
    if found is None:
        return None
    parts = {name: float(row.parts.get(name, 0)) for name in ("recency", "relevance", "importance")}
    widths = {f"{name}_width": round(100 * part / 3) for name, part in parts.items()}
    return {"id": str(row.target), "text": found["title"] or found["text"], "kind": row.what, "score": row.score,
            **parts, **widths, "boost": 0, "marker": row.marker, "cited": row.cited, "url": found["url"],
            "at": found["at"], "manageable": row.what == "memory"}  # fmt: skip


def _source(reader: Reader, row: Recalled) -> dict[str, Any] | None:
    base: dict[str, Any] = {"kind": row.what, "verified_by": "", "title": "", "said_in": None}
    if row.what == "memory":
        memory = Memory.objects.readable_by(reader).filter(id=row.target).exclude(status=Status.FORGOTTEN).first()
        if memory is None:
            return None
        origin = memory.sources.order_by("at").first()
        said = {"url": reverse("find-turn", args=[origin.turn]), "label": origin.quote} if origin else None
        return base | {"text": memory.text, "at": memory.created_at, "url": f"/me/memory/{memory.id}/", "said_in": said}
    if row.what == "episode":
        there = Episode.objects.filter(turn=row.target, owner_id=reader.member, hidden_by=None)
        episode = there.filter(Q(masked=False) | Q(replaced=True)).first()
        if episode is None:
            return None
        url = reverse("find-turn", args=[episode.turn])
        return base | {"text": masker(reader)(episode.question), "at": episode.at, "url": url}
    passage = Passage.objects.filter(id=row.target).first()
    if passage is None:
        return None
    return base | {"text": passage.text, "at": passage.updated_at, "url": f"/knowledge/{passage.id}/",
                   "title": passage.title, "verified_by": passage.verified_by}  # fmt: skip


def _own(reader: Reader, conversation: uuid.UUID) -> Conversation:
    row = Conversation.objects.filter(id=conversation, owner_id=reader.member).first()
    if row is None:
        raise Http404
    return row


def _turn(reader: Reader, conversation: uuid.UUID, turn: uuid.UUID) -> Turn:
    row = Turn.objects.filter(id=turn, conversation_id=conversation, owner_id=reader.member).first()
    if row is None:
        raise Http404
    return row


def _language(request: HttpRequest) -> str:
    return "zh" if getattr(request, "LANGUAGE_CODE", "en").startswith("zh") else "en"
