"""The document of the API: what the routers say of themselves, and every refusal that an operation can give."""

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

PROBLEM = {
    "title": "Problem",
    "description": "Why it was not done; a conflict may also hold what is `current`.",
    "type": "object",
    "properties": {"code": {"type": "string"}, "detail": {"type": "string"}},
    "required": ["code", "detail"],
    "examples": [{"code": "not_found", "detail": "no such memory"}],
}
REFUSALS = {
    400: "Holds a character that can't be stored, or is not JSON.",
    401: "Nobody is signed in, and no token was sent.",
    403: "The caller may not do this: another's role, an erasure that has begun, or a token without the scope.",
    404: "Not there, or somebody else's.",
    409: "It was changed meanwhile, or can't be done as it stands.",
    413: "Too long.",
    422: "Not of the shape that is wanted, or refused for what it says.",
    429: "Too many, or the day's budget is used up.",
    503: "Database or queue are away; come back in a moment.",
}
ANYWHERE = (400, 401, 403, 404, 422, 503)
"""What each operation may answer."""
READ_CONFLICTS = ("/file", "/receipt")
"""Ends of what can be read only once it is ready."""
TALKS = ("/ask", "/human", "/confirm")
"""Ends of what is limited in length or number."""
PLACE = {
    "name": "community", "in": "query", "required": False, "schema": {"type": "string", "maxLength": 64},
    "description": "The short name of the community that is meant, for whoever is in several.",
}  # fmt: skip


class Documented(NinjaAPI):
    """The operations of the routers, each with its refusals."""

    def get_openapi_schema(self, **given: Any) -> OpenAPISchema:
        """As ninja makes it, completed."""
        document = super().get_openapi_schema(**given)
        document["components"]["schemas"]["Problem"] = PROBLEM
        for path, operations in document["paths"].items():
            for verb, operation in operations.items():
                operation["responses"].update(_refused(path, verb))
                if "/communities" not in path:
                    operation.setdefault("parameters", []).append(PLACE)
        return document


def _refused(path: str, verb: str) -> dict[int, Any]:
    found = set(ANYWHERE)
    if verb != "get" or path.endswith(READ_CONFLICTS):
        found.add(409)
    if path.endswith(TALKS):
        found |= {413, 429}
    shape = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": REFUSALS[status], "content": shape} for status in sorted(found)}
