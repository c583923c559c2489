"""Who may see what: orders are their owner's, CORS is off unless the stack lists origins, and card data stays out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from api.chalicelib.cors import origens
from api.chalicelib.requisicao import cliente
from tests.api.world import PEDIDO, TOKEN, World, gateway_event

if TYPE_CHECKING:
    from tests.api.world import Resposta

pytestmark = pytest.mark.api

VISA = "4111111111111111"
LOJA = "https://loja.exemplo"
OUTRA = "https://outra.exemplo"
JSON = {"Content-Type": "application/json"}


def iam(nome: str) -> dict[str, object]:
    """The request context of a caller that signs its requests."""
    return {"identity": {"userArn": f"arn:aws:sts::123456789012:assumed-role/{nome}/sessao"}}


def cognito(sub: str) -> dict[str, object]:
    return {"authorizer": {"claims": {"sub": sub}}, "identity": {}}


def pool(identity: str) -> dict[str, object]:
    role = "arn:aws:sts::123456789012:assumed-role/pool-auth/CognitoIdentityCredentials"
    return {"identity": {"userArn": role, "cognitoIdentityId": identity}}


CALLERS = {"iam": iam, "cognito": cognito, "pool": pool}


@pytest.mark.parametrize("kind", CALLERS)
def test_an_order_is_shown_to_who_posted_it_and_to_nobody_else(world: World, kind: str) -> None:
    como = CALLERS[kind]
    assert world.post(contexto=como("ana")).status == 202
    assert world.get("p-1", contexto=como("ana")).status == 200
    alheio, nenhum = world.get("p-1", contexto=como("bia")), world.get("p-nenhum", contexto=como("bia"))
    assert alheio.status == 404
    # Word for word what an order that does not exist answers.
    assert alheio.texto == nenhum.texto
    assert world.get("p-1").status == 404


def test_without_an_identity_there_is_nobody_to_compare(world: World) -> None:
    world.post()
    assert "cliente" not in world.rows["p-1"]
    assert world.get("p-1").status == 200


def test_an_order_nobody_was_identified_for_is_no_identified_callers(world: World) -> None:
    world.post()
    assert world.get("p-1", contexto=iam("ana")).status == 404


def test_the_row_keeps_the_owner_as_a_hash(world: World) -> None:
    world.post(contexto=cognito("8f3c-ana"))
    kept = world.rows["p-1"]["cliente"]["S"]
    assert kept == cliente("cognito:8f3c-ana")
    assert len(kept) == 64
    assert "ana" not in json.dumps(world.rows["p-1"])


def test_the_owner_is_never_shown_sent_or_logged(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    respostas = [world.post(contexto=iam("ana")), world.get("p-1", contexto=iam("ana"))]
    told = "".join([*(r.texto + str(r.headers) for r in respostas), *world.sqs.bodies, world.log.getvalue()])
    assert str(cliente("iam:arn:aws:sts::123456789012:assumed-role/ana")) not in told + capsys.readouterr().out


def test_the_same_order_of_another_caller_is_a_conflict_that_sends_nothing(world: World) -> None:
    world.post(contexto=iam("ana"))
    row = dict(world.rows["p-1"])
    igual = world.post(contexto=iam("bia"))
    outro = world.post({**PEDIDO, "quantidade": 3}, contexto=iam("bia"))
    assert igual.status == 409
    # Equal and different content answer alike: the answer is no oracle for somebody else's order.
    assert igual.texto == outro.texto
    assert world.rows["p-1"] == row
    assert len(world.sqs.bodies) == 1
    assert world.post(contexto=iam("ana")).status == 202


def test_another_session_of_the_same_role_is_the_same_caller(world: World) -> None:
    def sessao(nome: str) -> dict[str, object]:
        return {"identity": {"userArn": f"arn:aws:sts::123456789012:assumed-role/loja/{nome}"}}

    world.post(contexto=sessao("a"))
    assert world.get("p-1", contexto=sessao("b")).status == 200


def preflight(world: World, origem: str | None) -> Resposta:
    event = gateway_event("OPTIONS", "/pedidos")
    headers = {"Access-Control-Request-Method": "POST"} | ({} if origem is None else {"Origin": origem})
    return world.call({**event, "headers": headers})


def cors_of(resposta: Resposta) -> set[str]:
    return {nome for nome in resposta.headers if nome.startswith("Access-Control-")}


def test_cors_is_off_unless_origins_are_listed(world: World) -> None:
    respostas = [
        preflight(world, LOJA),
        world.post(headers={**JSON, "Origin": LOJA}),
        world.get("p-1", headers={"Origin": LOJA}),
    ]
    assert [resposta.status for resposta in respostas] == [405, 202, 200]
    assert not any(cors_of(resposta) or "Vary" in resposta.headers for resposta in respostas)


@pytest.fixture
def aberta(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("ORIGENS_PERMITIDAS", f"{LOJA},https://app.exemplo")
    return world


def test_a_listed_origin_may_call_and_read_the_answer_errors_included(aberta: World) -> None:
    resposta = preflight(aberta, LOJA)
    assert (resposta.status, resposta.texto) == (204, "")
    assert resposta.headers["Access-Control-Allow-Origin"] == LOJA
    assert "POST" in resposta.headers["Access-Control-Allow-Methods"]
    assert {"Idempotency-Key", "Content-Type", "Authorization"} <= set(
        resposta.headers["Access-Control-Allow-Headers"].split(", ")
    )
    pedidos = [
        aberta.post(headers={**JSON, "Origin": LOJA}),
        aberta.post(b"[", headers={**JSON, "Origin": LOJA}),
        aberta.post(headers={"Origin": LOJA}),
        aberta.get("p-nenhum", headers={"Origin": "https://app.exemplo"}),
    ]
    assert [pedido.status for pedido in pedidos] == [202, 400, 415, 404]
    for pedido in pedidos:
        assert pedido.headers["Access-Control-Allow-Origin"] in (LOJA, "https://app.exemplo")
        assert pedido.headers["Access-Control-Expose-Headers"] == "Location, Retry-After"
        assert pedido.headers["Vary"] == "Origin"
        assert "Access-Control-Allow-Credentials" not in pedido.headers


@pytest.mark.parametrize("origem", [None, "", "null", OUTRA, LOJA + ".mau.exemplo", "http://loja.exemplo", LOJA + "/"])
def test_any_other_origin_gets_no_permission(aberta: World, origem: str | None) -> None:
    headers = JSON if origem is None else {**JSON, "Origin": origem}
    for resposta in (preflight(aberta, origem), aberta.post(headers=headers)):
        assert not cors_of(resposta)
        assert resposta.headers["Vary"] == "Origin"


def test_the_setting_is_a_list_separated_by_commas() -> None:
    assert origens(f" {LOJA} ,{OUTRA},, ") == (LOJA, OUTRA)
    assert origens("") == ()


@pytest.mark.parametrize("cabecalho", ["Idempotency-Key", "idempotency-key"])
def test_a_header_sent_twice_with_different_values_is_refused(world: World, cabecalho: str) -> None:
    event = gateway_event("POST", "/pedidos", body=json.dumps(PEDIDO))
    event["headers"] = {"Content-Type": "application/json", cabecalho: "b"}
    event["multiValueHeaders"] = {"Content-Type": ["application/json"], cabecalho: ["a", "b"]}
    resposta = world.call(event)
    assert (resposta.status, resposta.campos) == (400, ["Idempotency-Key"])
    assert not world.rows
    event["multiValueHeaders"] = {"Content-Type": ["application/json"], cabecalho: ["b", "b"]}
    assert world.call(event).status == 202


def test_a_key_in_two_spellings_of_its_name_is_the_same_header_twice(world: World) -> None:
    event = gateway_event("POST", "/pedidos", body=json.dumps(PEDIDO))
    event["headers"] = {"Content-Type": "application/json", "Idempotency-Key": "a", "idempotency-key": "b"}
    event["multiValueHeaders"] = {nome: [valor] for nome, valor in event["headers"].items()}
    assert world.call(event).status == 400


@pytest.mark.parametrize("nome", ["pedidoId", "sku"])
@pytest.mark.parametrize("valor", [TOKEN, "tok-ok", f"p-{TOKEN}"])
def test_a_token_in_a_field_that_travels_is_refused(world: World, nome: str, valor: str) -> None:
    resposta = world.post({**PEDIDO, nome: valor})
    assert (resposta.status, resposta.campos) == (400, [nome])
    assert valor not in resposta.texto + world.log.getvalue()
    assert not world.rows


def test_a_token_as_a_key_is_refused(world: World) -> None:
    resposta = world.post(headers={**JSON, "Idempotency-Key": TOKEN})
    assert (resposta.status, resposta.campos) == (400, ["Idempotency-Key"])
    assert TOKEN not in resposta.texto


@pytest.mark.parametrize("chave", [VISA, "4111-1111-1111-1111", f"pedido:{VISA}"])
def test_a_card_number_as_a_key_is_a_422(world: World, chave: str) -> None:
    resposta = world.post(headers={**JSON, "Idempotency-Key": chave})
    assert (resposta.status, resposta.campos) == (422, ["Idempotency-Key"])
    assert "1111" not in resposta.texto
    assert not world.rows


@pytest.mark.parametrize("pedido_id", [VISA, "4111-1111-1111-1111", TOKEN, "tok-ok"])
def test_an_id_with_card_data_in_it_is_no_orders_and_is_not_looked_for(world: World, pedido_id: str) -> None:
    resposta = world.get(pedido_id)
    assert (resposta.status, resposta.corpo["type"]) == (404, "urn:cesta:problema:pedido-nao-encontrado")
    assert not world.dynamo.requests
    assert pedido_id not in resposta.texto + world.log.getvalue()


@pytest.mark.parametrize(
    "mudanca",
    [
        {"requestContext": {"resourcePath": "/nada", "httpMethod": "GET"}},
        {"pathParameters": None},
        {"headers": None, "multiValueHeaders": None},
    ],
)
def test_an_event_no_gateway_sends_is_still_answered_with_a_problem(world: World, mudanca: dict[str, object]) -> None:
    event = {**gateway_event("GET", "/pedidos/{pedidoId}", parameters={"pedidoId": "p-1"}), **mudanca}
    resposta = world.call(event)
    assert resposta.headers["Content-Type"] == "application/problem+json"
    assert set(resposta.corpo) == {"type", "title", "status", "detail", "erros"}
