"""The metrics of a stack: AWS's own, as each service documents them, and ours.

A name or dimension that is wrong is silent: the alarm stays quiet for ever. `tests/infra/test_metrics.py` holds each
one used to the table of what AWS documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handlers.domain.metrics import FUNCAO, NAMESPACE, PILHA
from infra.names import ESTAGIO, INDICE_PENDENTES, INDICE_VERIFICACOES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from handlers.domain.metrics import Metrica
    from infra.names import Names

__all__ = ["Series", "Sources"]


@dataclass(frozen=True)
class Series:
    """One metric of one resource, by one statistic.

    Attributes:
        namespace: as ``AWS/SQS``.
        name: the metric's name.
        dimensions: which resource it is of.
        stat: as ``Sum``, or a percentile, ``p99``.
    """

    namespace: str
    name: str
    dimensions: Mapping[str, pulumi.Input[str]]
    stat: str


@dataclass(frozen=True)
class Sources:
    """Where a stack's metrics come from.

    Attributes:
        names: its physical names.
        machines: ARNs of its state machines, by key.
        detailed: whether its API has metrics by method and path; without them POST and GET are one.
    """

    names: Names
    machines: Mapping[str, pulumi.Input[str]]
    detailed: bool

    def queue(self, name: str, metric: str, stat: str = "Maximum") -> Series:
        """SQS, "Available CloudWatch metrics for Amazon SQS"."""
        return Series("AWS/SQS", metric, {"QueueName": name}, stat)

    def machine(self, key: str, metric: str, stat: str = "Sum") -> Series:
        """Step Functions, "Monitoring Step Functions metrics using Amazon CloudWatch": execution metrics."""
        return Series("AWS/States", metric, {"StateMachineArn": self.machines[key]}, stat)

    def starts(self, metric: str, stat: str = "Sum") -> Series:
        """StartExecution itself, over the whole account: same page, API metrics."""
        return Series("AWS/States", metric, {"APIName": "StartExecution"}, stat)

    def function(self, name: str, metric: str, stat: str = "Sum") -> Series:
        """Lambda, "Types of metrics for Lambda functions"."""
        return Series("AWS/Lambda", metric, {"FunctionName": name}, stat)

    def table(self, name: str, metric: str, *, index: str | None = None, stat: str = "Sum") -> Series:
        """DynamoDB, "DynamoDB metrics and dimensions": a table's metrics are without those of its indexes."""
        of_index = {} if index is None else {"GlobalSecondaryIndexName": index}
        return Series("AWS/DynamoDB", metric, {"TableName": name, **of_index}, stat)

    def post(self, metric: str, stat: str = "Sum") -> Series:
        """API Gateway, "Amazon API Gateway dimensions and metrics": POST where it is told apart, else the whole API."""
        method = {"Method": "POST", "Resource": "/pedidos"} if self.detailed else {}
        return Series("AWS/ApiGateway", metric, {"ApiName": self.names.api, "Stage": ESTAGIO, **method}, stat)

    def api(self, metric: str, stat: str = "Sum") -> Series:
        """The same page: the whole API."""
        return Series("AWS/ApiGateway", metric, {"ApiName": self.names.api, "Stage": ESTAGIO}, stat)

    def own(self, metrica: Metrica, function: str, stat: str = "Sum") -> Series:
        """What the code emits (`handlers.domain.metrics`), by the function's name without the stack's prefix."""
        return Series(NAMESPACE, metrica, {FUNCAO: function, PILHA: self.names.stack}, stat)

    def throttled_tables(self) -> dict[str, Series]:
        """Every throttle of a table or an index, by an id for metric math."""
        pedidos, estoque = self.names.tabela_pedidos, self.names.tabela_estoque
        targets = {
            "pedidos": (pedidos, None),
            "estoque": (estoque, None),
            "pendentes": (pedidos, INDICE_PENDENTES),
            "verificacoes": (pedidos, INDICE_VERIFICACOES),
        }
        return {
            f"{key}_{kind.lower()}": self.table(table, f"{kind}ThrottleEvents", index=index)
            for key, (table, index) in targets.items()
            for kind in ("Read", "Write")
        }

    def throttled_machines(self) -> dict[str, Series]:
        """Every throttle of Step Functions, by an id for metric math."""
        return {
            **{key: self.machine(key, "ExecutionThrottled") for key in self.machines},
            "inicios": self.starts("ThrottledEvents"),
        }

    def throttled_functions(self) -> dict[str, Series]:
        """Every throttle of a function, by an id for metric math."""
        return {f"f{n}": self.function(name, "Throttles") for n, name in enumerate(self.names.funcoes)}
