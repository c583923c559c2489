"""From a metric to somebody's telephone."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from infra.limits import Limits
from infra.names import Names
from infra.observability.alarms import CLIENTES_AFETADOS, alarms, customers_hurt
from infra.observability.series import Sources
from tests.support.metric_math import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.observability.alarms import Alarm
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

ALARM = "cloudwatch/metricAlarm:MetricAlarm"
COMPOSITE = "cloudwatch/compositeAlarm:CompositeAlarm"
ALWAYS = {
    *("compensacao-pendente", "caso-novo", "caso-antigo"),
    *("pedidos-na-dlq", "pedidos-parados", "fila-acumulando", "api-5xx", "api-lenta"),
    *(f"{key}-{ending}" for key in ("pedido", "retomada") for ending in ("falhou", "expirou", "abortada")),
    *("compensacoes-demais", "funcoes-limitadas", "tabelas-limitadas", "maquinas-limitadas"),
    *("conciliador-falhou", "conciliador-parado", "pedidos-nao-conciliados", "clientes-afetados"),
}


def declared(**limits: int) -> dict[str, Alarm]:
    """The alarms as the program's data, by suffix."""
    of = Sources(Names("dev"), {"pedido": "arn-pedido", "retomada": "arn-retomada"}, detailed=True)
    return {alarm.suffix: alarm for alarm in alarms(of, replace(Limits(), **limits), round_minutes=5)}


def inputs(run: Run, suffix: str) -> dict[str, Any]:
    return run.one(ALARM, f"{run.names.prefix}-saga-{suffix}").inputs


def queries(run: Run, suffix: str) -> dict[str, dict[str, Any]]:
    return {query["id"]: query for query in inputs(run, suffix)["metricQueries"]}


def test_each_stack_has_these_alarms_and_exports_their_names(stack: Run) -> None:
    expected = ALWAYS if stack.stack == "local" else ALWAYS | {"cartao-em-log"}
    names = {suffix: f"{stack.names.prefix}-saga-{suffix}" for suffix in expected}
    assert stack.exports["alarmes"] == names
    assert stack.names_of(ALARM) | stack.names_of(COMPOSITE) == set(names.values())


def test_two_alarms_exist_only_where_the_stack_asks_for_them(otherwise: Run) -> None:
    assert otherwise.exports["alarmes"].keys() - ALWAYS == {"cartao-em-log", "saga-lenta", "compensacoes-anormais"}


def test_every_alarm_says_which_section_of_the_runbook_is_about_it(otherwise: Run) -> None:
    for suffix, name in otherwise.exports["alarmes"].items():
        kind = COMPOSITE if suffix == CLIENTES_AFETADOS else ALARM
        said: str = otherwise.one(kind, name).inputs["alarmDescription"]
        assert said.endswith(f" O que fazer: docs/runbook.md#{suffix}")
        # PutMetricAlarm's limit is 1024.
        assert 60 < len(said) < 1024


def test_every_alarm_reaches_a_topic_cloudwatch_may_publish_to(stack: Run) -> None:
    (topic,) = stack.of("sns/topic:Topic")
    (policy,) = stack.of("sns/topicPolicy:TopicPolicy")
    for alarm in (*stack.of(ALARM), *stack.of(COMPOSITE)):
        assert alarm.inputs["alarmActions"] == [stack.exports["topicoArn"]]
    # A topic with a key of its own would also need a key policy: alarms would be lost in silence (C41).
    assert "kmsMasterKeyId" not in topic.inputs
    # That its policy takes each of these alarms is in test_hygiene.
    assert policy.inputs["arn"] == stack.exports["topicoArn"]


def test_silence_is_health_but_for_what_must_never_be_silent(otherwise: Run) -> None:
    missing = {alarm.inputs["name"]: alarm.inputs["treatMissingData"] for alarm in otherwise.of(ALARM)}
    stopped = missing.pop("cesta-dev-saga-conciliador-parado")
    assert set(missing.values()) == {"notBreaching"}
    assert stopped == "breaching"


def test_the_human_queues_alarm_watches_that_queue_and_rings(stack: Run) -> None:
    alarm = inputs(stack, "compensacao-pendente")
    assert (alarm["namespace"], alarm["metricName"]) == ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
    assert alarm["dimensions"] == {"QueueName": stack.names.fila_humana}
    assert (alarm["statistic"], alarm["comparisonOperator"]) == ("Maximum", "GreaterThanThreshold")
    assert (alarm["threshold"], alarm["period"], alarm["evaluationPeriods"]) == (0, 60, 1)


def test_each_new_case_rings_though_others_wait_already(stack: Run) -> None:
    alarm = inputs(stack, "caso-novo")
    assert (alarm["namespace"], alarm["metricName"]) == ("AWS/SQS", "NumberOfMessagesSent")
    assert (alarm["statistic"], alarm["period"], alarm["threshold"]) == ("Sum", 60, 0)
    # Back to OK a minute later, so that the next case is a change again.
    assert alarm["treatMissingData"] == "notBreaching"


def test_a_reconciler_that_stopped_rings_after_three_rounds(otherwise: Run) -> None:
    alarm = inputs(otherwise, "conciliador-parado")
    assert (alarm["metricName"], alarm["dimensions"]) == ("Invocations", {"FunctionName": "cesta-dev-conciliador"})
    assert (alarm["comparisonOperator"], alarm["threshold"]) == ("LessThanThreshold", 1)
    assert (alarm["period"], alarm["evaluationPeriods"]) == (7 * 60, 3)


def test_what_the_next_round_may_mend_rings_by_rounds(otherwise: Run) -> None:
    unseen = inputs(otherwise, "pedidos-nao-conciliados")
    assert (unseen["period"], unseen["evaluationPeriods"]) == (7 * 60, 2)
    failed = queries(otherwise, "conciliador-falhou")
    assert {query["metric"]["period"] for query in failed.values() if "metric" in query} == {7 * 60}


def test_the_age_of_the_oldest_case_is_one_stacks_own(prod: Run, dev: Run) -> None:
    for run in (prod, dev):
        alarm = inputs(run, "caso-antigo")
        assert alarm["dimensions"] == {"service": "conciliador", "stack": run.stack}
        assert (alarm["statistic"], alarm["threshold"]) == ("Maximum", 4 * 3600)


@pytest.mark.parametrize(
    ("limit", "suffix"),
    [
        ("limite_fila_segundos", "pedidos-parados"),
        ("limite_caso_segundos", "caso-antigo"),
        ("limite_erros_da_api", "api-5xx"),
        ("limite_latencia_milissegundos", "api-lenta"),
        ("limite_compensacoes_por_cento", "compensacoes-demais"),
        *(("limite_throttles", f"{what}-limitadas") for what in ("funcoes", "tabelas", "maquinas")),
    ],
)
def test_thresholds_are_the_stacks_settings(limit: str, suffix: str) -> None:
    assert declared(**{limit: 777})[suffix].threshold == 777


def test_the_sagas_duration_is_set_in_seconds_and_measured_in_milliseconds(otherwise: Run) -> None:
    alarm = inputs(otherwise, "saga-lenta")
    assert (alarm["metricName"], alarm["threshold"]) == ("ExecutionTime", 90_000)


def test_post_is_told_apart_where_the_api_measures_each_method(dev: Run, otherwise: Run) -> None:
    api = {"ApiName": "cesta-dev-api", "Stage": "api"}
    for run, detailed, method in ((dev, True, {"Method": "POST", "Resource": "/pedidos"}), (otherwise, False, {})):
        slow = inputs(run, "api-lenta")
        assert slow["dimensions"] == api | method
        # With "ignore", a p99 of fewer than 1,000 values never rings.
        assert (slow["extendedStatistic"], slow["evaluateLowSampleCountPercentiles"]) == ("p99", "evaluate")
        assert inputs(run, "api-5xx")["dimensions"] == api
        (settings,) = run.of("apigateway/methodSettings:MethodSettings")
        assert settings.inputs["settings"]["metricsEnabled"] is detailed


# --- Alarms on expressions -------------------------------------------------------------------------------------------


def test_an_expression_is_the_only_thing_watched_and_every_metric_has_the_alarms_period(otherwise: Run) -> None:
    on_expressions = [alarm for alarm in otherwise.of(ALARM) if "metricQueries" in alarm.inputs]
    assert len(on_expressions) == 7
    for alarm in on_expressions:
        band = "thresholdMetricId" in alarm.inputs
        asked = alarm.inputs["metricQueries"]
        assert len([one for one in asked if one["returnData"]]) == (2 if band else 1)
        assert len({one["metric"]["period"] for one in asked if "metric" in one}) == 1
        assert "threshold" in alarm.inputs or band
        # "Each alarm based on metric math can use up to ten metrics".
        assert 1 <= len([one for one in asked if "metric" in one]) <= 10
        assert not {"metricName", "namespace", "dimensions", "period", "statistic"} & alarm.inputs.keys()
        assert all(re.fullmatch(r"[a-z][a-zA-Z0-9_]*", one["id"]) for one in asked)


def rings(alarm: Alarm, series: Mapping[str, Sequence[float | None]]) -> bool:
    """Whether its last periods are all beyond the threshold; what is missing is not."""
    assert alarm.expression is not None
    points = evaluate(alarm.expression, series)[-alarm.periods :]
    return len(points) == alarm.periods and all(point is not None and point > alarm.threshold for point in points)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        ([0, *range(1, 12)], True),
        ([3] * 12, True),
        ([5, 4, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9], True),
        ([9, 9, 9, 9, 9, 9, 9, 8, 9, 9, 9, 9], False),
        ([0] * 12, False),
        ([None] * 12, False),
    ],
    ids=["grows", "stays", "grew since", "fell once", "empty", "inactive"],
)
def test_a_queue_that_does_not_fall_for_ten_minutes_rings(depth: list[float | None], expected: bool) -> None:
    assert rings(declared()["fila-acumulando"], {"fila": depth}) is expected


@pytest.mark.parametrize(
    ("refunds", "started", "expected"),
    [(6, 100, True), (5, 100, False), (None, 100, False), (10, 19, False), (2, 20, True), (3, None, False)],
)
def test_more_than_five_in_a_hundred_refunded_orders_ring(
    refunds: float | None, started: float | None, expected: bool
) -> None:
    assert rings(declared()["compensacoes-demais"], {"estornos": [refunds], "iniciadas": [started]}) is expected


def test_one_throttled_call_is_forgiven_and_a_second_period_of_them_is_not() -> None:
    for suffix in ("funcoes-limitadas", "tabelas-limitadas", "maquinas-limitadas"):
        alarm = declared()[suffix]
        first, *others = alarm.series
        quiet: dict[str, list[float | None]] = {key: [None, None] for key in others}
        assert rings(alarm, quiet | {first: [1, 2]})
        assert not rings(alarm, quiet | {first: [1, None]})


def test_a_failed_round_rings_though_the_function_did_not_fail() -> None:
    alarm = declared()["conciliador-falhou"]
    assert rings(alarm, {"chamadas": [None], "rodadas": [1]})
    assert rings(alarm, {"chamadas": [1], "rodadas": [None]})
    assert not rings(alarm, {"chamadas": [0], "rodadas": [None]})


def test_what_is_throttled_is_watched_everywhere(otherwise: Run) -> None:
    functions = {query["metric"]["dimensions"]["FunctionName"] for query in metrics(otherwise, "funcoes-limitadas")}
    assert functions == otherwise.names_of("lambda/function:Function")
    (pedidos,) = [
        table for table in otherwise.of("dynamodb/table:Table") if table.physical_name == otherwise.names.tabela_pedidos
    ]
    indexes = {index["name"] for index in pedidos.inputs["globalSecondaryIndexes"]}
    watched = [query["metric"]["dimensions"] for query in metrics(otherwise, "tabelas-limitadas")]
    assert {one["TableName"] for one in watched} == otherwise.names_of("dynamodb/table:Table")
    assert {one["GlobalSecondaryIndexName"] for one in watched if "GlobalSecondaryIndexName" in one} == indexes
    machines = [
        query["metric"]["dimensions"].get("StateMachineArn") for query in metrics(otherwise, "maquinas-limitadas")
    ]
    assert set(machines) == {otherwise.exports["maquinaPedidoArn"], otherwise.exports["maquinaRetomadaArn"], None}


def metrics(run: Run, suffix: str) -> list[dict[str, Any]]:
    return [query for query in inputs(run, suffix)["metricQueries"] if "metric" in query]


def test_the_anomaly_detector_rings_only_above_its_band(otherwise: Run) -> None:
    alarm = inputs(otherwise, "compensacoes-anormais")
    assert (alarm["comparisonOperator"], alarm["thresholdMetricId"]) == ("GreaterThanUpperThreshold", "resultado")
    asked = queries(otherwise, "compensacoes-anormais")
    assert asked["resultado"]["expression"] == "ANOMALY_DETECTION_BAND(compensacoes, 2)"
    assert asked["compensacoes"]["metric"]["period"] == 3600


# --- The composite alarm ---------------------------------------------------------------------------------------------


def test_the_composite_names_alarms_of_its_stack_and_tells_its_end_too(stack: Run) -> None:
    (composite,) = stack.of(COMPOSITE)
    named = re.findall(r'ALARM\("([^"]+)"\)', composite.inputs["alarmRule"])
    assert named
    assert set(named) <= stack.names_of(ALARM)
    assert composite.inputs["okActions"] == composite.inputs["alarmActions"] == [stack.exports["topicoArn"]]
    # PutCompositeAlarm: 10,240 characters, 100 other alarms.
    assert len(composite.inputs["alarmRule"]) <= 10_240


HURT = ("api-5xx", "api-lenta", "pedidos-parados", "fila-acumulando", "caso-antigo")
DEAD = ("pedidos-na-dlq", "pedido-falhou", "pedido-expirou", "pedido-abortada", "retomada-falhou", "retomada-expirou")


@pytest.mark.parametrize(
    ("ringing", "expected"),
    [
        *(((suffix,), True) for suffix in HURT),
        # One dead order, one message nobody could read, one new case: somebody is at it.
        *(((suffix,), False) for suffix in (*DEAD, "retomada-abortada", "caso-novo", "compensacao-pendente")),
        (("conciliador-parado",), False),
        *((("conciliador-parado", suffix), True) for suffix in DEAD),
        *((("conciliador-falhou", suffix), True) for suffix in DEAD),
        (("tabelas-limitadas", "funcoes-limitadas", "compensacoes-demais", "pedidos-nao-conciliados"), False),
        ((), False),
    ],
)
def test_customers_are_hurt_while_nobody_takes_care_of_their_orders(ringing: tuple[str, ...], expected: bool) -> None:
    rule = customers_hurt({suffix: suffix for suffix in ALWAYS})
    told = re.sub(r'ALARM\("([^"]+)"\)', lambda name: str(name[1] in ringing), rule)
    python = told.replace(" AND ", " and ").replace(" OR ", " or ")
    assert re.fullmatch(r"(?:True|False|and|or|[() ])+", python), "the rule has nothing else in it"
    assert eval(python) is expected  # noqa: S307 - only what the line above lets through


def test_an_address_is_subscribed_where_the_stack_gives_one(dev: Run, otherwise: Run) -> None:
    assert dev.of("sns/topicSubscription:TopicSubscription") == []
    (subscription,) = otherwise.of("sns/topicSubscription:TopicSubscription")
    assert (subscription.inputs["protocol"], subscription.inputs["endpoint"]) == ("email", "plantao@cesta.example")
