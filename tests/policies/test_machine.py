"""The machines' roles, against their definitions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from handlers.domain.status import Etapa
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar, compilar_retomada
from policies.machine import LOG_DELIVERY, MachineTargets, UnknownTaskError, machine

if TYPE_CHECKING:
    from policies.documents import PolicyDocument

pytestmark = pytest.mark.policies

FUNCTIONS = {etapa.value: f"arn:aws:lambda:us-east-1:123456789012:function:cesta-{etapa.value}" for etapa in Etapa}
TABLE, TABLE_ARN = "cesta-pedidos", "arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedidos"
QUEUE = "https://sqs.us-east-1.amazonaws.com/123456789012/cesta-compensacao-falhou"
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:cesta-compensacao-falhou"
RECURSOS = Recursos(FUNCTIONS, TABLE, QUEUE)
TARGETS = MachineTargets(
    functions={arn: arn for arn in FUNCTIONS.values()}, tables={TABLE: TABLE_ARN}, queues={QUEUE: QUEUE_ARN}
)
PEDIDO = compilar(AjustesDaSaga(), RECURSOS)
RETOMADA = compilar_retomada(AjustesDaSaga(), RECURSOS)


def granted(document: PolicyDocument) -> set[tuple[str, str]]:
    """(action, resource) pairs but for the delivery of the log."""
    return {
        (action, resource)
        for statement in document["Statement"]
        if statement["Sid"] != "LogDelivery"
        for action in statement["Action"]
        for resource in statement.get("Resource", ())
    }


def called(definition: dict[str, Any]) -> set[tuple[str, str]]:
    """The same pairs, looked for in the definition's text: whatever names a resource."""
    text = json.dumps(definition)
    calls = {("lambda:InvokeFunction", arn) for arn in FUNCTIONS.values() if f'"{arn}"' in text}
    if "dynamodb:updateItem" in text:
        calls.add(("dynamodb:UpdateItem", TABLE_ARN))
    if "sqs:sendMessage" in text:
        calls.add(("sqs:SendMessage", QUEUE_ARN))
    return calls


@pytest.mark.parametrize("definition", [PEDIDO, RETOMADA], ids=["pedido", "retomada"])
def test_a_role_covers_exactly_what_its_definition_calls(definition: dict[str, Any]) -> None:
    assert granted(machine(definition, TARGETS)) == called(definition)


def test_the_saga_needs_all_six_functions_its_table_and_the_human_queue() -> None:
    assert granted(machine(PEDIDO, TARGETS)) == {
        *(("lambda:InvokeFunction", arn) for arn in FUNCTIONS.values()),
        ("dynamodb:UpdateItem", TABLE_ARN),
        ("sqs:SendMessage", QUEUE_ARN),
    }


def test_the_resuming_machine_can_undo_and_settle_but_never_reserve_charge_or_confirm() -> None:
    invoked = {arn for action, arn in granted(machine(RETOMADA, TARGETS)) if action == "lambda:InvokeFunction"}
    assert invoked == {
        FUNCTIONS[etapa] for etapa in (Etapa.ESTORNAR_PAGAMENTO, Etapa.LIBERAR_ESTOQUE, Etapa.EFETIVAR_RESERVA)
    }


def test_one_task_less_is_one_grant_less() -> None:
    states = {name: state for name, state in PEDIDO["States"].items() if name != "CobrarPagamento"}
    lost = granted(machine(PEDIDO, TARGETS)) - granted(machine({"States": states}, TARGETS))
    assert lost == {("lambda:InvokeFunction", FUNCTIONS[Etapa.COBRAR_PAGAMENTO])}


def test_tasks_inside_map_and_parallel_states_count() -> None:
    inner = {"States": {"A": task("lambda:invoke", FunctionName=FUNCTIONS[Etapa.COBRAR_PAGAMENTO])}}
    other = {"States": {"B": task("sqs:sendMessage", QueueUrl=QUEUE)}}
    definition = {
        "States": {
            "M": {"Type": "Map", "ItemProcessor": inner},
            "P": {"Type": "Parallel", "Branches": [other]},
        }
    }
    assert granted(machine(definition, TARGETS)) == {
        ("lambda:InvokeFunction", FUNCTIONS[Etapa.COBRAR_PAGAMENTO]),
        ("sqs:SendMessage", QUEUE_ARN),
    }


def task(integration: str, **parameters: str) -> dict[str, Any]:
    return {"Type": "Task", "Resource": f"arn:aws:states:::{integration}", "Parameters": parameters}


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        (
            task("lambda:invoke", FunctionName="arn:aws:lambda:us-east-1:123456789012:function:outra"),
            "none of the stack's",
        ),
        (task("dynamodb:updateItem", TableName="outra"), "none of the stack's"),
        (task("sqs:sendMessage", QueueUrl=f"{QUEUE}-outra"), "none of the stack's"),
        (task("sqs:sendMessage"), "none of the stack's"),
        (task("dynamodb:putItem", TableName=TABLE), "not a known integration"),
        ({"Type": "Task", "Resource": FUNCTIONS["CobrarPagamento"]}, "not a known integration"),
    ],
)
def test_what_it_does_not_understand_is_an_error_that_names_the_state(state: dict[str, Any], problem: str) -> None:
    with pytest.raises(UnknownTaskError, match=problem) as refused:
        machine({"States": {"Estranho": state}}, TARGETS)
    assert refused.value.state == "Estranho"


def test_the_log_is_delivered_by_the_documented_set_on_everything() -> None:
    (statement,) = [
        statement for statement in machine(PEDIDO, TARGETS)["Statement"] if statement["Sid"] == "LogDelivery"
    ]
    assert statement["Action"] == list(LOG_DELIVERY)
    assert statement.get("Resource") == ["*"]
