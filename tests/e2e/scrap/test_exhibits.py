"""What the explorer says of the documents' sagas really happens: their arrows, our functions behind them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from handlers.domain.orders import Pedido, Pedidos, entrada_canonica
from infra.local.proofs.workbench import INITIAL_STOCK, VALUE
from infra.names import Names
from infra.ops.history import read_execution
from infra.saga.asl import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.proofs.workbench import Workbench
    from infra.ops.history import Execution
    from infra.saga.asl import Definition

pytestmark = pytest.mark.e2e

EXHIBITS = Path(__file__).parents[2] / "saga" / "exhibits"

SPANISH = {
    "ReservarStock": "reservar-estoque",
    "CobrarPago": "cobrar-pagamento",
    "ConfirmarEnvio": "confirmar-pedido",
    "DevolverCobro": "estornar-pagamento",
    "LiberarStock": "liberar-estoque",
}


def _deploy(bench: Workbench, file: str, functions: Mapping[str, str] | None = None) -> str:
    """The exhibit's machine, calling our functions as ours does and keeping the order beside their answers."""
    target, names = bench.target, Names("local")
    definition: Definition = parse((EXHIBITS / file).read_text(encoding="utf-8"))
    ours = target.sfn.describe_state_machine(stateMachineArn=target.maquinas["pedido"])
    arn = next(
        state["Parameters"]["FunctionName"]
        for state in json.loads(ours["definition"])["States"].values()
        if "FunctionName" in state.get("Parameters", {})
    ).rpartition(":")[0]
    for name, state in definition["States"].items():
        _adapt(state, name, arn, names, functions or {}, target.filas["humana"])
    created = target.sfn.create_state_machine(
        name=f"exibicao-{Path(file).stem}", definition=json.dumps(definition), roleArn=ours["roleArn"]
    )
    return created["stateMachineArn"]


def _adapt(state: dict[str, Any], name: str, arn: str, names: Names, functions: Mapping[str, str], queue: str) -> None:
    resource: str = state.get("Resource", "")
    if "lambda" in resource:
        function = functions.get(name) or resource.rpartition("function:cesta-")[2]
        state["Resource"] = "arn:aws:states:::lambda:invoke"
        context = {"estado.$": "$$.State.Name", "tentativa.$": "$$.State.RetryCount", "execucao.$": "$$.Execution.Id"}
        state["Parameters"] = {
            "FunctionName": f"{arn}:{names.prefix}-{function}",
            "Payload": {"entrada.$": "$", "contexto": context},
        }
        state["ResultPath"] = None
    elif "dynamodb" in resource:
        state["Parameters"]["TableName"] = names.tabela_pedidos
    elif "sqs" in resource:
        state["Parameters"]["QueueUrl"] = queue


def _run(
    bench: Workbench, machine: str, name: str, sku: str, *, cartao: str = "tok-ok", falhas: dict[str, str] | None = None
) -> tuple[str, Execution]:
    """An order that only this machine knows of, through it to the end."""
    target = bench.target
    order = Pedido(f"{name}-{bench.run}", sku, 1, VALUE, "2026-08-07T13:04:11.000Z", falhas or {})
    assert Pedidos(target.dynamodb, target.tabelas["pedidos"], agora=time.time).criar(order, cartao)
    started = target.sfn.start_execution(stateMachineArn=machine, name=order.pedido_id, input=entrada_canonica(order))

    def ended() -> Execution | None:
        execution = read_execution(target.sfn, started["executionArn"])
        return execution if execution is not None and execution.status != "RUNNING" else None

    return order.pedido_id, bench.wait(f"o fim de {order.pedido_id}", ended, lambda: "ainda em curso")


def _status(bench: Workbench, pedido_id: str) -> dict[str, Any]:
    row = bench.target.dynamodb.get_item(
        TableName=bench.target.tabelas["pedidos"], Key={"pedidoId": {"S": pedido_id}}, ConsistentRead=True
    )
    return dict(row.get("Item", {}))


@pytest.fixture(scope="module")
def of_000(bench: Workbench) -> str:
    return _deploy(bench, "000.json")


def test_000s_ambiguous_charge_leaves_the_money_taken(bench: Workbench, of_000: str) -> None:
    sku = bench.stock_sku("exibicao-cobranca")
    pedido_id, execution = _run(bench, of_000, "cobranca", sku, cartao="tok-500-cobrado")
    assert execution.status == "SUCCEEDED"
    assert execution.states() == (
        "ReservarEstoque",
        "CobrarPagamento",
        "LiberarEstoque",
        "RegistrarFalhaComEstoqueLiberado",
    )
    row = _status(bench, pedido_id)
    assert row["status"] == {"S": "FALHOU_COMPENSADO"}
    # putItem wiped the order: not even what was bought, or that a charge was begun, is left.
    assert set(row) == {"pedidoId", "status", "motivo"}
    assert bench.facts.net_charged(pedido_id) == VALUE
    assert bench.facts.refunds(pedido_id) == []
    assert bench.stock(sku).saldo == INITIAL_STOCK


def test_000s_ambiguous_reservation_leaks_the_stock(bench: Workbench, of_000: str) -> None:
    sku = bench.stock_sku("exibicao-reserva")
    pedido_id, execution = _run(bench, of_000, "reserva", sku, falhas={"ReservarEstoque": "depois"})
    assert execution.states() == ("ReservarEstoque", "RegistrarFalhaSemCompensacao")
    assert _status(bench, pedido_id)["status"] == {"S": "FALHOU_SEM_RESERVA"}
    assert bench.stock(sku).reserved(pedido_id) == 1


def test_003s_first_step_fails_and_nothing_catches_it(bench: Workbench) -> None:
    machine = _deploy(bench, "003.yaml", SPANISH)
    sku = bench.stock_sku("exibicao-003")
    pedido_id, execution = _run(bench, machine, "sem-catch", sku, falhas={"ReservarEstoque": "depois"})
    assert execution.status == "FAILED"
    assert execution.states() == ("ReservarStock",)
    assert _status(bench, pedido_id)["status"] == {"S": "RECEBIDO"}
    assert bench.stock(sku).reserved(pedido_id) == 1
