"""Every execution of an order: the saga's own, then those that resumed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.reconciliation_executions import arn_da_execucao, nome_da_retomada
from infra.ops.history import read_execution

if TYPE_CHECKING:
    from infra.ops.history import Execution
    from infra.ops.target import Target

__all__ = ["ASKING", "executions_of", "is_asking", "resumption_arn"]

ASKING = ("CompensacaoFalhouParaFilaHumana", "PendenciaParaFilaHumana")
"""The states in which an execution waits for a person."""


def resumption_arn(target: Target, pedido_id: str, n: int) -> str:
    """ARN of the order's ``n``-th resumption, from 1."""
    return arn_da_execucao(target.maquinas["retomada"], nome_da_retomada(pedido_id, n))


def executions_of(target: Target, pedido_id: str) -> tuple[Execution, ...]:
    """The executions there are, oldest first; the last one answers for the order."""
    found: list[Execution] = []
    first = read_execution(target.sfn, target.execution_arn(pedido_id))
    if first is not None:
        found.append(first)
    n = 1
    while (resumed := read_execution(target.sfn, resumption_arn(target, pedido_id, n))) is not None:
        found.append(resumed)
        n += 1
    return tuple(found)


def is_asking(execution: Execution) -> bool:
    """Whether it waits for a person right now."""
    return execution.status == "RUNNING" and bool(execution.visits) and execution.visits[-1].state in ASKING
