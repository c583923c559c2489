"""CloudWatch, SNS and API Gateway."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import urllib3

from tests.conformance.behaviour import Behaviour, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import GATEWAY, WATCH

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_LISTED = 1800
"""Seconds: a queue's metrics begin within 15 minutes of its first use (the page on them), and a new metric is listed
within 15 more (CloudWatch API reference, ListMetrics)."""

_OPENAPI = {
    "swagger": "2.0",
    "paths": {
        "/pedidos": {
            "get": {
                "responses": {"200": {"description": "ok"}},
                "x-amazon-apigateway-integration": {
                    "type": "mock",
                    "requestTemplates": {"application/json": '{"statusCode": 200}'},
                    "responses": {"default": {"statusCode": "200"}},
                },
            }
        }
    },
}


# --- Alarms ---


def _alarm(lab: Lab) -> tuple[str, str]:
    """An alarm, and the queue its topic tells."""
    sns, watch, queue = lab.client("sns"), lab.client("cloudwatch"), lab.queue("alarme")
    topic: str = sns.create_topic(Name=lab.name("topico"))["TopicArn"]
    lab.later(lambda: sns.delete_topic(TopicArn=topic))
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": lab.queue_arn(queue),
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    lab.client("sqs").set_queue_attributes(QueueUrl=queue, Attributes={"Policy": policy})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=lab.queue_arn(queue))
    name = lab.name("alarme")
    watch.put_metric_alarm(
        AlarmName=name,
        Namespace="Conformidade",
        MetricName=name,
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=0,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="ignore",
        AlarmActions=[topic],
    )
    lab.later(lambda: watch.delete_alarms(AlarmNames=[name]))
    return name, queue


def _rings(lab: Lab) -> object:
    name, queue = _alarm(lab)
    lab.client("cloudwatch").set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="de propósito")
    message = lab.receive(queue, seconds=60)
    if message is None:
        return "nothing"
    return json.loads(json.loads(message["Body"])["Message"])["NewStateValue"]


def _rings_on_changes(lab: Lab) -> object:
    name, queue = _alarm(lab)
    for _ in range(2):
        lab.client("cloudwatch").set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="de propósito")
        time.sleep(0.2)
    heard = 0
    while message := lab.receive(queue, seconds=lab.patience(local=3, aws=20)):
        lab.client("sqs").delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        heard += 1
    return heard


def _metric_of_a_log(lab: Lab) -> object:
    """Whether a line in embedded metric format becomes a metric."""
    logs, group, namespace = lab.client("logs"), lab.name("log"), lab.name("Cesta")
    logs.create_log_group(logGroupName=group)
    lab.later(lambda: logs.delete_log_group(logGroupName=group))
    logs.create_log_stream(logGroupName=group, logStreamName="s")
    now = int(time.time() * 1000)
    directive = {"Namespace": namespace, "Dimensions": [["service"]], "Metrics": [{"Name": "Casos", "Unit": "Count"}]}
    line = {"_aws": {"Timestamp": now, "CloudWatchMetrics": [directive]}, "service": "x", "Casos": 1}
    logs.put_log_events(
        logGroupName=group, logStreamName="s", logEvents=[{"timestamp": now, "message": json.dumps(line)}]
    )
    watch = lab.client("cloudwatch")
    return lab.happens(lambda: bool(watch.list_metrics(Namespace=namespace)["Metrics"]), local=1, aws=_LISTED)


def _metric_of_a_queue(lab: Lab) -> object:
    """Whether SQS reports a queue's messages by itself."""
    queue = lab.queue("medida")
    lab.client("sqs").send_message(QueueUrl=queue, MessageBody="x")
    dimension = {"Name": "QueueName", "Value": queue.rsplit("/", 1)[1]}
    watch = lab.client("cloudwatch")
    return lab.happens(
        lambda: bool(watch.list_metrics(Namespace="AWS/SQS", Dimensions=[dimension])["Metrics"]), local=1, aws=_LISTED
    )


def _composite(lab: Lab) -> object:
    """The state of a composite alarm before and after one of the alarms it names goes red."""
    watch, (child, _) = lab.client("cloudwatch"), _alarm(lab)
    name = lab.name("composto")
    watch.put_composite_alarm(AlarmName=name, AlarmRule=f'ALARM("{child}")')
    lab.later(lambda: watch.delete_alarms(AlarmNames=[name]))

    def red() -> bool:
        found = watch.describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])["CompositeAlarms"]
        return [one["StateValue"] for one in found] == ["ALARM"]

    before = red()
    watch.set_alarm_state(AlarmName=child, StateValue="ALARM", StateReason="de propósito")
    return {"before": before, "after": lab.happens(red, local=2, aws=60)}


def _query(key: str, **fields: Any) -> dict[str, Any]:
    metric = {"Metric": {"Namespace": "Conformidade", "MetricName": key}, "Period": 60, "Stat": "Sum"}
    return {"Id": key, **(fields or {"MetricStat": metric, "ReturnData": False})}


def _over_metrics(lab: Lab) -> object:
    """Whether an alarm may be on the sum of so many metrics."""

    def put(metrics: int) -> None:
        name, watch = lab.name("soma"), lab.client("cloudwatch")
        watch.put_metric_alarm(
            AlarmName=name,
            EvaluationPeriods=1,
            Threshold=0,
            ComparisonOperator="GreaterThanThreshold",
            Metrics=[
                _query("resultado", Expression="SUM(METRICS())", ReturnData=True),
                *(_query(f"m{number}") for number in range(metrics)),
            ],
        )
        lab.later(lambda: watch.delete_alarms(AlarmNames=[name]))

    return {count: "refused" if refusal(lambda count=count: put(count)) else "taken" for count in (10, 11)}


def _dashboards(lab: Lab) -> object:
    """What is left of a dashboard that is put again, and whether any text may be one."""
    watch, name = lab.client("cloudwatch"), lab.name("painel")
    for text in ("primeiro", "segundo"):
        widget = {"type": "text", "x": 0, "y": 0, "width": 24, "height": 2, "properties": {"markdown": text}}
        watch.put_dashboard(DashboardName=name, DashboardBody=json.dumps({"widgets": [widget]}))
        if text == "primeiro":
            lab.later(lambda: watch.delete_dashboards(DashboardNames=[name]))
    kept = json.loads(watch.get_dashboard(DashboardName=name)["DashboardBody"])["widgets"]
    broken = refusal(lambda: watch.put_dashboard(DashboardName=name, DashboardBody="nada"))
    return {
        "kept": [widget["properties"]["markdown"] for widget in kept],
        "no dashboard": "refused" if broken else "taken",
    }


# --- The API ---


def _import(lab: Lab) -> str:
    gateway = lab.client("apigateway")
    document = {**_OPENAPI, "info": {"title": lab.name("api"), "version": "1"}}
    api: str = gateway.import_rest_api(
        body=json.dumps(document), parameters={"endpointConfigurationTypes": "REGIONAL"}
    )["id"]
    _delete_later(lab, api)
    return api


def _delete_later(lab: Lab, api: str) -> None:
    lab.later(lambda: lab.unthrottled(lambda: lab.client("apigateway").delete_rest_api(restApiId=api)))


def _imported(lab: Lab) -> object:
    found = lab.client("apigateway").get_resources(restApiId=_import(lab))["items"]
    return sorted(one.get("path", "") for one in found)


def _unrouted(lab: Lab) -> object:
    gateway = lab.client("apigateway")
    api: str = gateway.create_rest_api(name=lab.name("api"), endpointConfiguration={"types": ["REGIONAL"]})["id"]
    _delete_later(lab, api)
    (root,) = gateway.get_resources(restApiId=api)["items"]
    resource: str = gateway.create_resource(restApiId=api, parentId=root["id"], pathPart="pedidos")["id"]
    where: dict[str, Any] = {"restApiId": api, "resourceId": resource, "httpMethod": "GET"}
    gateway.put_method(**where, authorizationType="NONE")
    gateway.put_integration(**where, type="MOCK", requestTemplates={"application/json": '{"statusCode": 200}'})
    gateway.put_method_response(**where, statusCode="200")
    gateway.put_integration_response(**where, statusCode="200")
    gateway.create_deployment(restApiId=api, stageName="t")
    base = lab.invoke_url(api, "t")
    lab.until(lambda: True if _status(f"{base}/pedidos") == 200 else None, "the API")
    return {"routed": _status(f"{base}/pedidos"), "another path": _status(f"{base}/outra")}


def _status(url: str) -> int:
    return urllib3.request("GET", url, retries=False, timeout=10).status


_ALARMS = "infra/components/alarms.py"
_WATCHED = "infra/observability/alarms.py"
_SERIES = "infra/observability/series.py"
_SUMMED = {10: "taken", 11: "refused"}

BEHAVIOURS = (
    Behaviour(
        "alarm-rings",
        "An alarm that goes red publishes to its topic.",
        WATCH["state"],
        (_ALARMS, "infra/local/alarm_watcher.py"),
        (
            Probe(_rings, "ALARM"),
            Elsewhere("tests/infra/test_alarms.py::test_every_alarm_reaches_a_topic_cloudwatch_may_publish_to"),
        ),
    ),
    Behaviour(
        "alarm-on-changes",
        "An alarm acts when its state changes and not while it stays: a second alarm rings for each new case.",
        WATCH["alarms"],
        (_ALARMS,),
        (
            Probe(_rings_on_changes, 1),
            Elsewhere("tests/infra/test_alarms.py::test_each_new_case_rings_though_others_wait_already"),
        ),
    ),
    Behaviour(
        "alarm-composite",
        "A composite alarm is red when its rule over other alarms holds.",
        WATCH["composite"],
        (_ALARMS,),
        (
            Probe(_composite, {"before": False, "after": True}),
            Elsewhere("tests/infra/test_alarms.py::test_customers_are_hurt_while_nobody_takes_care_of_their_orders"),
        ),
    ),
    Behaviour(
        "alarm-ten-metrics",
        "An alarm is on an expression over at most ten metrics.",
        WATCH["math"],
        (_WATCHED, _SERIES),
        (
            Probe(_over_metrics, _SUMMED, Difference(dict.fromkeys(_SUMMED, "taken"), "takes more")),
            Elsewhere(
                "tests/infra/test_alarms.py::test_an_expression_is_the_only_thing_watched_and_every_metric_has_the_alarms_period"
            ),
        ),
    ),
    Behaviour(
        "alarm-anomaly",
        "An alarm on a detector's band names it by ThresholdMetricId; the band is learnt from two weeks.",
        WATCH["anomaly"],
        (_WATCHED, _ALARMS),
        (
            OnlyOnAws("takes weeks of orders; off unless the stack has `anomaliaDeCompensacoes`."),
            Elsewhere("tests/infra/test_alarms.py::test_the_anomaly_detector_rings_only_above_its_band"),
        ),
    ),
    Behaviour(
        "alarm-few-samples",
        "An alarm on a percentile that ignores periods with few samples keeps its state through them.",
        WATCH["metric_alarm"],
        (_ALARMS,),
        (
            OnlyOnAws("when samples are too few is CloudWatch's own reckoning."),
            Elsewhere("tests/infra/test_alarms.py::test_post_is_told_apart_where_the_api_measures_each_method"),
        ),
    ),
    Behaviour(
        "alarm-missing-data",
        "With `notBreaching`, a metric nobody sends keeps an alarm OK.",
        WATCH["missing"],
        (_ALARMS,),
        (
            OnlyOnAws("the emulator evaluates only when data comes, so missing data has no effect there."),
            Elsewhere("tests/infra/test_alarms.py::test_silence_is_health_but_for_what_must_never_be_silent"),
        ),
    ),
    Behaviour(
        "alarm-encrypted-topic",
        "CloudWatch cannot publish to a topic encrypted with a key it may not use, and nobody is told.",
        WATCH["topic"],
        (_ALARMS, "policies/resources.py"),
        (
            OnlyOnAws("the silence shows in the alarm's history alone. Our topic has no key."),
            Elsewhere("tests/infra/test_hygiene.py::test_no_topic_has_a_key_that_cloudwatch_could_not_use"),
        ),
    ),
    Behaviour(
        "metric-embedded",
        "A log line in embedded metric format becomes a metric.",
        WATCH["emf"],
        ("handlers/domain/metrics.py", _ALARMS),
        (Probe(_metric_of_a_log, True, Difference(False, "keeps the line and makes no metric")),),
    ),
    Behaviour(
        "metric-queues",
        "SQS reports its queues' messages to CloudWatch by itself.",
        WATCH["sqs"],
        (_ALARMS, "infra/local/alarm_watcher.py"),
        (
            Probe(_metric_of_a_queue, True, Difference(False, "reports nothing; our alarm watcher does it instead")),
            Elsewhere(
                "tests/e2e/local/test_alarms_and_stock.py::test_an_alarm_rings_for_its_own_queue_and_stops_when_it_is_empty"
            ),
        ),
    ),
    Behaviour(
        "metric-executions",
        "Step Functions reports ExecutionsFailed, ExecutionsTimedOut and ExecutionsAborted for each machine.",
        WATCH["states"],
        (_ALARMS,),
        (
            OnlyOnAws("the emulator has no AWS/States metrics."),
            Elsewhere("tests/infra/test_alarms.py::test_each_stack_has_these_alarms_and_exports_their_names"),
        ),
    ),
    Behaviour(
        "metric-integrations",
        "Step Functions counts calls by integration, `lambda:invoke` as one: no metric tells one state from another.",
        WATCH["states"],
        ("handlers/domain/metrics.py", _SERIES),
        (
            OnlyOnAws("the emulator has no AWS/States metrics. The functions count for themselves."),
            Elsewhere("tests/infra/test_metrics.py::test_every_metric_of_awss_is_documented_with_those_dimensions"),
        ),
    ),
    Behaviour(
        "metric-methods",
        "API Gateway reports by method and path only where a stage has detailed metrics.",
        GATEWAY["metrics"],
        (_SERIES, "infra/components/api.py"),
        (
            OnlyOnAws("the emulator has no AWS/ApiGateway metrics."),
            Elsewhere("tests/infra/test_alarms.py::test_post_is_told_apart_where_the_api_measures_each_method"),
        ),
    ),
    Behaviour(
        "dashboard-replaced",
        "A dashboard that is put again is replaced whole; what is no dashboard is refused.",
        WATCH["dashboard"],
        ("infra/components/dashboard.py", "infra/observability/panel.py"),
        (
            Probe(
                _dashboards,
                {"kept": ["segundo"], "no dashboard": "refused"},
                Difference({"kept": ["segundo"], "no dashboard": "taken"}, "takes any text"),
            ),
            Elsewhere("tests/infra/test_dashboard.py::test_it_is_a_document_cloudwatch_takes"),
        ),
    ),
    Behaviour(
        "dashboard-global",
        "A dashboard is the account's, not a region's: the same stack in two regions would share one.",
        WATCH["dashboard"],
        ("infra/components/dashboard.py",),
        (OnlyOnAws("needs two regions. A stack is in one region."),),
    ),
    Behaviour(
        "log-masking",
        "CloudWatch Logs masks card numbers where a group's data protection policy asks for it.",
        WATCH["masking"],
        ("policies/detection.py",),
        (
            OnlyOnAws("the emulator scans no logs. What is logged is masked before, by our own code."),
            Elsewhere(
                "tests/infra/test_detection.py::test_every_log_masks_card_numbers_and_reports_them_to_a_log_that_is_not_itself_reported_on"
            ),
        ),
    ),
    Behaviour(
        "api-unrouted",
        "A path or method without a route is 403, and never reaches the function.",
        GATEWAY["responses"],
        ("infra/openapi.py", "infra/public_openapi.py"),
        (
            Probe(_unrouted, {"routed": 200, "another path": 403}),
            Elsewhere("tests/e2e/local/test_monitor.py::test_a_route_the_document_does_not_have_is_not_served"),
        ),
    ),
    Behaviour(
        "api-import",
        "An API is made whole from its OpenAPI document.",
        GATEWAY["import_"],
        ("infra/openapi.py", "infra/local/creators/apigateway.py"),
        (
            Probe(
                _imported,
                ["/", "/pedidos"],
                Difference(["/"], "makes an empty API; the monitor makes each resource by its own call"),
            ),
        ),
    ),
    Behaviour(
        "api-own-errors",
        "The gateway's own errors take the headers that its gateway responses declare.",
        GATEWAY["responses"],
        ("infra/cors.py",),
        (
            Elsewhere(
                "tests/e2e/local/test_monitor.py::test_what_the_gateway_answers_by_itself_has_the_declared_headers"
            ),
            Elsewhere("tests/infra/test_access.py::test_what_the_gateway_answers_by_itself_can_be_read_by_a_page_too"),
        ),
    ),
    Behaviour(
        "api-caller",
        "The function is told who the authorizer let in: the ARN of an IAM caller, the claims of a Cognito token.",
        GATEWAY["context"],
        ("api/chalicelib/requisicao.py",),
        (
            OnlyOnAws("the emulator has no authorizers; stacks of that kind have `authorizer: none`."),
            Elsewhere("tests/api/test_requisicao.py::test_the_caller_is_who_the_authorizer_says"),
        ),
    ),
    Behaviour(
        "api-invalid-utf8",
        "A body arrives as text: bytes that are no UTF-8 are U+FFFD by then. Such a body is refused, not guessed at.",
        GATEWAY["payloads"],
        ("api/chalicelib/parsing.py",),
        (
            Elsewhere(
                "tests/api/test_parsing.py::test_a_corrupted_character_is_refused_in_any_name_and_value_raw_or_escaped"
            ),
            Elsewhere("tests/e2e/orders/test_fuzz.py::test_raw_requests_get_no_5xx_and_no_refusal_that_is_no_problem"),
        ),
    ),
    Behaviour(
        "api-throttled",
        "A stage takes so many requests a second and so many at once; more is a 429.",
        GATEWAY["throttling"],
        ("infra/components/api.py",),
        (
            OnlyOnAws("the emulator keeps the limits and does not apply them."),
            Elsewhere("tests/infra/test_access.py::test_the_stages_limits_are_the_stacks_settings"),
        ),
    ),
    Behaviour(
        "api-29-seconds",
        "API Gateway gives up after 29 s, unless told otherwise, and answers 504 while the function runs on.",
        GATEWAY["limits"],
        ("infra/components/api.py", "infra/ops/front_door.py"),
        (
            OnlyOnAws("needs a function that sleeps for 30 s behind an API. Ours ends at 10 s."),
            Elsewhere("tests/infra/test_front_door.py::test_the_api_s_function_ends_long_before_the_gateway_gives_up"),
        ),
    ),
    Behaviour(
        "api-deployment",
        "What a stage serves changes with a new deployment only.",
        GATEWAY["deployments"],
        ("infra/components/api.py",),
        (
            OnlyOnAws("the emulator serves a changed route at once."),
            Elsewhere("tests/infra/test_front_door.py::test_a_changed_route_is_a_new_deployment"),
        ),
    ),
    Behaviour(
        "api-log-role",
        "API Gateway writes logs by one role per account and region, set for all of its APIs.",
        GATEWAY["logs"],
        ("infra/components/access_log.py",),
        (
            OnlyOnAws("setting it changes an account for everybody; declared only with `papel-proprio`."),
            Elsewhere("tests/infra/test_access.py::test_a_stack_may_log_by_the_role_the_account_has"),
        ),
    ),
)
