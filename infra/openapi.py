"""The REST API's definition, taken from the Chalice app itself: its routes are declared once, in ``api/app.py``.

Chalice writes the OpenAPI 2 document; this module adds what a stack decides (the function behind it, the title, who
may call) and lists the routes, from which the function's permissions are made.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from chalice.app import CognitoUserPoolAuthorizer, IAMAuthorizer
from chalice.cli.factory import CLIFactory
from chalice.deploy.swagger import SwaggerGenerator

from infra.config import Authorizer
from infra.packaging import ROOT

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from chalice.app import Chalice

__all__ = ["API_DIR", "Route", "load_app", "openapi", "routes"]

API_DIR: Final = ROOT / "api"
"""The Chalice project."""

Document: TypeAlias = "dict[str, Any]"
"""JSON: its values are of any type."""


@dataclass(frozen=True, order=True)
class Route:
    """One route of the API.

    Attributes:
        path: as Chalice declares it, ``/pedidos/{pedidoId}``.
        method: in capitals.
    """

    path: str
    method: str

    @property
    def permission_path(self) -> str:
        """The route as the last part of an execute-api ARN: ``GET/pedidos/*``, whatever the stage (case C43)."""
        return f"{self.method}{re.sub(r'{[^}]+}', '*', self.path)}"

    @property
    def key(self) -> str:
        """The route as a name: ``get-pedidos-pedidoId``."""
        return "-".join([self.method.lower(), *re.findall(r"\w+", self.path)])


def load_app(project_dir: Path) -> Chalice:
    """The Chalice app of ``project_dir``, as Chalice itself loads it.

    The import leaves nothing behind: Chalice puts the folder on ``sys.path`` and the app in ``sys.modules`` as
    ``app``, where the next ``import app`` of the same process would find the wrong one.
    """
    with _imports_undone():
        factory = CLIFactory(str(project_dir), environ={})
        return factory.load_chalice_app()  # pyright: ignore[reportUnknownMemberType] - Chalice's stub has a bare dict


def routes(app: Chalice) -> tuple[Route, ...]:
    """Every route of the app, sorted."""
    views: Mapping[str, Mapping[str, object]] = app.routes
    return tuple(sorted(Route(path, method) for path, methods in views.items() for method in methods))


def openapi(
    app: Chalice, *, title: str, invoke_arn: str, authorizer: Authorizer, user_pools: Sequence[str] = ()
) -> Document:
    """The OpenAPI 2 document of the app.

    Args:
        app: the loaded Chalice app.
        title: the REST API's name.
        invoke_arn: what API Gateway calls for every route.
        authorizer: who may call; required on every route.
        user_pools: ARNs of the pools that are trusted, where the authorizer is Cognito.
    """
    body: Document = _Generator(invoke_arn).generate_swagger(app)
    body["info"]["title"] = title
    scheme = _security_scheme(authorizer, user_pools)
    if scheme is None:
        return body
    body["securityDefinitions"] = {authorizer.value: scheme}
    # The app's own routes only: a preflight (OPTIONS) that Chalice adds for CORS carries no credentials.
    for route in routes(app):
        body["paths"][route.path][route.method.lower()]["security"] = [{authorizer.value: []}]
    return body


class _Generator(SwaggerGenerator):
    """Chalice's generator with the function's own invoke ARN, which only Pulumi knows."""

    def __init__(self, invoke_arn: str) -> None:
        super().__init__("", {})
        self._invoke_arn = invoke_arn

    def _uri(self, lambda_arn: str | None = None) -> str:  # noqa: ARG002 - the signature is Chalice's
        return self._invoke_arn


def _security_scheme(authorizer: Authorizer, user_pools: Sequence[str]) -> Document | None:
    if authorizer is Authorizer.NONE:
        return None
    if authorizer is Authorizer.IAM:
        return IAMAuthorizer().to_swagger()
    return CognitoUserPoolAuthorizer(authorizer.value, provider_arns=list(user_pools)).to_swagger()


@contextmanager
def _imports_undone() -> Generator[None]:
    path = list(sys.path)
    taken = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_app_module(name)}
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [name for name in sys.modules if _is_app_module(name)]:
            del sys.modules[name]
        sys.modules.update(taken)


def _is_app_module(name: str) -> bool:
    return name.partition(".")[0] in ("app", "chalicelib")
