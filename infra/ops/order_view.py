"""Where an order stopped: its row, its executions, its stock and its money, in one view for support and on-call.

The wording is Portuguese: support reads it as it is.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

from handlers.domain.status import Status, etapa_do_cliente
from infra.ops.actors import actors
from infra.ops.dossier import read_dossier
from infra.ops.errors_told import last_error, reason
from infra.ops.intervention import case_of
from infra.ops.next_step import next_step
from infra.ops.summary import summary
from infra.ops.timeline import expired, timeline
from infra.ops.words import iso

if TYPE_CHECKING:
    from infra.ops.actors import Actor
    from infra.ops.dossier import Dossier
    from infra.ops.errors_told import ErrorView
    from infra.ops.history import Execution
    from infra.ops.money import MoneyView
    from infra.ops.next_step import Action
    from infra.ops.summary import Summary
    from infra.ops.target import Target
    from infra.ops.timeline import Line

__all__ = ["ExecutionView", "OrderView", "StockView", "look"]

MISSING, EXPIRED = "INEXISTENTE", "EXPIRADA"


class ExecutionView(TypedDict):
    """The order's last execution; status INEXISTENTE when none ever started, EXPIRADA when it is over 90 days old."""

    arn: str
    status: str


class PastExecution(ExecutionView):
    """One of its executions; moments are ISO-8601 UTC, ``fim`` null while it runs."""

    nome: str
    inicio: str
    fim: str | None


class StockView(TypedDict):
    """Units the order still holds, and of what it asked how many."""

    reservado: int
    sku: str
    quantidade: int


class OrderView(TypedDict):
    """The shape of ``cesta pedido ID --json`` (design §10), and more."""

    pedidoId: str
    status: str
    etapa: str
    execucao: ExecutionView
    linha: list[Line]
    estoque: StockView
    dinheiro: MoneyView
    ultimoErro: str | None
    caso: dict[str, Any] | None
    proximoPasso: str
    resumo: Summary
    motivo: ErrorView | None
    erro: ErrorView | None
    quemAgiu: list[Actor]
    execucoes: list[PastExecution]
    acao: Action
    comando: str
    alvo: str
    vistoEm: str


def look(target: Target, pedido_id: str, *, now: datetime | None = None) -> OrderView:
    """Everything known of the order at the moment ``now`` (this one, by default); raises `UnknownOrderError`."""
    dossier = read_dossier(target, pedido_id)
    moment = now or datetime.now(UTC)
    row, case = dossier.row, case_of(dossier)
    lines = timeline(dossier, moment)
    error = last_error(dossier)
    stack = "" if target.alvo == "local" else f" --alvo {target.alvo} --stack {target.stack}"
    step = next_step(case, dossier, stack)
    return {
        "pedidoId": pedido_id,
        "status": row["status"],
        "etapa": etapa_do_cliente(Status(row["status"]), row.get("cobranca", {}).get("estado")).value,
        "execucao": _execution(target, dossier),
        "linha": lines,
        "estoque": {"reservado": case.reserved, "sku": row["sku"], "quantidade": row["quantidade"]},
        "dinheiro": case.money,
        "ultimoErro": error["nome"] if error is not None else row.get("motivo"),
        "caso": row.get("caso"),
        "proximoPasso": step.text,
        "resumo": summary(case, dossier, moment),
        "motivo": reason(row),
        "erro": error,
        "quemAgiu": actors(dossier, lines),
        "execucoes": [_past(execution) for execution in dossier.executions],
        "acao": step.action,
        "comando": step.command,
        "alvo": f"stack {target.stack}" if target.alvo == "aws" else "pilha local",
        "vistoEm": iso(moment),
    }


def _execution(target: Target, dossier: Dossier) -> ExecutionView:
    last = dossier.last
    if last is not None:
        return {"arn": last.arn, "status": last.status}
    return {"arn": target.execution_arn(dossier.pedido_id), "status": EXPIRED if expired(dossier) else MISSING}


def _past(execution: Execution) -> PastExecution:
    return {
        "arn": execution.arn,
        "status": execution.status,
        "nome": execution.name,
        "inicio": iso(execution.started),
        "fim": iso(execution.stopped) if execution.stopped is not None else None,
    }
