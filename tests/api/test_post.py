"""``POST /pedidos``: accepted once, safe to repeat, honest when something is down (design §6)."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest

from tests.api.world import PEDIDO, TOKEN, URL, World, build, client_error, down, gateway_event

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from tests.api.world import Resposta

    T = TypeVar("T")

pytestmark = pytest.mark.api

SEM_ID = {campo: valor for campo, valor in PEDIDO.items() if campo != "pedidoId"}
JSON = {"Content-Type": "application/json"}


def com_chave(chave: str) -> dict[str, str]:
    return {**JSON, "Idempotency-Key": chave}


def assert_problem(resposta: Resposta, status: int, tipo: str) -> None:
    assert resposta.status == status
    assert resposta.headers["Content-Type"] == "application/problem+json"
    assert set(resposta.corpo) == {"type", "title", "status", "detail", "erros"}
    assert resposta.corpo["type"] == f"urn:cesta:problema:{tipo}"
    assert resposta.corpo["status"] == status


def test_an_order_is_written_sent_and_accepted(world: World) -> None:
    resposta = world.post()
    link = f"{URL}/pedidos/p-1"
    assert (resposta.status, resposta.corpo) == (
        202,
        {"pedidoId": "p-1", "status": "RECEBIDO", "links": {"self": link}},
    )
    assert resposta.headers["Location"] == link
    row = world.rows["p-1"]
    assert row["status"] == {"S": "RECEBIDO"}
    assert row["cartaoToken"] == {"S": TOKEN}
    assert row["criadoEm"] == row["pendenteDesde"] == row["atualizadoEm"]
    (message,) = world.sqs.bodies
    assert json.loads(message) == {
        "pedidoId": "p-1",
        "sku": "sku-abc",
        "quantidade": 2,
        "valorCentavos": 4590,
        "criadoEm": row["criadoEm"]["S"],
    }


def test_the_card_token_is_in_the_row_alone(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    answers = [world.post(), world.post(), world.get("p-1")]
    world.sqs.error = client_error("Throttled", "SendMessage")
    answers.append(world.post())
    told = "".join([*world.sqs.bodies, *(a.texto + str(a.headers) for a in answers), world.log.getvalue()])
    assert TOKEN not in told + capsys.readouterr().out


def test_the_same_order_again_is_accepted_again_and_sent_again_with_the_same_message(world: World) -> None:
    first, second = world.post(), world.post()
    assert second.corpo == first.corpo
    assert len(world.rows) == 1
    assert world.sqs.bodies[0] == world.sqs.bodies[1]


@pytest.mark.parametrize("status", ["CONFIRMADO", "COMPENSANDO", "FALHOU_COMPENSADO", "REQUER_INTERVENCAO_HUMANA"])
def test_an_order_that_went_on_is_accepted_again_and_not_sent(world: World, status: str) -> None:
    world.post()
    world.rows["p-1"]["status"] = {"S": status}
    resposta = world.post()
    assert (resposta.status, resposta.corpo["status"]) == (202, status)
    assert len(world.sqs.bodies) == 1


def test_an_order_older_than_a_day_is_accepted_again_and_not_sent_to_be_refused(world: World) -> None:
    world.post()
    world.rows["p-1"]["criadoEm"] = {"S": "2026-01-01T00:00:00.000Z"}
    assert world.post().status == 202
    assert len(world.sqs.bodies) == 1


@pytest.mark.parametrize(
    "mudanca", [{"sku": "outro"}, {"quantidade": 3}, {"valorCentavos": 4591}, {"cartaoToken": "tok_outro"}]
)
def test_the_same_id_with_other_content_is_a_conflict_and_changes_nothing(
    world: World, mudanca: dict[str, object]
) -> None:
    world.post()
    row = dict(world.rows["p-1"])
    assert_problem(world.post({**PEDIDO, **mudanca}), 409, "conteudo-divergente")
    assert world.rows["p-1"] == row
    assert len(world.sqs.bodies) == 1


def test_a_key_instead_of_an_id_always_gives_the_same_order(world: World) -> None:
    first, second = (world.post(SEM_ID, headers=com_chave("clique-1")) for _ in range(2))
    assert first.corpo == second.corpo
    assert list(world.rows) == [first.corpo["pedidoId"]]


def test_another_key_or_another_caller_gives_another_order(world: World) -> None:
    ana: dict[str, object] = {"authorizer": {"claims": {"sub": "ana"}}}
    respostas = [
        world.post(SEM_ID, headers=com_chave("k1")),
        world.post(SEM_ID, headers=com_chave("k2")),
        world.post(SEM_ID, headers=com_chave("k1"), contexto=ana),
    ]
    assert len({resposta.corpo["pedidoId"] for resposta in respostas}) == 3


def test_the_id_wins_over_the_key(world: World) -> None:
    assert world.post(headers=com_chave("k1")).corpo["pedidoId"] == "p-1"
    assert world.post(headers=com_chave("k2")).status == 202
    assert list(world.rows) == ["p-1"]


def test_neither_id_nor_key_is_refused_because_a_double_click_would_be_two_charges(world: World) -> None:
    resposta = world.post(SEM_ID)
    assert_problem(resposta, 400, "campos-invalidos")
    assert resposta.campos == ["pedidoId"]
    assert not world.rows


def test_the_queue_down_still_accepts_the_order_because_the_row_is_written(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.sqs.error = down()
    assert world.post().status == 202
    assert "p-1" in world.rows
    assert "FilaIndisponivel" in capsys.readouterr().out
    world.sqs.error = None
    assert world.post().status == 202
    assert len(world.sqs.bodies) == 1


def test_the_table_down_is_a_503_that_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, effect: Callable[[], T]) -> T:
        raise down()

    with build(monkeypatch, outside=fail) as world:
        resposta = world.post()
        assert_problem(resposta, 503, "indisponivel")
        assert int(resposta.headers["Retry-After"]) > 0
        assert not world.sqs.bodies
        assert_problem(world.get("p-1"), 503, "indisponivel")


def test_a_write_whose_answer_is_lost_is_a_503_and_the_clients_retry_is_one_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = iter([True, False, False])

    def lose_the_first_answer(name: str, effect: Callable[[], T]) -> T:
        result = effect()
        if next(lost):
            raise down()
        return result

    with build(monkeypatch, outside=lose_the_first_answer) as world:
        assert world.post().status == 503
        assert list(world.rows) == ["p-1"]
        resposta = world.post()
        assert (resposta.status, resposta.corpo["status"]) == (202, "RECEBIDO")
        assert len(world.sqs.bodies) == 1


def test_a_missing_setting_is_told_in_the_log_and_not_to_the_client(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FILA_CRIADOS_URL")
    resposta = world.post()
    assert_problem(resposta, 503, "indisponivel")
    assert "FILA_CRIADOS_URL" not in resposta.texto
    assert "FILA_CRIADOS_URL" in world.log.getvalue()
    assert not world.rows


def test_faults_are_an_unknown_field_where_the_stack_does_not_inject_them(world: World) -> None:
    resposta = world.post({**PEDIDO, "falhas": {"ConfirmarPedido": "antes"}})
    assert_problem(resposta, 400, "campos-invalidos")
    assert resposta.campos == ["falhas"]


def test_faults_travel_in_row_and_message_and_are_no_part_of_the_content(world_com_falhas: World) -> None:
    falhas = {"ConfirmarPedido": "antes", "EstornarPagamento": "depois:2"}
    assert world_com_falhas.post({**PEDIDO, "falhas": falhas}).status == 202
    assert world_com_falhas.post().status == 202
    assert [json.loads(body)["falhas"] for body in world_com_falhas.sqs.bodies] == [falhas, falhas]


def test_a_base64_body_is_read_and_a_broken_one_refused(world: World) -> None:
    raw = base64.b64encode(json.dumps(PEDIDO).encode()).decode()
    assert world.post(raw, base64_encoded=True).status == 202
    assert_problem(world.post("não é base64!", base64_encoded=True), 400, "corpo-malformado")


def test_a_text_that_is_no_utf8_is_refused(world: World) -> None:
    assert_problem(world.post('{"sku": "\ud800"}'), 400, "corpo-malformado")


def test_an_absent_body_is_refused(world: World) -> None:
    assert_problem(world.post(b""), 400, "corpo-malformado")


def test_a_method_the_route_does_not_have_is_a_problem_answer_too(world: World) -> None:
    resposta = world.call(gateway_event("DELETE", "/pedidos/{pedidoId}", parameters={"pedidoId": "p-1"}))
    assert_problem(resposta, 405, "metodo-nao-permitido")
    assert resposta.headers["Allow"] == "GET"


def test_every_write_is_conditional_and_no_read_names_the_token(world: World) -> None:
    world.post()
    world.post()
    for name, request in world.dynamo.requests:
        if name == "put_item":
            assert "attribute_not_exists" in request["ConditionExpression"]
        else:
            assert "cartaoToken" not in request["ExpressionAttributeNames"].values()
