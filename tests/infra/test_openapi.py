"""The OpenAPI document that Chalice's own generator makes: a contract with the pinned Chalice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from infra.config import Authorizer
from infra.openapi import Route, load_app, openapi, routes
from tests.infra.harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from chalice.app import Chalice

pytestmark = pytest.mark.infra

INVOKE = "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/arn:aws:lambda:x/invocations"
POOL = "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_AbC"


@pytest.fixture(scope="module")
def app() -> Chalice:
    return load_app(ROOT / "api")


def app_in(folder: Path, source: str) -> Chalice:
    (folder / "app.py").write_text(f"from chalice import Chalice\napp = Chalice(app_name='teste')\n{source}")
    return load_app(folder)


def test_the_real_apps_routes_are_the_contracts(app: Chalice) -> None:
    assert routes(app) == (Route("/pedidos", "POST"), Route("/pedidos/{pedidoId}", "GET"))


def test_every_route_goes_to_the_function_whole(app: Chalice) -> None:
    body = openapi(app, title="cesta-api", invoke_arn=INVOKE, authorizer=Authorizer.IAM)
    assert body["info"]["title"] == "cesta-api"
    assert set(body["paths"]) == {"/pedidos", "/pedidos/{pedidoId}"}
    for methods in body["paths"].values():
        for method in methods.values():
            integration = method["x-amazon-apigateway-integration"]
            assert (integration["type"], integration["uri"], integration["httpMethod"]) == ("aws_proxy", INVOKE, "POST")


def test_any_content_type_reaches_the_app_which_answers_415_itself(app: Chalice) -> None:
    body = openapi(app, title="t", invoke_arn=INVOKE, authorizer=Authorizer.NONE)
    assert body["paths"]["/pedidos"]["post"]["consumes"] == ["*/*"]


@pytest.mark.parametrize(
    ("authorizer", "pools", "scheme"),
    [
        (Authorizer.IAM, (), {"x-amazon-apigateway-authtype": "awsSigv4"}),
        (
            Authorizer.COGNITO,
            (POOL,),
            {
                "x-amazon-apigateway-authtype": "cognito_user_pools",
                "x-amazon-apigateway-authorizer": {"type": "cognito_user_pools", "providerARNs": [POOL]},
            },
        ),
    ],
)
def test_every_route_names_the_scheme_that_is_defined(
    app: Chalice, authorizer: Authorizer, pools: tuple[str, ...], scheme: dict[str, object]
) -> None:
    body = openapi(app, title="t", invoke_arn=INVOKE, authorizer=authorizer, user_pools=pools)
    definition = body["securityDefinitions"][authorizer.value]
    assert definition == {"in": "header", "type": "apiKey", "name": "Authorization", **scheme}
    for methods in body["paths"].values():
        for method in methods.values():
            assert method["security"] == [{authorizer.value: []}]


def test_without_an_authorizer_nothing_is_asked_for(app: Chalice) -> None:
    body = openapi(app, title="t", invoke_arn=INVOKE, authorizer=Authorizer.NONE)
    assert "securityDefinitions" not in body
    assert "security" not in body["paths"]["/pedidos"]["post"]


def test_a_preflight_asks_for_no_credentials(tmp_path: Path) -> None:
    app = app_in(tmp_path, "@app.route('/x', methods=['POST'], cors=True)\ndef x(): return {}\n")
    paths = openapi(app, title="t", invoke_arn=INVOKE, authorizer=Authorizer.IAM)["paths"]
    assert "security" in paths["/x"]["post"]
    assert "security" not in paths["/x"]["options"]


@pytest.mark.parametrize(
    ("route", "path", "key"),
    [
        (Route("/pedidos", "POST"), "POST/pedidos", "post-pedidos"),
        (Route("/pedidos/{pedidoId}", "GET"), "GET/pedidos/*", "get-pedidos-pedidoId"),
        (Route("/a/{b}/c/{d}", "PUT"), "PUT/a/*/c/*", "put-a-b-c-d"),
        (Route("/", "GET"), "GET/", "get"),
    ],
)
def test_a_route_is_a_permission_and_a_name(route: Route, path: str, key: str) -> None:
    assert (route.permission_path, route.key) == (path, key)


def test_loading_leaves_no_trace_and_mixes_no_two_apps(tmp_path: Path) -> None:
    path, modules = list(sys.path), set(sys.modules)
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    one = app_in(first, "@app.route('/um')\ndef um(): return {}\n")
    other = app_in(second, "@app.route('/dois')\ndef dois(): return {}\n")
    assert (routes(one), routes(other)) == ((Route("/um", "GET"),), (Route("/dois", "GET"),))
    assert sys.path == path
    assert not {"app", "chalicelib"} & (set(sys.modules) - modules)
