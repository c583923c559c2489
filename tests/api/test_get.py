"""``GET /pedidos/{pedidoId}``: status, stage and a sentence from the row alone (design §6 and §10)."""

from __future__ import annotations

import pytest

from api.chalicelib.consulta import mensagem
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.orders import ResumoDoPedido
from handlers.domain.status import Status
from tests.api.world import TOKEN, URL, World

pytestmark = pytest.mark.api

ETAPAS = {"recebido", "cobrando", "confirmando", "confirmado", "desfazendo", "cancelado", "em_analise"}
CASOS = [
    ("RECEBIDO", None, None, "recebido", "Pedido recebido"),
    ("RECEBIDO", "INICIADA", None, "cobrando", "reservado, aguardando pagamento"),
    ("RECEBIDO", "APROVADA", None, "confirmando", "Pagamento aprovado"),
    ("RECEBIDO", "RECUSADA", None, "desfazendo", "pagamento foi recusado"),
    ("CONFIRMADO", "APROVADA", None, "confirmado", "Pedido confirmado"),
    ("COMPENSANDO", "APROVADA", "ErroInesperado", "desfazendo", "desfazendo"),
    ("FALHOU_SEM_RESERVA", None, "EstoqueInsuficienteError", "cancelado", "não há estoque suficiente"),
    ("FALHOU_SEM_RESERVA", None, "SkuInexistenteError", "cancelado", "não foi encontrado"),
    ("FALHOU_SEM_RESERVA", None, "ReservaCanceladaError", "cancelado", "Nada foi cobrado"),
    ("FALHOU_COMPENSADO", "RECUSADA", "CartaoRecusadoError", "cancelado", "recusado pelo cartão. Nada foi cobrado"),
    ("FALHOU_COMPENSADO", "APROVADA", "ErroInesperado", "cancelado", "foi estornado"),
    ("FALHOU_COMPENSADO", None, "States.Timeout", "cancelado", "Nada foi cobrado"),
    ("FALHOU_COMPENSADO", "INICIADA", "GatewayIndisponivelError", "cancelado", "continuamos verificando"),
    ("REQUER_INTERVENCAO_HUMANA", "APROVADA", "ErroInesperado", "em_analise", "em análise"),
    ("RESOLVIDO_MANUALMENTE", "APROVADA", "ErroInesperado", "cancelado", "atendimento"),
]


@pytest.mark.parametrize(("status", "cobranca", "motivo", "etapa", "trecho"), CASOS)
def test_each_state_of_the_row_has_its_stage_and_its_sentence(
    world: World, status: str, cobranca: str | None, motivo: str | None, etapa: str, trecho: str
) -> None:
    world.post()
    row = world.rows["p-1"]
    row["status"] = {"S": status}
    if cobranca:
        row["cobranca"] = {"M": {"estado": {"S": cobranca}}}
    if motivo:
        row["motivo"] = {"S": motivo}
    resposta = world.get("p-1")
    assert resposta.status == 200
    assert set(resposta.corpo) == {
        "pedidoId",
        "status",
        "etapa",
        "mensagem",
        "motivo",
        "criadoEm",
        "atualizadoEm",
        "links",
    }
    assert (resposta.corpo["status"], resposta.corpo["etapa"], resposta.corpo["motivo"]) == (status, etapa, motivo)
    assert trecho in resposta.corpo["mensagem"]
    assert resposta.corpo["criadoEm"] == row["criadoEm"]["S"]
    assert resposta.corpo["links"] == {"self": f"{URL}/pedidos/p-1"}
    assert TOKEN not in resposta.texto


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("cobranca", [None, *EstadoDaCobranca])
def test_no_row_is_left_without_a_sentence_and_none_promises_what_the_ledger_does_not_say(
    status: Status, cobranca: EstadoDaCobranca | None
) -> None:
    texto = mensagem(ResumoDoPedido("p-1", status, "", "", None, cobranca))
    assert texto.endswith(".")
    if "Nada foi cobrado" in texto:
        assert cobranca in (None, EstadoDaCobranca.RECUSADA) or status is Status.FALHOU_SEM_RESERVA
    if "estornado" in texto:
        assert cobranca is EstadoDaCobranca.APROVADA


def test_an_unknown_order_is_a_404(world: World) -> None:
    resposta = world.get("p-nenhum")
    assert (resposta.status, resposta.corpo["type"]) == (404, "urn:cesta:problema:pedido-nao-encontrado")
    assert resposta.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("pedido_id", ["", "a b", "é", "x" * 65, "%2e%2e", "a\n", "../x"])
def test_a_malformed_id_is_a_400_that_reads_nothing(world: World, pedido_id: str) -> None:
    resposta = world.get(pedido_id)
    assert (resposta.status, resposta.corpo["erros"][0]["campo"]) == (400, "pedidoId")
    assert not world.dynamo.requests


def test_a_row_that_is_no_order_is_a_503_and_shows_nothing_of_it(world: World) -> None:
    world.rows["p-1"] = {"pedidoId": {"S": "p-1"}, "status": {"S": "OUTRO"}, "cartaoToken": {"S": TOKEN}}
    resposta = world.get("p-1")
    assert resposta.status == 503
    assert "OUTRO" not in resposta.texto + world.log.getvalue()


def test_the_links_answer_wins_from_the_stacks_own_url(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_URL_BASE", "http://127.0.0.1:4566/restapis/x/api/_user_request_")
    assert world.post().headers["Location"] == "http://127.0.0.1:4566/restapis/x/api/_user_request_/pedidos/p-1"
