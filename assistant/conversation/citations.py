"""What an answer cites, out of what really was in its context."""

import uuid

from assistant.conversation import render
from memory.models import Recalled


def citations_of(turn: uuid.UUID, text: str) -> list[render.Cited]:
    """The sources that `text` names, out of what really was in the turn's context."""
    put_in = Recalled.objects.filter(turn=turn).exclude(marker="")
    return render.cited(text, {row.marker: (row.target, _url(row)) for row in put_in})


def _url(row: Recalled) -> str:
    places = {"memory": f"/me/memory/{row.target}/", "knowledge": f"/knowledge/{row.target}/"}
    return places.get(row.what, f"/turns/{row.target}/")
