"""What a request is told that nothing could be done for: an outage says to come back, all else that something broke."""

import sys

import redis
from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

OUTAGES = (OperationalError, InterfaceError, redis.ConnectionError, redis.TimeoutError)
"""The database or Valkey could not be reached, or did not answer in time."""
AGAIN_SECONDS = 5
NUL = ("NUL", "\\u0000")
"""What PostgreSQL and its driver say of the one character that no text may hold."""


def failed(request: HttpRequest) -> HttpResponse:
    """The site's answer to an exception that nobody caught: 503 in an outage, else 500; over REST as a problem."""
    problem = sys.exception()
    if isinstance(problem, (DataError, ValueError)) and any(word in str(problem) for word in NUL):
        return _unreadable(request)
    away = isinstance(problem, OUTAGES)
    status = 503 if away else 500
    answer: HttpResponse
    if request.path.startswith("/api/"):
        code = "temporarily_unavailable" if away else "internal_error"
        detail = "not available right now; try again in a moment" if away else "something broke here"
        answer = JsonResponse({"code": code, "detail": detail}, status=status)
    else:
        answer = HttpResponse(render_to_string("503.html" if away else "500.html"), status=status)
    if away:
        answer["Retry-After"] = str(AGAIN_SECONDS)
    return answer


def _unreadable(request: HttpRequest) -> HttpResponse:
    """A character that can't be stored came in an address or a form."""
    if request.path.startswith("/api/"):
        detail = "the text holds characters that can't be stored"
        return JsonResponse({"code": "bad_request", "detail": detail}, status=400)
    return HttpResponse(render_to_string("400.html"), status=400)
