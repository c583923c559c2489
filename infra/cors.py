"""What a REST API needs for web pages to call it, added to its OpenAPI 2 document where the stack lists origins.

The preflights go to the function, which knows the origins (`api/chalicelib/cors.py`). What API Gateway answers by
itself (403, 429, 504...) never reaches the function, so it gets its header here (case C34): without it, a page could
not tell a throttled request from a network that is down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from infra.openapi import Route, routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chalice.app import Chalice

    from infra.openapi import Document

__all__ = ["GATEWAY_RESPONSES", "allow_origins", "preflights"]

GATEWAY_RESPONSES: Final = "x-amazon-apigateway-gateway-responses"
_OPTIONS: Final = "options"
_KEPT: Final = ("parameters", "x-amazon-apigateway-integration")


def preflights(app: Chalice) -> tuple[Route, ...]:
    """The route of each path's preflight."""
    return tuple(sorted({Route(route.path, _OPTIONS.upper()) for route in routes(app)}))


def allow_origins(body: Document, origins: Sequence[str]) -> Document:
    """The document with preflights and CORS headers on the gateway's own answers; as it was without origins.

    Args:
        body: a whole document; not changed.
        origins: web origins, ``https://loja.exemplo``.
    """
    if not origins:
        return body
    # The gateway cannot choose among several, and its own answers hold nothing of anybody: then any page may read them.
    shown = origins[0] if len(origins) == 1 else "*"
    header = {"gatewayresponse.header.Access-Control-Allow-Origin": f"'{shown}'"}
    return {
        **body,
        "paths": {path: {**methods, _OPTIONS: _preflight(methods)} for path, methods in body["paths"].items()},
        GATEWAY_RESPONSES: {kind: {"responseParameters": header} for kind in ("DEFAULT_4XX", "DEFAULT_5XX")},
    }


def _preflight(methods: Document) -> Document:
    """Goes where the path's other methods go, and asks for no credentials: a browser sends none with it."""
    sibling: dict[str, Any] = next(iter(methods.values()))
    kept = {key: value for key, value in sibling.items() if key in _KEPT}
    return {**kept, "responses": {"204": {"description": "Preflight"}}}
