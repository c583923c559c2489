"""What the stack tells of itself, on the real program and the real functions: one id, the metrics, the alarms."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from handlers.domain.metrics import NAMESPACE
from handlers.domain.status import Etapa
from infra.names import Names, base_da_etapa
from tests.support.emf import emitted, json_lines

if TYPE_CHECKING:
    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

UNDONE: Final = (
    *(Etapa.RESERVAR_ESTOQUE, Etapa.COBRAR_PAGAMENTO, Etapa.CONFIRMAR_PEDIDO),
    *(Etapa.ESTORNAR_PAGAMENTO, Etapa.LIBERAR_ESTOQUE),
)
"""Steps of an order whose confirmation fails."""


FAILS: Final = {"ConfirmarPedido": "antes"}


@pytest.fixture(scope="module")
def order(stack: EmbeddedStack, bench: Workbench) -> str:
    """An order posted twice, charged, and undone to the end."""
    sku = bench.stock_sku("observado")
    posted = bench.order("observado", sku, falhas=FAILS)
    bench.post(posted)
    pedido_id = bench.post(posted)
    assert bench.end(pedido_id).status == "SUCCEEDED"
    functions = _functions(bench)

    def heard() -> bool | None:
        """The emulator tells a line that comes late with the next call of the same worker: other orders make them."""
        missing = [function for function in functions if not about(stack, function, pedido_id)]
        if not missing and len(about(stack, functions[0], pedido_id)) == 2:
            return True
        others = [bench.post(bench.order(f"observado-{n}-{time.time_ns()}", sku, falhas=FAILS)) for n in range(2)]
        for other in others:
            bench.end(other)
        return None

    bench.wait("as linhas de todas as funções", heard, lambda: "faltam linhas")
    return pedido_id


def _functions(bench: Workbench) -> list[str]:
    names = bench.target.names
    return [names.funcao_api, names.funcao_iniciador, *(names.funcao_da_etapa(etapa) for etapa in UNDONE)]


def about(stack: EmbeddedStack, function: str, pedido_id: str) -> list[dict[str, Any]]:
    """What a function has logged of an order."""
    return [line for line in json_lines(output(stack, function)) if pedido_id in str(line)]


def output(stack: EmbeddedStack, function: str) -> str:
    """All that a function has logged."""
    logs = stack.aws.client("logs")
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=Names.logs_da_funcao(function))
    return "\n".join(event.get("message", "").strip() for page in pages for event in page["events"])


def test_every_line_about_an_order_carries_its_id_from_the_post_to_the_last_state(
    stack: EmbeddedStack, bench: Workbench, order: str
) -> None:
    names = bench.target.names
    steps = {names.funcao_da_etapa(etapa): etapa for etapa in UNDONE}
    for function in _functions(bench):
        lines = about(stack, function, order)
        assert {line["correlation_id"] for line in lines} == {order}, function
        if function in steps:
            # The machine's own name for it: the execution's ARN ends in the order's id.
            assert {line["execucao"] for line in lines} == {bench.target.execution_arn(order)}
            assert {line["etapa"] for line in lines} == {steps[function]}
    said = sorted(line["message"] for line in about(stack, names.funcao_api, order))
    assert said == ["pedido recebido", "pedido repetido"]


def test_the_functions_measure_under_the_names_the_stack_watches(
    stack: EmbeddedStack, bench: Workbench, order: str
) -> None:
    assert order
    found = [metric for function in _functions(bench) for metric in emitted(output(stack, function))]
    by_service = {(metric.dimensions["service"], metric.name) for metric in found}
    assert {
        ("api", "PedidosRecebidos"),
        ("api", "PedidosRepetidos"),
        ("iniciador", "ExecucoesIniciadas"),
        ("liberar-estoque", "EstoqueRetido"),
        *((base_da_etapa(etapa), "PassoConcluido") for etapa in UNDONE if etapa is not Etapa.CONFIRMAR_PEDIDO),
        ("confirmar-pedido", "PassoInesperado"),
    } <= by_service
    for metric in found:
        assert metric.namespace == NAMESPACE
        assert metric.dimensions == {"service": metric.dimensions["service"], "stack": "local"}
    held = [metric.values[0] for metric in found if metric.name == "EstoqueRetido"]
    assert all(0 <= seconds < 600 for seconds in held)


# --- Alarms ----------------------------------------------------------------------------------------------------------

RAISED_BY_THE_WATCHER: Final = "ApproximateNumberOfMessagesVisible"
"""The embedded stack evaluates these by the queue itself (infra.local.alarm_watcher): proof 5 and the entry queue's."""


def test_every_alarm_on_one_metric_rings_when_its_metric_is_beyond_the_threshold(bench: Workbench) -> None:
    """Those on expressions, which the emulator does not evaluate, are run in tests/infra/test_alarms.py."""
    cloudwatch = bench.target.cloudwatch
    watched = [
        alarm
        for alarm in cloudwatch.describe_alarms()["MetricAlarms"]
        if alarm.get("MetricName") not in (None, RAISED_BY_THE_WATCHER)
    ]
    assert len(watched) == 13
    quiet = [alarm.get("AlarmName", "") for alarm in watched]
    try:
        for alarm in watched:
            below = alarm.get("ComparisonOperator") == "LessThanThreshold"
            cloudwatch.put_metric_data(
                Namespace=alarm.get("Namespace", ""),
                MetricData=[
                    {
                        "MetricName": alarm.get("MetricName", ""),
                        "Dimensions": alarm.get("Dimensions", []),
                        "Value": alarm.get("Threshold", 0) + (-1 if below else 1),
                    }
                ],
            )
        ringing = cloudwatch.describe_alarms(StateValue="ALARM", AlarmTypes=["MetricAlarm", "CompositeAlarm"])
        rung = {alarm.get("AlarmName", "") for alarm in ringing["MetricAlarms"]}
        assert set(quiet) <= rung
        (composite,) = ringing["CompositeAlarms"]
        assert composite.get("AlarmName") == bench.target.names.alarme("clientes-afetados")
    finally:
        for name in quiet:
            cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="fim do teste")


def test_whoever_is_called_for_hurt_customers_is_told_when_it_is_over(bench: Workbench, stack: EmbeddedStack) -> None:
    names = bench.target.names
    topic = stack.endpoints()["topico"]
    queue = bench.target.sqs.create_queue(QueueName=f"avisos-{bench.run}")["QueueUrl"]
    arn = bench.target.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns = stack.aws.client("sns")
    subscription = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, ReturnSubscriptionArn=True)
    hurt, child = names.alarme("clientes-afetados"), names.alarme("api-5xx")
    try:
        for state in ("ALARM", "OK"):
            bench.target.cloudwatch.set_alarm_state(AlarmName=child, StateValue=state, StateReason="prova")
        seen: list[str] = []

        def both() -> list[str] | None:
            seen.extend(_told(bench, queue, hurt))
            return seen if len(seen) >= 2 else None

        assert bench.wait("os avisos do alarme", both, lambda: f"só {seen}") == ["ALARM", "OK"]
    finally:
        sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])
        bench.target.sqs.delete_queue(QueueUrl=queue)


def _told(bench: Workbench, queue: str, alarm: str) -> list[str]:
    """The states of the alarm that were told of since the last time."""
    received = bench.target.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
    notices = [json.loads(json.loads(message.get("Body", "{}"))["Message"]) for message in received]
    return [notice["NewStateValue"] for notice in notices if notice["AlarmName"] == alarm]


def test_the_dashboard_is_there(bench: Workbench) -> None:
    body = bench.target.cloudwatch.get_dashboard(DashboardName=bench.target.names.painel)["DashboardBody"]
    titles = [widget["properties"].get("title") for widget in json.loads(body)["widgets"]]
    assert "Quantas sagas esperam intervenção humana agora?" in titles
