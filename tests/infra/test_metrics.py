"""Every metric an alarm or a graph uses exists, with those dimensions and that statistic: a typo there is silent.

AWS's are held to the table below, copied by hand from the page named beside each; ours to what the code can emit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from handlers.domain.metrics import NAMESPACE, UNIDADES, Metrica
from tests.infra.harness import FUNCTIONS
from tests.support.metric_math import FUNCTIONS as MATH_FUNCTIONS
from tests.support.metric_math import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

_ANY: Final = frozenset({"Average", "Sum", "Minimum", "Maximum", "SampleCount"})
_PERCENTILES: Final = frozenset({"p50", "p90", "p95", "p99"})


def by(*dimensions: str) -> frozenset[frozenset[str]]:
    """The sets of dimensions a metric comes with, each written as one text."""
    return frozenset(frozenset(one.split()) for one in dimensions)


DOCUMENTED: Final[dict[str, tuple[str, dict[str, frozenset[frozenset[str]]]]]] = {
    "AWS/SQS": (
        "Amazon SQS Developer Guide, Available CloudWatch metrics for Amazon SQS",
        dict.fromkeys(
            (
                *("ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesDelayed"),
                *("ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesVisible"),
                *("NumberOfEmptyReceives", "NumberOfMessagesDeleted", "NumberOfMessagesReceived"),
                *("NumberOfMessagesSent", "SentMessageSize"),
            ),
            by("QueueName"),
        ),
    ),
    "AWS/States": (
        "Step Functions Developer Guide, Monitoring Step Functions metrics using Amazon CloudWatch",
        {
            **dict.fromkeys(
                (
                    *("ExecutionTime", "ExecutionThrottled", "ExecutionsAborted", "ExecutionsFailed"),
                    *("ExecutionsStarted", "ExecutionsSucceeded", "ExecutionsTimedOut"),
                ),
                by("StateMachineArn"),
            ),
            **dict.fromkeys(
                ("ThrottledEvents", "ProvisionedBucketSize", "ProvisionedRefillRate", "ConsumedCapacity"),
                by("APIName", "ServiceMetric"),
            ),
        },
    ),
    "AWS/Lambda": (
        "Lambda Developer Guide, Types of metrics for Lambda functions",
        dict.fromkeys(
            (
                *("Invocations", "Errors", "Throttles", "Duration", "ConcurrentExecutions"),
                *("AsyncEventsReceived", "AsyncEventAge", "AsyncEventsDropped", "DestinationDeliveryFailures"),
            ),
            by("FunctionName", "FunctionName Resource"),
        ),
    ),
    "AWS/DynamoDB": (
        "DynamoDB Developer Guide, DynamoDB metrics and dimensions",
        {
            **dict.fromkeys(
                ("ReadThrottleEvents", "WriteThrottleEvents"),
                by("TableName", "TableName GlobalSecondaryIndexName"),
            ),
            "ThrottledRequests": by("TableName Operation"),
            "SystemErrors": by("TableName Operation"),
        },
    ),
    "AWS/ApiGateway": (
        "API Gateway Developer Guide, Amazon API Gateway dimensions and metrics (REST APIs)",
        dict.fromkeys(
            ("4XXError", "5XXError", "CacheHitCount", "CacheMissCount", "Count", "IntegrationLatency", "Latency"),
            # The last only once detailed metrics are on.
            by("ApiName", "ApiName Stage", "ApiName Method Resource Stage"),
        ),
    ),
    "AWS/Logs": (
        "CloudWatch Logs User Guide, Monitoring with CloudWatch metrics",
        dict.fromkeys(("IncomingBytes", "IncomingLogEvents", "ForwardedBytes"), by("LogGroupName")),
    ),
}
"""By namespace: the page, and the sets of dimensions each metric comes with."""

MEANINGLESS: Final = {
    ("ApproximateAgeOfOldestMessage", "Sum"): "ages do not add up",
    ("ApproximateNumberOfMessagesVisible", "Sum"): "a level, sampled more than once a minute",
    ("ExecutionTime", "Sum"): "durations do not add up",
    ("Latency", "Sum"): "durations do not add up",
    (Metrica.IDADE_DO_CASO, "Sum"): "ages do not add up",
    (Metrica.ESTOQUE_RETIDO, "Sum"): "durations do not add up",
    ("Throttles", "Average"): "1 for each throttled call and nothing for the others",
    ("Errors", "Maximum"): "1, however many there were",
}


class Use(NamedTuple):
    """A metric in an alarm or in a graph."""

    where: str
    namespace: str
    name: str
    dimensions: dict[str, str]
    stat: str


def uses(run: Run) -> Iterator[Use]:
    yield from (use for alarm in run.of("cloudwatch/metricAlarm:MetricAlarm") for use in of_alarm(alarm.inputs))
    yield from (use for widget in widgets(run) for use in of_widget(widget["properties"]))


def of_alarm(alarm: dict[str, Any]) -> Iterator[Use]:
    for query in alarm.get("metricQueries", ()):
        if "metric" in query:
            metric = query["metric"]
            yield Use(alarm["name"], metric["namespace"], metric["metricName"], metric["dimensions"], metric["stat"])
    if "metricName" in alarm:
        stat = alarm.get("statistic") or alarm["extendedStatistic"]
        yield Use(alarm["name"], alarm["namespace"], alarm["metricName"], alarm["dimensions"], stat)


def of_widget(properties: dict[str, Any]) -> Iterator[Use]:
    for entry in properties["metrics"]:
        if len(entry) > 1:
            namespace, name, *pairs, options = entry
            dimensions = dict(zip(pairs[::2], pairs[1::2], strict=True))
            yield Use(properties["title"], namespace, name, dimensions, options["stat"])


def widgets(run: Run, kind: str = "metric") -> list[dict[str, Any]]:
    (dashboard,) = run.of("cloudwatch/dashboard:Dashboard")
    body = json.loads(dashboard.inputs["dashboardBody"])
    return [widget for widget in body["widgets"] if widget["type"] == kind]


@pytest.fixture(params=["dev", "prod", "local", "otherwise"])
def each(request: pytest.FixtureRequest) -> Run:
    """The shipped stacks, and one with everything the other way round."""
    return request.getfixturevalue(request.param)


def test_every_metric_of_awss_is_documented_with_those_dimensions(each: Run) -> None:
    found = [use for use in uses(each) if use.namespace != NAMESPACE]
    assert len(found) > 40
    for use in found:
        page, metrics = DOCUMENTED[use.namespace]
        assert use.name in metrics, f"{use.where}: {use.name} is not in {page}"
        assert frozenset(use.dimensions) in metrics[use.name], f"{use.where}: {use.name} by {set(use.dimensions)}"


def test_every_metric_of_ours_is_one_the_code_has_under_its_two_dimensions(each: Run) -> None:
    found = [use for use in uses(each) if use.namespace == NAMESPACE]
    assert len(found) > 15
    for use in found:
        assert Metrica(use.name) in UNIDADES, use.where
        assert use.dimensions.keys() == {"service", "stack"}, use.where
        assert use.dimensions["stack"] == each.stack
        # What a function calls itself, and the variables it has.
        assert use.dimensions["service"] in FUNCTIONS
        variables = each.variables(use.dimensions["service"])
        assert (variables["POWERTOOLS_SERVICE_NAME"], variables["STACK"]) == (use.dimensions["service"], each.stack)


def test_every_dimension_is_a_resource_of_the_stack(each: Run) -> None:
    named = {
        "QueueName": each.names_of("sqs/queue:Queue"),
        "StateMachineArn": {each.exports["maquinaPedidoArn"], each.exports["maquinaRetomadaArn"]},
        "FunctionName": each.names_of("lambda/function:Function"),
        "TableName": each.names_of("dynamodb/table:Table"),
        "GlobalSecondaryIndexName": {"pendentes", "verificacoes"},
        "LogGroupName": each.names_of("cloudwatch/logGroup:LogGroup"),
        "ApiName": each.names_of("apigateway/restApi:RestApi"),
        "Stage": {stage.inputs["stageName"] for stage in each.of("apigateway/stage:Stage")},
        "Method": {"POST"},
        "Resource": {"/pedidos"},
        "APIName": {"StartExecution"},
    }
    assert "post" in each.body()["paths"]["/pedidos"]
    for use in uses(each):
        if use.namespace != NAMESPACE:
            for dimension, value in use.dimensions.items():
                assert value in named[dimension], f"{use.where}: {dimension} = {value}"


def test_every_statistic_exists_and_means_something(each: Run) -> None:
    for use in uses(each):
        assert use.stat in _ANY | _PERCENTILES, f"{use.where}: {use.stat}"
        assert (use.name, use.stat) not in MEANINGLESS, f"{use.where}: {MEANINGLESS[use.name, use.stat]}"


def test_every_expression_calls_functions_that_exist_on_metrics_beside_it(each: Run) -> None:
    expressions = 0
    for alarm in each.of("cloudwatch/metricAlarm:MetricAlarm"):
        asked = alarm.inputs.get("metricQueries", ())
        ids = {query["id"] for query in asked if "metric" in query}
        for query in asked:
            if "expression" in query:
                expressions += 1
                _well_formed(alarm.inputs["name"], query["expression"], ids)
    for widget in widgets(each):
        entries = widget["properties"]["metrics"]
        ids = [entry[-1]["id"] for entry in entries if "id" in entry[-1]]
        assert len(ids) == len(set(ids)), widget["properties"]["title"]
        for entry in entries:
            if len(entry) == 1:
                expressions += 1
                _well_formed(widget["properties"]["title"], entry[0]["expression"], set(ids))
    assert expressions >= 11


def _well_formed(where: str, expression: str, ids: set[str]) -> None:
    called, named = names_in(expression)
    assert called <= MATH_FUNCTIONS, f"{where}: {called - MATH_FUNCTIONS}"
    assert named <= ids, f"{where}: {named - ids}"
    assert named or called == {"SUM", "METRICS"}, where
