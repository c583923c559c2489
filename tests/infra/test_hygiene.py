"""Sweeps over everything a stack declares: what holds for one resource of a kind holds for the next one too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pulumi
import pytest

from infra.dry_run import arn_of
from policies.evaluation.evaluator import Evaluator, Request
from tests.infra.harness import GATEWAY, run_program

if TYPE_CHECKING:
    from policies.documents import PolicyDocument
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

UNNAMED_BY_AWS = {
    "aws:apigateway/account:Account",
    "aws:apigateway/deployment:Deployment",
    "aws:apigateway/methodSettings:MethodSettings",
    "aws:apigateway/response:Response",
    "aws:apigateway/stage:Stage",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:cloudwatch/logDataProtectionPolicy:LogDataProtectionPolicy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:lambda/eventSourceMapping:EventSourceMapping",
    "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig",
    "aws:lambda/permission:Permission",
    "aws:sns/topicPolicy:TopicPolicy",
    "aws:sns/topicSubscription:TopicSubscription",
    "aws:sqs/queuePolicy:QueuePolicy",
    "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy",
}
"""Types that are part of another resource, or known by an id AWS makes up."""


def test_everything_that_can_have_a_name_has_it_written_out(stack: Run) -> None:
    """A name made up by Pulumi has a random end: a replacement would leave two, in silence, and the old one's data."""
    for resource in stack.resources:
        if resource.typ not in UNNAMED_BY_AWS:
            assert resource.physical_name, resource.urn


def test_in_prod_what_holds_data_that_is_nowhere_else_cannot_be_replaced(prod: Run) -> None:
    kept = {resource.inputs["name"] for resource in prod.resources if resource.protect}
    assert kept >= {"cesta-pedidos", "cesta-estoque", "cesta-compensacao-falhou"}
    for resource in prod.of("dynamodb/table:Table"):
        assert resource.inputs["deletionProtectionEnabled"]
        assert resource.retain_on_delete


def test_every_log_expires(stack: Run) -> None:
    groups = stack.of("cloudwatch/logGroup:LogGroup")
    assert len(groups) > 10
    assert all(group.inputs["retentionInDays"] > 0 for group in groups)


def test_a_machine_logs_under_the_prefix_that_one_resource_policy_covers(stack: Run) -> None:
    for machine in stack.of("sfn/stateMachine:StateMachine"):
        group = machine.inputs["loggingConfiguration"]["logDestination"]
        assert f":log-group:/aws/vendedlogs/states/{machine.inputs['name']}:*" in group


def test_encryption_is_stated_wherever_it_can_be(stack: Run) -> None:
    assert all(table.inputs["serverSideEncryption"] == {"enabled": True} for table in stack.of("dynamodb/table:Table"))
    assert all(table.inputs["pointInTimeRecovery"] == {"enabled": True} for table in stack.of("dynamodb/table:Table"))
    assert all(queue.inputs["sqsManagedSseEnabled"] for queue in stack.of("sqs/queue:Queue"))


def test_no_topic_has_a_key_that_cloudwatch_could_not_use(stack: Run) -> None:
    """Case C41: an alarm to a topic under a key CloudWatch may not use goes red and tells nobody."""
    assert not [topic for topic in stack.of("sns/topic:Topic") if "kmsMasterKeyId" in topic.inputs]


def test_every_dead_letter_queue_outlives_the_queue_it_serves(stack: Run) -> None:
    retention = {
        arn_of("aws:sqs/queue:Queue", queue.inputs["name"]): queue.inputs["messageRetentionSeconds"]
        for queue in stack.of("sqs/queue:Queue")
    }
    served = [queue for queue in stack.of("sqs/queue:Queue") if "redrivePolicy" in queue.inputs]
    assert served
    for queue in served:
        dead = json.loads(queue.inputs["redrivePolicy"])["deadLetterTargetArn"]
        assert retention[dead] > queue.inputs["messageRetentionSeconds"]


def test_the_topic_takes_every_alarm_of_the_stack_and_no_other(stack: Run) -> None:
    (policy,) = stack.of("sns/topicPolicy:TopicPolicy")
    document: PolicyDocument = json.loads(policy.inputs["policy"])
    topic = policy.inputs["arn"]
    alarms = [*stack.of("cloudwatch/metricAlarm:MetricAlarm"), *stack.of("cloudwatch/compositeAlarm:CompositeAlarm")]
    assert len(alarms) > 20

    def takes(alarm: str, account: str) -> bool:
        context = {"aws:SourceArn": alarm, "aws:SourceAccount": account, "aws:SecureTransport": "true"}
        request = Request("sns:Publish", topic, "cloudwatch.amazonaws.com", context)
        return Evaluator(document).allowed_by(request) is not None

    own = topic.split(":")[4]
    for alarm in alarms:
        arn = arn_of(alarm.typ, alarm.physical_name)
        assert alarm.inputs["alarmActions"] == [topic]
        assert takes(arn, own)
        assert not takes(arn, "999999999999")
        assert not takes(arn.replace(own, "999999999999"), own)
    assert not takes(f"arn:aws:cloudwatch:us-east-1:{own}:alarm:outro", own)


def test_the_topic_refuses_plain_http_but_on_the_emulator(dev: Run, prod: Run, local: Run) -> None:
    refuses = {}
    for run in (dev, prod, local):
        (policy,) = run.of("sns/topicPolicy:TopicPolicy")
        effects = [statement["Effect"] for statement in json.loads(policy.inputs["policy"])["Statement"]]
        refuses[run.stack] = "Deny" in effects
    assert refuses == {"dev": True, "prod": True, "local": False}


@pytest.mark.parametrize(
    ("setting", "word"),
    [({"cesta:injecaoDeFalhas": "true"}, "injecaoDeFalhas"), ({"cesta:authorizer": "none"}, "authorizer")],
)
def test_prod_does_not_preview_with_its_doors_open(setting: dict[str, str], word: str) -> None:
    with pytest.raises(pulumi.RunError, match=word):
        run_program("prod", GATEWAY | setting, first_preview=True)
