"""The topic, and the alarms that reach it: whatever the machine cannot settle, a person hears of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws as aws

from infra.observability.alarms import CLIENTES_AFETADOS, alarms, customers_hurt, described
from infra.observability.series import Sources
from policies.resources import topic_for_alarms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.components.machine import Machine
    from infra.config import Settings
    from infra.names import Names
    from infra.observability.alarms import Alarm
    from infra.observability.series import Series

__all__ = ["Alarms"]


class Alarms(pulumi.ComponentResource):
    """``cesta-saga-alertas`` and its alarms (`infra.observability.alarms`).

    The topic has no key of its own: an alarm carries no customer's data, and a topic encrypted with a key that
    CloudWatch may not use swallows alarms in silence (case C41).

    Attributes:
        sources: what is watched, and shown.
        topic: where the alarms go.
        names: the alarms' names, by suffix.
        arns: their ARNs, the composite one first.
    """

    def __init__(
        self, names: Names, settings: Settings, *, machines: Mapping[str, Machine], account: pulumi.Input[str]
    ) -> None:
        super().__init__("cesta:observacao:Alarmes", "alarmes")
        self._own = pulumi.ResourceOptions(parent=self)
        self._stack = names
        self.names: dict[str, pulumi.Output[str]] = {}
        self.arns: list[pulumi.Output[str]] = []
        self.topic = self._topic(names.topico, account, settings)
        arns = {key: machine.machine.arn for key, machine in machines.items()}
        self.sources = Sources(names, arns, detailed=settings.metricas_detalhadas)
        for alarm in alarms(self.sources, settings.limites, round_minutes=settings.intervalo_conciliador_minutos):
            self.add(alarm)
        self._composite()
        self.register_outputs({})

    def _topic(self, name: str, account: pulumi.Input[str], settings: Settings) -> aws.sns.Topic:
        over_tls, email = settings.somente_tls, settings.alertas_email
        topic = aws.sns.Topic("alertas", name=name, opts=self._own)
        aws.sns.TopicPolicy(
            "alertas",
            arn=topic.arn,
            policy=pulumi.Output.all(topic=topic.arn, account=account, region=aws.get_region_output().region).apply(
                lambda known: json.dumps(topic_for_alarms(**known, prefix=self._stack.alarme(""), over_tls=over_tls))
            ),
            opts=self._own,
        )
        if email is not None:
            aws.sns.TopicSubscription("alertas", topic=topic.arn, protocol="email", endpoint=email, opts=self._own)
        return topic

    def _composite(self) -> None:
        """Customers are hurt now; tells its end too, which is when whoever was woken may sleep again."""
        alarm = aws.cloudwatch.CompositeAlarm(
            CLIENTES_AFETADOS,
            alarm_name=self._stack.alarme(CLIENTES_AFETADOS),
            alarm_description=described(
                CLIENTES_AFETADOS, "Clientes estão sendo prejudicados agora. Veja qual destes alarmes o causou."
            ),
            alarm_rule=pulumi.Output.all(**self.names).apply(customers_hurt),
            alarm_actions=[self.topic.arn],
            ok_actions=[self.topic.arn],
            opts=self._own,
        )
        self.names[CLIENTES_AFETADOS] = alarm.alarm_name
        self.arns.insert(0, alarm.arn)

    def add(self, alarm: Alarm) -> None:
        """One more alarm of the stack, to its topic."""
        made = aws.cloudwatch.MetricAlarm(
            alarm.suffix,
            name=self._stack.alarme(alarm.suffix),
            alarm_description=described(alarm.suffix, alarm.says),
            evaluation_periods=alarm.periods,
            comparison_operator=alarm.comparison,
            treat_missing_data=alarm.missing,
            alarm_actions=[self.topic.arn],
            opts=self._own,
            **_watched(alarm),
        )
        self.names[alarm.suffix] = made.name
        self.arns.append(made.arn)


def _watched(alarm: Alarm) -> dict[str, Any]:
    """The arguments that say what is watched; two shapes, of which CloudWatch takes one or the other."""
    if alarm.expression is None:
        (series,) = alarm.series.values()
        return {"threshold": alarm.threshold, "period": alarm.period, **_single(series)}
    expression = {"id": "resultado", "expression": alarm.expression, "label": alarm.suffix, "return_data": True}
    queries = [expression, *(_query(key, series, alarm) for key, series in alarm.series.items())]
    if alarm.band:
        return {"metric_queries": queries, "threshold_metric_id": "resultado"}
    return {"metric_queries": queries, "threshold": alarm.threshold}


def _single(series: Series) -> dict[str, Any]:
    where = {"namespace": series.namespace, "metric_name": series.name, "dimensions": series.dimensions}
    if not series.stat.startswith("p"):
        return {**where, "statistic": series.stat}
    # "ignore" would never ring here: under 1,000 values a p99 alarm keeps the state it has ("Percentile-based alarms
    # and low data samples"), and 3,200 orders a day are 11 in five minutes.
    return {**where, "extended_statistic": series.stat, "evaluate_low_sample_count_percentiles": "evaluate"}


def _query(key: str, series: Series, alarm: Alarm) -> dict[str, Any]:
    return {
        "id": key,
        # The detector's band comes with the metric it is of.
        "return_data": alarm.band,
        "metric": {
            "namespace": series.namespace,
            "metric_name": series.name,
            "dimensions": series.dimensions,
            "stat": series.stat,
            "period": alarm.period,
        },
    }
