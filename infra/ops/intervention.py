"""One case that waits for a person: what is known of it, what may be decided, and what the saga would do then.

The wording is Portuguese: who is on call reads it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from handlers.domain.status import Status
from infra.ops.dossier import read_dossier
from infra.ops.errors import CaseRefusedError
from infra.ops.executions import is_asking
from infra.ops.money import money, reais

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.ops.dossier import Dossier
    from infra.ops.facts import OrderRow
    from infra.ops.history import Execution
    from infra.ops.money import MoneyView
    from infra.ops.target import Target

__all__ = ["Case", "Decision", "Pending", "case_of", "check", "load", "plan"]


class Decision(StrEnum):
    """What a person may decide (design §4)."""

    REPROCESSAR = "REPROCESSAR"
    ENCERRAR = "ENCERRAR"


class Pending(StrEnum):
    """What may stay open on purpose when a case is closed (``pendencias``)."""

    COBRANCA = "cobranca"
    ESTOQUE = "estoque"


@dataclass(frozen=True)
class Case:
    """An order, its last execution, its money and its stock.

    Attributes:
        row: the order's row, without the card token.
        execution: the one that answers for it now; None when there is none.
        resumptions: how many resumptions there have been.
        reserved: units it still holds.
        money: what the ledger says.
        superseded: executions that still wait although another resumed the order: whoever resumed it died before
            stopping them. They would ask for ever, and hide what became of the order.
    """

    row: OrderRow
    execution: Execution | None
    resumptions: int
    reserved: int
    money: MoneyView
    superseded: tuple[str, ...] = ()

    @property
    def pedido_id(self) -> str:
        """The order's id."""
        return self.row["pedidoId"]

    @property
    def status(self) -> Status:
        """Where the order stands."""
        return Status(self.row["status"])

    @property
    def running(self) -> bool:
        """Whether its execution lives."""
        return self.execution is not None and self.execution.status == "RUNNING"

    @property
    def asking(self) -> bool:
        """Whether its execution waits for a person."""
        return self.execution is not None and is_asking(self.execution)

    @property
    def open(self) -> frozenset[Pending]:
        """What it would leave open if it were closed now."""
        held: set[Pending] = set()
        if self.status is not Status.CONFIRMADO and self.money["situacao"] in {"cobrado", "em_duvida"}:
            held.add(Pending.COBRANCA)
        if self.reserved > 0:
            held.add(Pending.ESTOQUE)
        return frozenset(held)

    @property
    def waiting(self) -> bool:
        """Whether a person has something to decide."""
        if self.running:
            return self.asking
        if self.status is Status.RESOLVIDO_MANUALMENTE:
            # Closed, and yet the reconciler may have found something nobody named.
            return bool(self.open - self.named)
        return "pendenteDesde" in self.row

    @property
    def named(self) -> frozenset[Pending]:
        """What whoever closed the case said stays open."""
        said = str(self.row.get("caso", {}).get("pendencias", "")).lower()
        return frozenset(pending for pending in Pending if pending.value in said)


def load(target: Target, pedido_id: str) -> Case:
    """What is known of the order now; raises `UnknownOrderError`."""
    return case_of(read_dossier(target, pedido_id))


def case_of(dossier: Dossier) -> Case:
    """The order as a case, whether or not it is one."""
    return Case(
        row=dossier.row,
        execution=dossier.last,
        resumptions=sum(execution.name != dossier.pedido_id for execution in dossier.executions),
        reserved=dossier.reserved,
        money=money(dossier.row),
        superseded=tuple(execution.arn for execution in dossier.executions[:-1] if is_asking(execution)),
    )


def check(case: Case, decision: Decision, pendencias: Sequence[Pending]) -> None:
    """Raise `CaseRefusedError` unless the decision can be taken on the case as it is."""
    if not case.waiting:
        raise CaseRefusedError(case.pedido_id, _why_not(case))
    if decision is Decision.REPROCESSAR:
        if case.status is Status.RESOLVIDO_MANUALMENTE:
            raise CaseRefusedError(
                case.pedido_id,
                "já foi encerrado por uma pessoa e não se reprocessa; acerte por fora, ou diga o que fica em aberto: "
                "`cesta intervencao encerrar ID --pendencias ...`",
            )
        return
    _check_closing(case, frozenset(pendencias))


def _check_closing(case: Case, named: frozenset[Pending]) -> None:
    if not case.asking and case.status in _NOT_YET_ESCALATED:
        raise CaseRefusedError(
            case.pedido_id,
            f"está {case.status} e a execução morreu; só se encerra um caso que o conciliador já abriu (no máximo 5 "
            "minutos): espere, ou reprocesse",
        )
    if not case.asking and case.status is Status.CONFIRMADO:
        raise CaseRefusedError(
            case.pedido_id, "está CONFIRMADO e a execução morreu: reprocesse; se falhar de novo, poderá ser encerrado"
        )
    missing = case.open - named
    if missing:
        names = " ".join(f"--pendencias {pending}" for pending in sorted(missing))
        raise CaseRefusedError(
            case.pedido_id,
            f"ainda há {_told(case, missing)}; acerte antes, ou diga que fica em aberto de propósito: {names}",
        )


_NOT_YET_ESCALATED: Final = frozenset({Status.RECEBIDO, Status.COMPENSANDO})


def _why_not(case: Case) -> str:
    if case.running:
        where = case.execution.visits[-1].state if case.execution and case.execution.visits else "início"
        return (
            f"não espera decisão: a saga está em andamento, em {where}; acompanhe com `cesta pedido {case.pedido_id}`"
        )
    return (
        f"não espera decisão: está {case.status} e as contas fecham; se sobrou mensagem na fila, "
        f"`cesta intervencao descartar {case.pedido_id}`"
    )


def _told(case: Case, pending: frozenset[Pending]) -> str:
    held: list[str] = []
    if Pending.COBRANCA in pending:
        doubt = case.money["situacao"] == "em_duvida"
        held.append("uma cobrança em dúvida" if doubt else f"{reais(case.money['cobrado'])} cobrados e não devolvidos")
    if Pending.ESTOQUE in pending:
        held.append(f"{case.reserved} unidade(s) de {case.row['sku']} reservada(s)")
    return " e ".join(held)


def plan(case: Case, decision: Decision, pendencias: Sequence[Pending]) -> list[str]:
    """What the saga will do, step by step, in words."""
    steps: list[str] = []
    if not case.asking:
        steps.append("retomar o pedido em cesta-saga-retomada, que desfaz e encerra mas nunca cobra")
    if decision is Decision.ENCERRAR:
        return [*steps, *_closing_plan(case, pendencias)]
    if case.status is Status.CONFIRMADO:
        return [
            *steps,
            f"EfetivarReserva: baixar {case.reserved} unidade(s) de {case.row['sku']} já vendida(s)",
            "o pedido continua CONFIRMADO; se falhar de novo, o caso volta à fila",
        ]
    return [
        *steps,
        f"EstornarPagamento: {_REFUND[case.money['situacao']].format(reais(case.money['cobrado']))}",
        f"LiberarEstoque: {_release(case)}",
        "RegistrarFalhaComEstoqueLiberado: o pedido termina FALHOU_COMPENSADO",
        "se algo falhar de novo, o caso volta à fila com outro token",
    ]


_REFUND: Final = {
    "nada": "nada foi cobrado, nada a devolver",
    "cobrado": "devolver {} ao cliente",
    "estornado": "{} já devolvidos, nada a fazer",
    "em_duvida": "procurar a cobrança no gateway e devolver o que houver",
}


def _release(case: Case) -> str:
    if case.reserved == 0:
        return "nada reservado, nada a devolver"
    return f"devolver {case.reserved} unidade(s) de {case.row['sku']} ao estoque"


def _closing_plan(case: Case, pendencias: Sequence[Pending]) -> list[str]:
    if case.status is Status.CONFIRMADO:
        return ["PendenciaEncerrada: o pedido continua CONFIRMADO e ninguém mais procura a reserva"]
    left = ", ".join(sorted(set(pendencias))) or "nada"
    return [
        "nenhum estorno e nenhuma devolução ao estoque",
        f"o pedido termina RESOLVIDO_MANUALMENTE; fica em aberto de propósito: {left}",
    ]
