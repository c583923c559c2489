"""Each function's role holds the calls its code makes: one more is a risk, one fewer an outage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.reconciliation_rows import INDICES
from policies import functions
from tests.policies.calls import client_calls, sources, table_calls

if TYPE_CHECKING:
    from policies.documents import PolicyDocument

pytestmark = pytest.mark.policies

LOG = "arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/cesta-x"
PEDIDOS = "arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedidos"
ESTOQUE = "arn:aws:dynamodb:us-east-1:123456789012:table/cesta-estoque"
CRIADOS = "arn:aws:sqs:us-east-1:123456789012:cesta-pedidos-criados"
MAQUINA = "arn:aws:states:us-east-1:123456789012:stateMachine:cesta-saga-pedido"
EXECUCOES = "arn:aws:states:us-east-1:123456789012:execution:cesta-saga-pedido:*"

CREDENCIAL_COBRANCA, CREDENCIAL_ESTORNO, CREDENCIAL_CONSULTA = (
    f"arn:aws:ssm:us-east-1:123456789012:parameter/cesta/gateway/{name}" for name in ("cobranca", "estorno", "consulta")
)

STEPS = {
    "reservar_estoque": functions.reservar_estoque(log_group=LOG, estoque=ESTOQUE),
    "liberar_estoque": functions.liberar_estoque(log_group=LOG, estoque=ESTOQUE),
    "efetivar_reserva": functions.efetivar_reserva(log_group=LOG, estoque=ESTOQUE, pedidos=PEDIDOS),
    "cobrar_pagamento": functions.cobrar_pagamento(
        log_group=LOG,
        pedidos=PEDIDOS,
        credencial_cobranca=CREDENCIAL_COBRANCA,
        credencial_estorno=CREDENCIAL_ESTORNO,
        credencial_consulta=CREDENCIAL_CONSULTA,
    ),
    "estornar_pagamento": functions.estornar_pagamento(
        log_group=LOG, pedidos=PEDIDOS, credencial_estorno=CREDENCIAL_ESTORNO, credencial_consulta=CREDENCIAL_CONSULTA
    ),
    "confirmar_pedido": functions.confirmar_pedido(log_group=LOG, pedidos=PEDIDOS),
}
API = functions.api(log_group=LOG, pedidos=PEDIDOS, criados=CRIADOS)
INICIADOR = functions.iniciador(log_group=LOG, pedidos=PEDIDOS, criados=CRIADOS, maquina=MAQUINA)
HUMANA = "arn:aws:sqs:us-east-1:123456789012:cesta-compensacao-falhou"
RETOMADA = "arn:aws:states:us-east-1:123456789012:stateMachine:cesta-saga-retomada"
CONCILIADOR = functions.conciliador(
    log_group=LOG,
    pedidos=PEDIDOS,
    estoque=ESTOQUE,
    criados=CRIADOS,
    humana=HUMANA,
    maquina=MAQUINA,
    retomada=RETOMADA,
    credencial_consulta=CREDENCIAL_CONSULTA,
)
REFUNDS = ("handlers/domain/refund.py",)
"""Shared by the two steps that give money back."""


def actions_on(document: PolicyDocument, arn: str) -> set[str]:
    return {
        action
        for statement in document["Statement"]
        if arn in statement.get("Resource", ())
        for action in statement["Action"]
    }


@pytest.mark.parametrize("step", STEPS)
def test_a_step_may_make_exactly_the_table_calls_of_its_code(step: str) -> None:
    shared = REFUNDS if step in ("cobrar_pagamento", "estornar_pagamento") else ()
    made = table_calls(f"handlers/{step}.py", *shared)
    assert made, "no call found: the check would prove nothing"
    assert actions_on(STEPS[step], PEDIDOS) == made.get("pedidos", set())
    assert actions_on(STEPS[step], ESTOQUE) == made.get("estoque", set())


def test_the_api_may_make_exactly_the_calls_of_its_code() -> None:
    modules = [module for module in sources("api") if not module.endswith("/iniciador.py")]
    assert actions_on(API, PEDIDOS) == table_calls(*modules)["pedidos"] == {"dynamodb:GetItem", "dynamodb:PutItem"}
    assert client_calls("sqs", *modules) == {"send_message"}
    assert actions_on(API, CRIADOS) == {"sqs:SendMessage"}


def test_the_starter_may_make_exactly_the_calls_of_its_code() -> None:
    module = "api/chalicelib/iniciador.py"
    assert actions_on(INICIADOR, PEDIDOS) == table_calls(module)["pedidos"] == {"dynamodb:GetItem"}
    assert client_calls("stepfunctions", module) == {"start_execution", "describe_execution"}
    assert actions_on(INICIADOR, MAQUINA) == {"states:StartExecution"}
    assert actions_on(INICIADOR, EXECUCOES) == {"states:DescribeExecution"}
    assert actions_on(INICIADOR, CRIADOS) == {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}


def test_the_reconciler_may_make_exactly_the_calls_of_its_code() -> None:
    calls = table_calls(*(f"handlers/domain/reconciliation_{name}.py" for name in ("round", "closed")))
    indexes = [f"{PEDIDOS}/index/{name}" for name in INDICES]
    assert all(actions_on(CONCILIADOR, index) == {"dynamodb:Query"} for index in indexes)
    assert actions_on(CONCILIADOR, PEDIDOS) | {"dynamodb:Query"} == calls["pedidos"]
    assert actions_on(CONCILIADOR, ESTOQUE) == calls["estoque"] == {"dynamodb:GetItem", "dynamodb:UpdateItem"}
    assert client_calls("client", "handlers/domain/reconciliation_executions.py") == {"describe_execution"}
    resumed = EXECUCOES.replace("saga-pedido", "saga-retomada")
    assert actions_on(CONCILIADOR, EXECUCOES) == actions_on(CONCILIADOR, resumed) == {"states:DescribeExecution"}
    assert client_calls("sqs", "handlers/conciliador.py") == {"send_message"}
    assert actions_on(CONCILIADOR, CRIADOS) == actions_on(CONCILIADOR, HUMANA) == {"sqs:SendMessage"}


def test_the_reconciler_can_look_a_charge_up_and_nothing_more() -> None:
    held = {arn for statement in CONCILIADOR["Statement"] for arn in statement.get("Resource", ())}
    assert CREDENCIAL_CONSULTA in held
    assert not held & {CREDENCIAL_COBRANCA, CREDENCIAL_ESTORNO}
    assert client_calls("gateway", "handlers/domain/reconciliation_closed.py") == {"consultar"}


@pytest.mark.parametrize("document", [*STEPS.values(), API, INICIADOR, CONCILIADOR])
def test_a_function_writes_to_its_own_log_and_no_other(document: PolicyDocument) -> None:
    logs = [
        statement for statement in document["Statement"] if any("logs:" in action for action in statement["Action"])
    ]
    (statement,) = logs
    assert statement["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]
    assert statement.get("Resource") == [f"{LOG}:*"]


@pytest.mark.parametrize("document", [*STEPS.values(), API])
def test_only_the_starter_starts_executions(document: PolicyDocument) -> None:
    assert not any("states:" in action for statement in document["Statement"] for action in statement["Action"])
