"""The alarm watcher rings by each alarm's own queue; the stock is put as promised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from infra.local.alarm_watcher import AlarmWatcher
from infra.local.processes import poll_until
from infra.local.seed import SKUS, seed

if TYPE_CHECKING:
    from infra.local.deploy import Deployment
    from infra.local.emulator import AwsLocal

pytestmark = pytest.mark.e2e


def put_alarm(aws: AwsLocal, name: str, queue: str, topic: str, *, comparison: str, threshold: float) -> None:
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName=name,
        Namespace="AWS/SQS",
        MetricName="ApproximateNumberOfMessagesVisible",
        Dimensions=[{"Name": "QueueName", "Value": queue}],
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=threshold,
        ComparisonOperator="GreaterThanThreshold" if comparison == ">" else "GreaterThanOrEqualToThreshold",
        AlarmActions=[topic],
    )


def subscribed_inbox(aws: AwsLocal) -> tuple[str, str]:
    """URL of a queue that gets what is published, and the topic to publish to."""
    inbox = aws.client("sqs").create_queue(QueueName="watched-inbox")["QueueUrl"]
    topic = aws.client("sns").create_topic(Name="watched-topic")["TopicArn"]
    arn = f"arn:aws:sqs:{aws.region}:{aws.account_id}:watched-inbox"
    aws.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    return inbox, topic


def states(aws: AwsLocal, prefix: str) -> dict[str, str]:
    alarms = aws.client("cloudwatch").describe_alarms(AlarmNamePrefix=prefix)["MetricAlarms"]
    return {alarm.get("AlarmName", ""): alarm.get("StateValue", "") for alarm in alarms}


def await_states(aws: AwsLocal, prefix: str, wanted: dict[str, str]) -> None:
    poll_until(lambda: True if states(aws, prefix) == wanted else None, awaited=f"the states {wanted}", seconds=15)


def test_an_alarm_rings_for_its_own_queue_and_stops_when_it_is_empty(
    emulator: AwsLocal,
) -> None:
    queues = emulator.client("sqs")
    inbox, topic = subscribed_inbox(emulator)
    full = queues.create_queue(QueueName="watched-full")["QueueUrl"]
    queues.create_queue(QueueName="watched-empty")
    put_alarm(emulator, "watched-full", "watched-full", topic, comparison=">=", threshold=1)
    put_alarm(emulator, "watched-above-one", "watched-full", topic, comparison=">", threshold=1)
    put_alarm(emulator, "watched-empty", "watched-empty", topic, comparison=">=", threshold=1)

    with AlarmWatcher(emulator, interval=0.1):
        queues.send_message(QueueUrl=full, MessageBody="help")
        await_states(emulator, "watched", {"watched-full": "ALARM", "watched-above-one": "OK", "watched-empty": "OK"})
        # Setting the state ran the alarm's action: the topic's subscriber was told, once.
        told = queues.receive_message(QueueUrl=inbox, MaxNumberOfMessages=10, WaitTimeSeconds=5)
        notices = [json.loads(json.loads(message.get("Body", ""))["Message"]) for message in told.get("Messages", [])]
        assert [(notice["AlarmName"], notice["NewStateValue"]) for notice in notices] == [("watched-full", "ALARM")]

        queues.purge_queue(QueueUrl=full)
        await_states(emulator, "watched", {"watched-full": "OK", "watched-above-one": "OK", "watched-empty": "OK"})


def test_the_alarm_a_program_declares_is_found_by_itself(emulator: AwsLocal, deployment: Deployment) -> None:
    queues = emulator.client("sqs")
    with AlarmWatcher(emulator, interval=0.1):
        queues.send_message(QueueUrl=deployment.outputs["dlq"], MessageBody="help")
        await_states(emulator, "sample-alarm", {"sample-alarm": "ALARM"})


def test_the_stock_starts_with_every_sku_free_and_unreserved(emulator: AwsLocal) -> None:
    client = emulator.client("dynamodb")
    client.create_table(
        TableName="seeded",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "sku", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "sku", "AttributeType": "S"}],
    )
    seed(emulator, "seeded")
    items = {item["sku"].get("S"): item for item in client.scan(TableName="seeded")["Items"]}
    assert {sku: int(item["saldo"].get("N", "")) for sku, item in items.items()} == {
        "sku-abc": 1000,
        "sku-cafe-500g": 500,
        "sku-ultimo": 1,
        "sku-zerado": 0,
    }
    assert items.keys() == SKUS.keys()
    assert all(item["reservas"] == {"M": {}} for item in items.values())
