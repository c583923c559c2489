"""The topic, and the alarms that reach it: whatever the machine cannot settle, a person hears of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from policies.resources import topic_for_alarms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.components.machine import Machine
    from infra.components.queues import Queues
    from infra.components.reconciler import Reconciler
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Alarms"]

_MINUTE: Final = 60
_OLDEST_SECONDS: Final = 300
"""An order waits for the starter for seconds; after two redeliveries something is wrong."""
_FAILURES: Final = {
    "falhou": ("ExecutionsFailed", "terminaram em falha"),
    "expirou": ("ExecutionsTimedOut", "passaram do prazo"),
    "abortada": ("ExecutionsAborted", "foram interrompidas"),
}
"""A saga that undid itself SUCCEEDS (design §4): each of these is always trouble."""


class Alarms(pulumi.ComponentResource):
    """``cesta-saga-alertas`` and its alarms.

    The topic has no key of its own: an alarm carries no customer's data, and a topic encrypted with a key that
    CloudWatch may not use swallows alarms in silence (case C41).

    Attributes:
        topic: where the alarms go.
        names: the alarms' names, by what they watch.
    """

    def __init__(
        self,
        names: Names,
        settings: Settings,
        *,
        queues: Queues,
        machines: Mapping[str, Machine],
        reconciler: Reconciler,
        account: pulumi.Input[str],
    ) -> None:
        super().__init__("cesta:observacao:Alarmes", "alarmes")
        self._own = pulumi.ResourceOptions(parent=self)
        self._stack = names
        self.names: dict[str, pulumi.Output[str]] = {}
        self.topic = self._topic(names.topico, account, settings)
        self._queue_alarms(queues)
        for key, machine in machines.items():
            self._machine_alarms(key, machine)
        self._reconciler_alarms(reconciler)
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

    def _queue_alarms(self, queues: Queues) -> None:
        visible = "ApproximateNumberOfMessagesVisible"
        self.watch(
            "compensacao-pendente",
            "Há pedidos esperando a decisão de uma pessoa: cesta intervencao listar. O que fazer: docs/runbook.md",
            metric=f"AWS/SQS/{visible}",
            dimensions={"QueueName": queues.humana.name},
        )
        # The one above stays red while any case waits, and an alarm tells only of changes: this one rings for each
        # case anew (CloudWatch, "Using Amazon CloudWatch alarms": actions run on state transitions).
        self.watch(
            "caso-novo",
            "Mais um pedido precisa da decisão de uma pessoa: cesta intervencao listar. O que fazer: docs/runbook.md",
            metric="AWS/SQS/NumberOfMessagesSent",
            dimensions={"QueueName": queues.humana.name},
            statistic="Sum",
        )
        self.watch(
            "pedidos-na-dlq",
            "Há pedidos aceitos cuja saga não pôde ser iniciada: veja as mensagens da DLQ e o log do iniciador.",
            metric=f"AWS/SQS/{visible}",
            dimensions={"QueueName": queues.criados_dlq.name},
        )
        self.watch(
            "pedidos-parados",
            f"O pedido mais antigo da fila espera há mais de {_OLDEST_SECONDS} s: veja o log do iniciador.",
            metric="AWS/SQS/ApproximateAgeOfOldestMessage",
            dimensions={"QueueName": queues.criados.name},
            threshold=_OLDEST_SECONDS,
        )

    def _machine_alarms(self, key: str, machine: Machine) -> None:
        for ending, (metric, what) in _FAILURES.items():
            self.watch(
                f"{key}-{ending}",
                f"Execuções da saga ({key}) {what}. Veja onde cada pedido parou: cesta pedido <ID>",
                metric=f"AWS/States/{metric}",
                dimensions={"StateMachineArn": machine.machine.arn},
                statistic="Sum",
            )

    def _reconciler_alarms(self, reconciler: Reconciler) -> None:
        self.watch(
            "conciliador-falhou",
            "O conciliador não completou uma rodada ou um aviso: pedidos parados podem não ser vistos. Veja o log.",
            metric="AWS/Lambda/Errors",
            dimensions={"FunctionName": reconciler.function.name},
            statistic="Sum",
        )
        self.watch(
            "pedidos-nao-conciliados",
            "O conciliador não conseguiu examinar alguns pedidos: veja o log dele (pedido não conciliado).",
            metric="Cesta/ConciliacoesFalhadas",
            dimensions={"service": "conciliador"},
            statistic="Sum",
        )

    def watch(
        self,
        suffix: str,
        description: str,
        *,
        metric: str,
        dimensions: Mapping[str, pulumi.Input[str]],
        threshold: int = 0,
        statistic: str = "Maximum",
    ) -> None:
        """An alarm of the stack, to its topic, on a metric that is above a threshold for a minute.

        Args:
            suffix: of its name, and its key in ``names``.
            description: what is wrong and where to look, for the person it calls.
            metric: namespace and name, ``AWS/SQS/ApproximateAgeOfOldestMessage``.
            dimensions: which resource's metric.
            threshold: what is still all right.
            statistic: over the minute.
        """
        namespace, _, metric_name = metric.rpartition("/")
        alarm = aws.cloudwatch.MetricAlarm(
            suffix,
            name=self._stack.alarme(suffix),
            alarm_description=description,
            namespace=namespace,
            metric_name=metric_name,
            dimensions=dimensions,
            statistic=statistic,
            period=_MINUTE,
            evaluation_periods=1,
            threshold=threshold,
            comparison_operator="GreaterThanThreshold",
            # A queue nobody writes to stops sending metrics: that is health, not missing evidence.
            treat_missing_data="notBreaching",
            alarm_actions=[self.topic.arn],
            opts=self._own,
        )
        self.names[suffix] = alarm.name
