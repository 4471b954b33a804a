"""REST: the routers of the rooms, mounted; who may call, and how a refusal looks."""

from django.db import IntegrityError
from django.http import Http404, HttpRequest, JsonResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.security import django_auth

from assistant.contract import Documented
from assistant.conversation.api import router as conversations
from assistant.conversation.api_assistants import named
from assistant.conversation.api_assistants import router as assistants
from assistant.conversation.tokens import Bearer
from assistant.erasing.api import router as erasures
from assistant.exporting.api import router as exports
from memory.api import router as memories
from memory.api_blocks import routes as blocks
from memory.api_profile import router as profile
from profiles.access import Frozen
from profiles.api import router as communities
from profiles.rest import Problem

api = Documented(
    title="Kith", version="1", auth=[Bearer(), django_auth], docs_url="/docs", openapi_url="/openapi.json"
)  # fmt: skip
for router in (communities, profile, memories, blocks(named), assistants, conversations, erasures, exports):
    api.add_router("/v1", router)

CODES = {400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict",
         429: "rate_limited"}  # fmt: skip
"""What a status without a code of its own is called."""


@api.exception_handler(Problem)
def _problem(request: HttpRequest, problem: Problem) -> JsonResponse:
    return _answer(problem.status, problem.code, problem.detail, **problem.more)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, problem: ValidationError) -> JsonResponse:
    first = problem.errors[0] if problem.errors else {}
    where = ".".join(str(part) for part in first.get("loc", ())[1:] if part != "body")
    return _answer(422, "bad_request", f"{where}: {first.get('msg', 'not of the shape that is wanted')}".strip(": "))


@api.exception_handler(AuthenticationError)
def _nobody(request: HttpRequest, problem: AuthenticationError) -> JsonResponse:
    return _answer(401, "unauthorized", "sign in, or send a token")


@api.exception_handler(HttpError)
def _refused(request: HttpRequest, problem: HttpError) -> JsonResponse:
    return _answer(problem.status_code, CODES.get(problem.status_code, "bad_request"), str(problem))


@api.exception_handler(Http404)
def _missing(request: HttpRequest, problem: Http404) -> JsonResponse:
    return _answer(404, "not_found", "no such thing")


@api.exception_handler(Frozen)
def _frozen(request: HttpRequest, problem: Frozen) -> JsonResponse:
    return _answer(403, "forbidden", "the member is being erased")


@api.exception_handler(IntegrityError)
def _raced(request: HttpRequest, problem: IntegrityError) -> JsonResponse:
    """Somebody else wrote the same at the same moment."""
    return _answer(409, "conflict", "it was changed at the same moment; read it again")


def _answer(status: int, code: str, detail: str, **more: object) -> JsonResponse:
    return JsonResponse({"code": code, "detail": detail, **more}, status=status)
