"""EventBridge rules and their targets."""

from __future__ import annotations

from typing import Any

from infra.local.creators.base import Context, Inputs, Outputs, creates

__all__ = ["CREATORS"]


@creates(
    "aws:cloudwatch/eventRule:EventRule",
    handled=("name", "description", "eventPattern", "scheduleExpression", "tags"),
)
def event_rule(inputs: Inputs, context: Context) -> Outputs:
    optional: dict[str, Any] = {}
    if pattern := inputs.optional_string("eventPattern"):
        optional["EventPattern"] = pattern
    if schedule := inputs.optional_string("scheduleExpression"):
        optional["ScheduleExpression"] = schedule
    name = inputs.string("name")
    arn = context.aws.client("events").put_rule(
        Name=name,
        Description=inputs.optional_string("description") or "",
        Tags=[{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()],
        **optional,
    )["RuleArn"]
    return Outputs(name, {"arn": arn})


@creates(
    "aws:cloudwatch/eventTarget:EventTarget",
    handled=("rule", "arn", "targetId", "retryPolicy", "deadLetterConfig"),
)
def event_target(inputs: Inputs, context: Context) -> Outputs:
    # The provider makes one up where none is given.
    target_id = inputs.optional_string("targetId") or inputs.name
    target: dict[str, Any] = {"Id": target_id, "Arn": inputs.string("arn")}
    if retries := inputs.block("retryPolicy", ("maximumEventAgeInSeconds", "maximumRetryAttempts")):
        target["RetryPolicy"] = {
            "MaximumEventAgeInSeconds": retries.integer("maximumEventAgeInSeconds"),
            "MaximumRetryAttempts": retries.integer("maximumRetryAttempts"),
        }
    if dead := inputs.block("deadLetterConfig", ("arn",)):
        target["DeadLetterConfig"] = {"Arn": dead.string("arn")}
    rule = inputs.string("rule")
    typed: Any = [target]
    context.aws.client("events").put_targets(Rule=rule, Targets=typed)
    return Outputs(f"{rule}-{target_id}", {"targetId": target_id})


CREATORS = (event_rule, event_target)
"""EventBridge's own types: Pulumi keeps them under the name CloudWatch Events had."""
