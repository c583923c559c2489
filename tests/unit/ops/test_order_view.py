"""What support reads about an order, for each way it can stand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.ops.errors import UnknownOrderError
from infra.ops.order_view import OrderView, look
from infra.ops.render import render
from infra.ops.target import KnownEntrances, Target

pytestmark = pytest.mark.unit

NOW = datetime(2026, 8, 7, 13, 4, 11, tzinfo=UTC)
CHARGED = {"estado": {"S": "APROVADA"}, "valorCentavos": {"N": "500"}}
REFUNDED = {"M": {"estado": {"S": "CONCLUIDO"}}}


class FakeClients:
    """The SDK, answering from three dictionaries."""

    def __init__(self, row: dict[str, Any] | None, events: list[dict[str, Any]] | None, status: str, held: int) -> None:
        self.row, self.events, self.status, self.held = row, events, status, held
        self.reads: list[dict[str, Any]] = []

    def client(self, name: str) -> FakeClients:
        return self

    def environment(self) -> dict[str, str]:
        return {}

    def get_item(self, **request: Any) -> dict[str, Any]:
        self.reads.append(request)
        if request["TableName"] == "pedidos":
            return {} if self.row is None else {"Item": self.row}
        return {"Item": {"sku": {"S": "s"}, "saldo": {"N": "1"}, "reservas": {"M": {"p": {"N": str(self.held)}}}}}

    def describe_execution(self, **request: str) -> dict[str, Any]:
        if self.events is None or ":r:" in request["executionArn"]:
            raise ClientError({"Error": {"Code": "ExecutionDoesNotExist"}}, "DescribeExecution")
        stop = {} if self.status == "RUNNING" else {"stopDate": NOW}
        return {"status": self.status, "startDate": NOW, "input": "{}", **stop}

    def get_paginator(self, name: str) -> FakeClients:
        return self

    def paginate(self, **request: str) -> list[dict[str, Any]]:
        return [{"events": self.events}]


def _row(status: str, **extra: dict[str, Any]) -> dict[str, Any]:
    return {
        "pedidoId": {"S": "p"},
        "sku": {"S": "s"},
        "quantidade": {"N": "1"},
        "valorCentavos": {"N": "500"},
        "criadoEm": {"S": "2026-08-07T13:04:11.000Z"},
        "status": {"S": status},
        **extra,
    }


def _visit(state: str, *, error: str = "", left: bool = True) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"type": "TaskStateEntered", "timestamp": NOW, "stateEnteredEventDetails": {"name": state}},
        {"type": "TaskScheduled", "timestamp": NOW},
    ]
    if error:
        events.append({"type": "TaskFailed", "timestamp": NOW, "taskFailedEventDetails": {"error": error}})
    if left:
        events.append({"type": "TaskStateExited", "timestamp": NOW})
    return events


def _look(
    row: dict[str, Any] | None, events: list[dict[str, Any]] | None, status: str = "SUCCEEDED", held: int = 0
) -> tuple[OrderView, FakeClients]:
    clients = FakeClients(row, events, status, held)
    target = Target(
        alvo="local",
        stack="local",
        regiao="us-east-1",
        entrances=KnownEntrances("http://x", "http://y", {}),
        tabelas={"pedidos": "pedidos", "estoque": "estoque"},
        maquinas={
            "pedido": "arn:aws:states:us-east-1:1:stateMachine:m",
            "retomada": "arn:aws:states:us-east-1:1:stateMachine:r",
        },
        clients=clients,
    )
    return look(target, "p"), clients


def test_a_confirmed_order_is_closed_and_paid() -> None:
    view, _ = _look(_row("CONFIRMADO", cobranca={"M": CHARGED}), _visit("EfetivarReserva"))
    assert view["etapa"] == "confirmado"
    assert view["dinheiro"] == {"cobrado": 500, "estornado": 0, "situacao": "cobrado"}
    assert view["estoque"] == {"reservado": 0}
    assert view["execucao"] == {"arn": "arn:aws:states:us-east-1:1:execution:m:p", "status": "SUCCEEDED"}
    assert [line["estado"] for line in view["linha"]] == ["POST /pedidos", "EfetivarReserva", "(fim)"]
    assert "contas fecham" in view["proximoPasso"]


def test_an_order_undone_says_that_money_went_back() -> None:
    row = _row("FALHOU_COMPENSADO", cobranca={"M": CHARGED}, estorno=REFUNDED, motivo={"S": "ErroInesperado"})
    view, _ = _look(row, _visit("ConfirmarPedido", error="ErroInesperado"))
    assert view["dinheiro"] == {"cobrado": 500, "estornado": 500, "situacao": "estornado"}
    assert view["ultimoErro"] == "ErroInesperado"
    assert view["linha"][1]["evento"] == "falhou: ErroInesperado"
    assert "contas fecham" in view["proximoPasso"]


def test_an_order_a_person_must_decide_says_so() -> None:
    row = _row("REQUER_INTERVENCAO_HUMANA", cobranca={"M": CHARGED}, caso={"M": {"origem": {"S": "saga"}}})
    view, _ = _look(row, _visit("CompensacaoFalhouParaFilaHumana", left=False), "RUNNING", held=1)
    assert view["etapa"] == "em_analise"
    assert view["linha"][-1]["evento"] == "aguardando decisão de uma pessoa"
    assert view["caso"] == {"origem": "saga"}
    assert view["estoque"] == {"reservado": 1}
    assert "runbook" in view["proximoPasso"]


def test_an_execution_that_died_half_way_needs_a_person() -> None:
    view, _ = _look(_row("RECEBIDO"), _visit("CobrarPagamento", left=False), "ABORTED", held=1)
    assert view["linha"][1]["evento"] == "interrompido"
    assert "precisa de uma pessoa" in view["proximoPasso"]


def test_an_order_that_has_not_started_may_be_posted_again() -> None:
    view, _ = _look(_row("RECEBIDO"), None)
    assert view["execucao"]["status"] == "INEXISTENTE"
    assert view["etapa"] == "recebido"
    assert "mesmo POST" in view["proximoPasso"]


def test_a_charge_without_an_answer_is_in_doubt() -> None:
    row = _row("RECEBIDO", cobranca={"M": {"estado": {"S": "INICIADA"}, "valorCentavos": {"N": "500"}}})
    view, _ = _look(row, _visit("CobrarPagamento", error="GatewayIndisponivelError", left=False), "RUNNING", held=1)
    assert view["dinheiro"] == {"cobrado": 0, "estornado": 0, "situacao": "em_duvida"}
    assert view["linha"][-1]["evento"] == "em andamento, última falha GatewayIndisponivelError"


def test_a_confirmed_order_whose_stock_is_not_settled_is_not_closed() -> None:
    view, _ = _look(_row("CONFIRMADO", cobranca={"M": CHARGED}), _visit("EfetivarReserva"), "FAILED", held=1)
    assert "precisa de uma pessoa" in view["proximoPasso"]


def test_a_tombstone_holds_nothing() -> None:
    view, _ = _look(_row("FALHOU_COMPENSADO"), _visit("LiberarEstoque"), held=-1_700_000_000)
    assert view["estoque"] == {"reservado": 0}


def test_the_card_token_is_never_read() -> None:
    _, clients = _look(_row("RECEBIDO"), None)
    (read,) = [read for read in clients.reads if read["TableName"] == "pedidos"]
    assert "cartaoToken" not in read["ExpressionAttributeNames"].values()
    assert set(read["ProjectionExpression"].split(", ")) == set(read["ExpressionAttributeNames"])


def test_an_unknown_order_is_an_error_that_says_where_it_looked() -> None:
    with pytest.raises(UnknownOrderError, match="não existe em pedidos"):
        _look(None, None)


def test_the_view_is_printed_for_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    row = _row("FALHOU_COMPENSADO", cobranca={"M": CHARGED}, estorno=REFUNDED)
    view, _ = _look(row, _visit("LiberarEstoque"))
    render(view)
    printed = capsys.readouterr().out
    for expected in ("FALHOU_COMPENSADO", "R$ 5,00", "LiberarEstoque", "Próximo passo"):
        assert expected in printed
