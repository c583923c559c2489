"""Log groups and alarms."""

from __future__ import annotations

from typing import Any

from infra.local.creators.base import Context, Inputs, Outputs, creates

__all__ = ["CREATORS"]


@creates("aws:cloudwatch/logGroup:LogGroup", handled=("name", "retentionInDays", "tags"))
def log_group(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("logs")
    name = inputs.string("name")
    client.create_log_group(logGroupName=name, tags=inputs.string_map("tags"))
    if (days := inputs.optional_integer("retentionInDays")) is not None:
        client.put_retention_policy(logGroupName=name, retentionInDays=days)
    # As the provider answers: without the trailing ":*".
    arn = f"arn:aws:logs:{context.aws.region}:{context.aws.account_id}:log-group:{name}"
    return Outputs(name, {"arn": arn})


@creates(
    "aws:cloudwatch/metricAlarm:MetricAlarm",
    handled=(
        "name",
        "alarmDescription",
        "namespace",
        "metricName",
        "dimensions",
        "statistic",
        "period",
        "evaluationPeriods",
        "datapointsToAlarm",
        "threshold",
        "comparisonOperator",
        "treatMissingData",
        "alarmActions",
        "okActions",
        "tags",
    ),
)
def metric_alarm(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("cloudwatch")
    name = inputs.string("name")
    # Built as a map because the stubs want several of these texts as literals; the emulator validates them.
    arguments: dict[str, Any] = {
        "AlarmName": name,
        "AlarmDescription": inputs.optional_string("alarmDescription") or "",
        "Namespace": inputs.string("namespace"),
        "MetricName": inputs.string("metricName"),
        "Dimensions": [{"Name": key, "Value": value} for key, value in inputs.string_map("dimensions").items()],
        "Statistic": inputs.string("statistic"),
        "Period": inputs.integer("period"),
        "EvaluationPeriods": inputs.integer("evaluationPeriods"),
        "Threshold": inputs.number("threshold"),
        "ComparisonOperator": inputs.string("comparisonOperator"),
        "TreatMissingData": inputs.optional_string("treatMissingData") or "missing",
        "AlarmActions": inputs.strings("alarmActions"),
        "OKActions": inputs.strings("okActions"),
        "Tags": [{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()],
    }
    if (datapoints := inputs.optional_integer("datapointsToAlarm")) is not None:
        arguments["DatapointsToAlarm"] = datapoints
    client.put_metric_alarm(**arguments)
    arn = client.describe_alarms(AlarmNames=[name])["MetricAlarms"][0].get("AlarmArn", "")
    return Outputs(name, {"arn": arn})


CREATORS = (log_group, metric_alarm)
