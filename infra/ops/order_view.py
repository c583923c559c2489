"""Where an order stopped: its row, its execution, its stock and its money, in one view for support and on-call.

The wording is Portuguese: support reads it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from handlers.domain.status import Status, etapa_do_cliente
from infra.ops.errors import UnknownOrderError
from infra.ops.executions import ASKING, executions_of, is_asking
from infra.ops.facts import Facts

if TYPE_CHECKING:
    from datetime import datetime

    from infra.ops.facts import OrderRow
    from infra.ops.history import Execution, Visit
    from infra.ops.target import Target

__all__ = ["OrderView", "look"]

Situacao = Literal["nada", "cobrado", "estornado", "em_duvida"]


class ExecutionView(TypedDict):
    """The order's execution; status INEXISTENTE when none was ever started."""

    arn: str
    status: str


class Line(TypedDict):
    """One line of the timeline: `em` is ISO-8601 UTC, `tentativas` counts attempts of the state's task."""

    em: str
    estado: str
    evento: str
    tentativas: int


class StockView(TypedDict):
    """Units the order still holds."""

    reservado: int


class MoneyView(TypedDict):
    """Centavos by the payment ledger of the order's row."""

    cobrado: int
    estornado: int
    situacao: Situacao


class OrderView(TypedDict):
    """The shape of ``cesta pedido ID --json`` (design §10)."""

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


def look(target: Target, pedido_id: str) -> OrderView:
    """Everything known of the order; raises `UnknownOrderError`."""
    facts = Facts(target)
    row = facts.order(pedido_id)
    if row is None:
        raise UnknownOrderError(pedido_id, target.tabelas["pedidos"])
    executions = executions_of(target, pedido_id)
    execution = executions[-1] if executions else None
    arn = execution.arn if execution is not None else target.execution_arn(pedido_id)
    stock = facts.stock(row["sku"])
    seen = _Seen(row, execution, stock.reserved(pedido_id) if stock is not None else 0, money(row))
    return {
        "pedidoId": pedido_id,
        "status": row["status"],
        "etapa": etapa_do_cliente(Status(row["status"]), row.get("cobranca", {}).get("estado")).value,
        "execucao": {"arn": arn, "status": execution.status if execution is not None else "INEXISTENTE"},
        "linha": _timeline(executions, row),
        "estoque": {"reservado": seen.reserved},
        "dinheiro": seen.money,
        "ultimoErro": _last_error(executions, row),
        "caso": row.get("caso"),
        "proximoPasso": _next_step(seen),
    }


@dataclass(frozen=True)
class _Seen:
    row: OrderRow
    execution: Execution | None
    reserved: int
    money: MoneyView

    @property
    def status(self) -> Status:
        return Status(self.row["status"])


def money(row: OrderRow) -> MoneyView:
    """What the ledger says was taken and given back."""
    charge: dict[str, Any] = row.get("cobranca", {})
    refund: dict[str, Any] = row.get("estorno", {})
    taken = charge.get("valorCentavos", 0) if charge.get("estado") == "APROVADA" else 0
    returned = taken if refund.get("estado") == "CONCLUIDO" else 0
    return {"cobrado": taken, "estornado": returned, "situacao": _situation(charge, taken, returned)}


def _situation(charge: dict[str, Any], taken: int, returned: int) -> Situacao:
    if charge.get("estado") == "INICIADA":
        return "em_duvida"
    if taken == 0:
        return "nada"
    return "estornado" if returned == taken else "cobrado"


# --- The timeline --------------------------------------------------------------------------------------------------


def _timeline(executions: tuple[Execution, ...], row: OrderRow) -> list[Line]:
    lines: list[Line] = [
        {"em": row["criadoEm"], "estado": "POST /pedidos", "evento": "pedido recebido", "tentativas": 1}
    ]
    for n, execution in enumerate(executions):
        if n > 0:
            started = "retomado por uma pessoa"
            lines.append({"em": _iso(execution.started), "estado": "(retomada)", "evento": started, "tentativas": 0})
        lines += [_line(visit, last=visit is execution.visits[-1], execution=execution) for visit in execution.visits]
        if execution.stopped is not None:
            ended = f"execução terminou: {execution.status}"
            lines.append({"em": _iso(execution.stopped), "estado": "(fim)", "evento": ended, "tentativas": 0})
    return lines


def _line(visit: Visit, *, last: bool, execution: Execution) -> Line:
    return {
        "em": _iso(visit.entered),
        "estado": visit.state,
        "evento": _event(visit, last=last, execution=execution),
        "tentativas": visit.attempts,
    }


def _event(visit: Visit, *, last: bool, execution: Execution) -> str:
    if last and execution.status == "RUNNING":
        if visit.state in ASKING:
            return "aguardando decisão de uma pessoa"
        return f"em andamento, última falha {visit.error}" if visit.error else "em andamento"
    if visit.failed:
        return f"falhou: {visit.error}"
    if last and execution.status in {"ABORTED", "TIMED_OUT"}:
        return "interrompido"
    return f"concluído após {visit.error}" if visit.error else "concluído"


def _iso(moment: datetime) -> str:
    return moment.astimezone(tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _last_error(executions: tuple[Execution, ...], row: OrderRow) -> str | None:
    errors = [visit.error for execution in executions for visit in execution.visits if visit.error]
    return errors[-1] if errors else row.get("motivo")


# --- What to do ----------------------------------------------------------------------------------------------------


def _next_step(seen: _Seen) -> str:
    running = seen.execution is not None and seen.execution.status == "RUNNING"
    if seen.execution is not None and is_asking(seen.execution):
        return "uma pessoa precisa decidir: `cesta intervencao listar` mostra o caso (docs/runbook.md diz o que fazer)"
    if running:
        return "nenhum: a saga está em andamento; consulte de novo em alguns minutos"
    if seen.execution is None and seen.status is Status.RECEBIDO:
        return "o pedido está aceito e aguarda início; o conciliador o reenvia, e repetir o mesmo POST é seguro"
    if not _closed(seen):
        return "a execução parou antes do fim: o pedido precisa de uma pessoa, `cesta intervencao listar`"
    return "nenhum: o pedido chegou ao fim e as contas fecham"


def _closed(seen: _Seen) -> bool:
    """Whether the order is final and holds nothing it should not."""
    if seen.status is Status.CONFIRMADO:
        return seen.reserved == 0 and seen.money["situacao"] == "cobrado"
    if seen.status in {Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO}:
        doubtful = seen.row.get("cobranca", {}).get("duvidosa", False)
        return seen.reserved == 0 and (seen.money["situacao"] in {"nada", "estornado"} or doubtful)
    return seen.status is Status.RESOLVIDO_MANUALMENTE
