"""Log lines for machines: one JSON object each, with the request, turn and task it belongs to, and nobody's words.

Of an exception it is said what kind it was and where it came from, not what it says, as that may quote a member; of a
message the first line alone, as libraries put the values behind it.
"""

import json
import logging
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[0-9a-f-]{8,36}")
"""What a proxy may call a request: no room for words."""
_ROOT = Path(__file__).resolve().parent.parent
_marks: ContextVar[Mapping[str, str]] = ContextVar("marks", default=MappingProxyType({}))


def marks() -> Mapping[str, str]:
    """The ids of what is being done: `request`, `turn`, `task`."""
    return _marks.get()


def mark(**ids: str) -> None:
    """From here on, in this task or thread."""
    _marks.set({**_marks.get(), **ids})


def begin(**ids: str) -> None:
    """From here on these and no others."""
    _marks.set(ids)


@contextmanager
def marked(given: Mapping[str, str]) -> Iterator[None]:
    """Exactly these, for a while."""
    token = _marks.set(given)
    try:
        yield
    finally:
        _marks.reset(token)


def number() -> str:
    """A new id."""
    return uuid.uuid4().hex


class Numbered:
    """Gives each request an id, that of the proxy where it sent one, and says it in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        mine = given if _GIVEN.fullmatch(given) else number()
        begin(request=mine)  # and no end: what the server says of the answer belongs to it too
        answer = self.get_response(request)
        answer[HEADER] = mine
        return answer


class Line(logging.Formatter):
    """A record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        """`at level logger message`, the ids, and of an exception `error` and `where`."""
        said: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname, "logger": record.name, "message": _message(record), **marks(),
        }  # fmt: skip
        if record.exc_info and record.exc_info[1] is not None:
            said |= _error(record.exc_info[1])
        return json.dumps(said, ensure_ascii=False)


def _message(record: logging.LogRecord) -> str:
    """Celery names its exceptions in the message; here they are `error`."""
    if isinstance(record.args, dict) and "exc" in record.args:
        record = logging.makeLogRecord(record.__dict__ | {"args": record.args | {"exc": "", "traceback": ""}})
    return (record.getMessage().splitlines() or [""])[0]


def _error(problem: BaseException) -> dict[str, Any]:
    """The kinds of the exception and of those that it came of; the frames of the last one that are ours."""
    kinds: list[str] = []
    one: BaseException | None = problem
    while one is not None and len(kinds) < 10:
        kinds.append(type(one).__name__)
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    frames = [frame for frame in extract_tb(problem.__traceback__) if Path(frame.filename).is_relative_to(_ROOT)]
    where = [f"{Path(frame.filename).relative_to(_ROOT)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": kinds, "where": where}
