"""What REST answers on requests for deletion: each shape with an example."""

from typing import Any, Literal

from profiles.models import RequestState
from profiles.rest import Id, Moment, Reply, example

_ID = "5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f09"
_LINK = f"/api/v1/erasure-requests/{_ID}/receipt?link=…"
_HELD: dict[str, Any] = {
    "id": _ID, "state": "requested", "own": True, "covers": "account", "requested_at": "2026-03-01T09:30:00+08:00",
    "due_at": "2026-03-31T09:30:00+08:00", "confirmed_at": None, "cools_until": None, "approved_at": None,
    "started_at": None, "ended_at": None,
}  # fmt: skip
_SHOWN = _HELD | {"member": "5f6b0c1e-3a5d-4a53-9a54-0d2f0c6f3f05", "reason": "", "phrase": "delete alice",
                  "may": ["confirm", "cancel"]}  # fmt: skip


class Held(Reply):
    """What whoever holds its link may know; it names nobody."""

    model_config = example(**_HELD)

    id: Id
    state: RequestState
    own: bool
    covers: Literal["account", "community"]
    requested_at: Moment
    due_at: Moment
    confirmed_at: Moment | None
    cools_until: Moment | None
    approved_at: Moment | None
    started_at: Moment | None
    ended_at: Moment | None


class RequestSeen(Held):
    """What the person and staff may know; `may`: what the reader can do with it now."""

    model_config = example(**_SHOWN)

    member: Id | None
    reason: str
    phrase: str
    may: list[Literal["confirm", "approve", "cancel", "again", "receipt"]]


class Confirmed(RequestSeen):
    """With the one-time address of the receipt, where the person is the one who confirms."""

    model_config = example(**_SHOWN | {"state": "confirmed", "may": ["cancel"]}, receipt=_LINK)

    receipt: str | None


class Linked(Reply):
    """The one-time address of a receipt."""

    model_config = example(id=_ID, receipt=_LINK)

    id: Id
    receipt: str


class Receipt(Reply):
    """What was done, signed; by the link also the name and the salt that tie it to the person."""

    model_config = example(
        receipt={"version": 1, "request": _ID, "state": "done", "covers": "account"}, signature="c2lnbmF0dXJl",
        public_key="-----BEGIN PUBLIC KEY-----\n…", salt="00112233445566778899aabbccddeeff",
    )  # fmt: skip

    receipt: dict[str, Any]
    signature: str
    public_key: str
    salt: str | None = None
