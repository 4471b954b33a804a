"""Whether the process lives, and whether it can serve."""

from collections.abc import Callable

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse

from assistant.llm import embedding


def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"live": True})


def ready(request: HttpRequest) -> JsonResponse:
    """Each part that a turn needs, with the reason where it is missing."""
    parts = {"database": _ask(_database), "valkey": _ask(_valkey), "embedder": _ask(_embedder)}
    good = all(reason == "ok" for part, reason in parts.items() if part != "embedder")  # words alone still find
    return JsonResponse({"ready": good, "parts": parts}, status=200 if good else 503)


def _ask(part: Callable[[], None]) -> str:
    try:
        part()
    except Exception as problem:  # whatever it is, it is the reason
        return type(problem).__name__
    return "ok"


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _valkey() -> None:
    cache.get("ready")


def _embedder() -> None:
    embedding.identity()
