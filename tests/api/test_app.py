"""The Chalice app as a whole: how it loads, what it is safe from, and that no body can break it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn, cast

import pytest
from chalice.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.openapi import load_app, routes
from tests.api.world import API_DIR, PEDIDO, World, gateway_event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.api.world import Resposta

pytestmark = pytest.mark.api


def test_loading_the_app_makes_no_client_and_needs_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> NoReturn:
        raise AssertionError("an AWS client at import")

    monkeypatch.setattr("handlers.domain.aws.new_client", forbidden)
    for name in ("TABELA_PEDIDOS", "FILA_CRIADOS_URL", "MAQUINA_ARN", "INJECAO_DE_FALHAS"):
        monkeypatch.delenv(name, raising=False)
    app = load_app(API_DIR)
    assert [(route.method, route.path) for route in routes(app)] == [
        ("POST", "/pedidos"),
        ("GET", "/pedidos/{pedidoId}"),
    ]
    assert "iniciador" in app.handler_map


def test_chalice_itself_can_make_no_role() -> None:
    config = cast("Mapping[str, object]", json.loads((API_DIR / ".chalice" / "config.json").read_text()))
    assert (config["manage_iam_role"], config["autogen_policy"]) == (False, False)
    assert "000000000000" in str(config["iam_role_arn"])


def test_the_starter_answers_with_chalices_own_event(world: World) -> None:
    world.post()
    with Client(world.app, project_dir=str(API_DIR)) as client:
        event = client.events.generate_sqs_event(world.sqs.bodies)
        response = client.lambda_.invoke("iniciador", event)
    assert response.payload == {"batchItemFailures": []}
    assert len(world.sfn.inputs) == 1


def test_through_chalices_local_gateway_links_use_the_host_header(world: World) -> None:
    headers = {"Content-Type": "application/json", "Host": "127.0.0.1:8000"}
    with Client(world.app, project_dir=str(API_DIR)) as client:
        posted = client.http.post("/pedidos", headers=headers, body=json.dumps(PEDIDO).encode())
        seen = client.http.get("/pedidos/p-1", headers={"Host": "127.0.0.1:8000", "Content-Type": "text/plain"})
    assert posted.status_code == 202
    assert posted.headers["Location"] == "http://127.0.0.1:8000/pedidos/p-1"
    body = cast("dict[str, object]", json.loads(seen.body))
    assert (seen.status_code, body["etapa"]) == (200, "recebido")


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
json_like = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
NEAR: dict[str, object] = {**PEDIDO, "falhas": {"ConfirmarPedido": "antes"}}
near_orders = st.fixed_dictionaries({}, optional={nome: scalars | st.just(valor) for nome, valor in NEAR.items()})
bodies = (json_like | near_orders).map(json.dumps) | st.text(max_size=200) | st.binary(max_size=200)


@given(body=bodies, content_type=st.sampled_from(["application/json", "text/plain", ""]), chave=st.none() | st.text())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_body_and_no_header_make_a_5xx_or_an_answer_that_is_no_problem(
    world: World, body: str | bytes, content_type: str, chave: str | None
) -> None:
    headers = {"Content-Type": content_type} | ({} if chave is None else {"Idempotency-Key": chave})
    resposta = world.post(body, headers=headers)
    assert resposta.status == 202 or 400 <= resposta.status < 500
    if resposta.status != 202:
        assert_is_a_problem(resposta)


def assert_is_a_problem(resposta: Resposta) -> None:
    assert resposta.headers["Content-Type"] == "application/problem+json"
    assert set(resposta.corpo) == {"type", "title", "status", "detail", "erros"}
    assert resposta.corpo["type"].startswith("urn:cesta:problema:")
    assert resposta.corpo["status"] == resposta.status


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "", "PÖST"]


@given(
    pedido_id=st.text(max_size=80),
    method=st.sampled_from(METHODS),
    route=st.sampled_from(["/pedidos", "/pedidos/{pedidoId}"]),
    headers=st.dictionaries(st.text(max_size=12), st.text(max_size=40), max_size=3),
    query=st.none() | st.dictionaries(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=2), max_size=2),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_path_method_header_or_query_makes_a_5xx_or_an_answer_that_is_no_problem(
    world: World,
    pedido_id: str,
    method: str,
    route: str,
    headers: dict[str, str],
    query: dict[str, list[str]] | None,
) -> None:
    event = gateway_event(method, "/pedidos")
    event |= {"resource": route, "pathParameters": {"pedidoId": pedido_id}, "headers": headers}
    event["multiValueHeaders"] = {nome: [valor] for nome, valor in headers.items()}
    event["multiValueQueryStringParameters"] = query
    event["requestContext"] = {**cast("dict[str, object]", event["requestContext"]), "resourcePath": route}
    resposta = world.call(event)
    assert 400 <= resposta.status < 500
    assert_is_a_problem(resposta)
