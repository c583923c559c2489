"""Log groups, alarms and the dashboard."""

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
        "extendedStatistic",
        "evaluateLowSampleCountPercentiles",
        "metricQueries",
        "thresholdMetricId",
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
        **_watched(inputs),
        "EvaluationPeriods": inputs.integer("evaluationPeriods"),
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


def _watched(inputs: Inputs) -> dict[str, Any]:
    """One metric, or an expression of several: PutMetricAlarm takes one or the other."""
    queries = inputs.blocks("metricQueries", ("id", "expression", "label", "metric", "returnData"))
    threshold = inputs.optional_string("thresholdMetricId")
    limit = {"Threshold": inputs.number("threshold")} if threshold is None else {"ThresholdMetricId": threshold}
    if queries:
        return {**limit, "Metrics": [_query(query) for query in queries]}
    watched = {
        **limit,
        "Namespace": inputs.string("namespace"),
        "MetricName": inputs.string("metricName"),
        "Dimensions": _dimensions(inputs),
        "Period": inputs.integer("period"),
    }
    percentile = inputs.optional_string("extendedStatistic")
    if percentile is None:
        return {**watched, "Statistic": inputs.string("statistic")}
    low_samples = inputs.string("evaluateLowSampleCountPercentiles")
    return {**watched, "ExtendedStatistic": percentile, "EvaluateLowSampleCountPercentile": low_samples}


def _query(query: Inputs) -> dict[str, Any]:
    made: dict[str, Any] = {"Id": query.string("id"), "ReturnData": query.boolean("returnData", default=True)}
    metric = query.block("metric", ("namespace", "metricName", "dimensions", "stat", "period"))
    if metric is None:
        return {**made, "Expression": query.string("expression"), "Label": query.optional_string("label") or ""}
    name = {"Namespace": metric.string("namespace"), "MetricName": metric.string("metricName")}
    made["MetricStat"] = {
        "Metric": {**name, "Dimensions": _dimensions(metric)},
        "Period": metric.integer("period"),
        "Stat": metric.string("stat"),
    }
    return made


def _dimensions(inputs: Inputs) -> list[dict[str, str]]:
    return [{"Name": key, "Value": value} for key, value in inputs.string_map("dimensions").items()]


@creates(
    "aws:cloudwatch/compositeAlarm:CompositeAlarm",
    handled=("alarmName", "alarmDescription", "alarmRule", "alarmActions", "okActions", "tags"),
)
def composite_alarm(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("cloudwatch")
    name = inputs.string("alarmName")
    client.put_composite_alarm(
        AlarmName=name,
        AlarmDescription=inputs.optional_string("alarmDescription") or "",
        AlarmRule=inputs.string("alarmRule"),
        AlarmActions=inputs.strings("alarmActions"),
        OKActions=inputs.strings("okActions"),
        Tags=[{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()],
    )
    described = client.describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])
    return Outputs(name, {"arn": described["CompositeAlarms"][0].get("AlarmArn", "")})


@creates("aws:cloudwatch/dashboard:Dashboard", handled=("dashboardName", "dashboardBody"))
def dashboard(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("cloudwatch")
    name = inputs.string("dashboardName")
    client.put_dashboard(DashboardName=name, DashboardBody=inputs.string("dashboardBody"))
    return Outputs(name, {"dashboardArn": client.get_dashboard(DashboardName=name)["DashboardArn"]})


CREATORS = (log_group, metric_alarm, composite_alarm, dashboard)
