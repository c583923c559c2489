"""From a metric to somebody's telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import GATEWAY, run_program

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_the_human_queues_alarm_watches_that_queue_and_rings(stack: Run) -> None:
    names = stack.names
    alarm = stack.one("cloudwatch/metricAlarm:MetricAlarm", f"{names.prefix}-saga-compensacao-pendente").inputs
    assert alarm["namespace"] == "AWS/SQS"
    assert alarm["metricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarm["dimensions"] == {"QueueName": names.fila_humana}
    assert (alarm["statistic"], alarm["comparisonOperator"], alarm["threshold"]) == (
        "Maximum",
        "GreaterThanThreshold",
        0,
    )
    assert (alarm["period"], alarm["evaluationPeriods"]) == (60, 1)


def test_each_new_case_rings_though_others_wait_already(stack: Run) -> None:
    alarm = stack.one("cloudwatch/metricAlarm:MetricAlarm", f"{stack.names.prefix}-saga-caso-novo").inputs
    assert (alarm["namespace"], alarm["metricName"]) == ("AWS/SQS", "NumberOfMessagesSent")
    assert (alarm["statistic"], alarm["period"], alarm["threshold"]) == ("Sum", 60, 0)
    # Back to OK a minute later, so that the next case is a change again.
    assert alarm["treatMissingData"] == "notBreaching"


def test_what_is_watched_is_all_that_can_go_wrong(stack: Run) -> None:
    names = stack.names
    watched = {
        (alarm.inputs["namespace"], alarm.inputs["metricName"], *alarm.inputs["dimensions"].items())
        for alarm in stack.of("cloudwatch/metricAlarm:MetricAlarm")
    }
    machines = [stack.exports["maquinaPedidoArn"], stack.exports["maquinaRetomadaArn"]]
    visible = "ApproximateNumberOfMessagesVisible"
    cards = ("AWS/Logs", "IncomingLogEvents", ("LogGroupName", names.logs_de_achados))
    assert watched == {
        *(() if stack.stack == "local" else (cards,)),
        ("AWS/SQS", visible, ("QueueName", names.fila_humana)),
        ("AWS/SQS", "NumberOfMessagesSent", ("QueueName", names.fila_humana)),
        ("AWS/SQS", visible, ("QueueName", names.fila_criados_dlq)),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage", ("QueueName", names.fila_criados)),
        ("AWS/Lambda", "Errors", ("FunctionName", names.funcao_conciliador)),
        ("Cesta", "ConciliacoesFalhadas", ("service", "conciliador")),
        *(
            ("AWS/States", metric, ("StateMachineArn", arn))
            for metric in ("ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted")
            for arn in machines
        ),
    }


def test_every_alarm_reaches_a_topic_cloudwatch_may_publish_to(stack: Run) -> None:
    (topic,) = stack.of("sns/topic:Topic")
    (policy,) = stack.of("sns/topicPolicy:TopicPolicy")
    alarms = stack.of("cloudwatch/metricAlarm:MetricAlarm")
    assert alarms
    for alarm in alarms:
        assert alarm.inputs["alarmActions"] == [stack.exports["topicoArn"]]
        assert alarm.inputs["treatMissingData"] == "notBreaching"
    # A topic with a key of its own would also need a key policy: alarms would be lost in silence (C41).
    assert "kmsMasterKeyId" not in topic.inputs
    # That its policy takes each of these alarms is in test_hygiene.
    assert policy.inputs["arn"] == stack.exports["topicoArn"]


def test_an_address_is_subscribed_where_the_stack_gives_one(dev: Run) -> None:
    assert dev.of("sns/topicSubscription:TopicSubscription") == []
    run = run_program("dev", GATEWAY | {"cesta:alertasEmail": "plantao@cesta.example"})
    (subscription,) = run.of("sns/topicSubscription:TopicSubscription")
    assert (subscription.inputs["protocol"], subscription.inputs["endpoint"]) == ("email", "plantao@cesta.example")
